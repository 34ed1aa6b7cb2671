import type { ReportType } from '../../../contract/reports.ts';
import type { Deps } from '../../deps.ts';
import type { PreparePolicy } from '../../evaluation/prepared-policies.ts';
import type { ReportModel } from '../../render/model.ts';
import type { ReportScope } from '../collection.ts';

/** What is asked of a report's content. */
export interface ContentOrder {
  readonly id: string;
  readonly name: string;
  readonly type: ReportType;
  readonly framework?: string;
  readonly description?: string;
  readonly scope: ReportScope;
  readonly include_executive_summary: boolean;
  readonly include_detailed_findings: boolean;
  /** A `user_…` id. */
  readonly generated_by: string;
  /** Milliseconds since the epoch: the moment it tells of. */
  readonly at: number;
}

export interface Composed {
  readonly model: ReportModel;
  readonly source_scan_id?: string;
  /** Policies and resources that were looked at. */
  readonly policies: number;
  readonly resources: number;
  /** Lets go of what its rows are read from, which may be files on their way. */
  readonly close: () => Promise<void>;
}

export interface ComposeOptions {
  readonly signal: AbortSignal;
  /** From 0 to 1. */
  readonly onProgress: (part: number) => void;
}

/**
 * Gathers what a report tells, from what is stored. It reads in turns with other work, and keeps in memory what does not
 * grow with the number of resources; the rows of its tables are read when they are asked for.
 */
export type Compose = (
  deps: Deps,
  prepare: PreparePolicy,
  order: ContentOrder,
  options: ComposeOptions,
) => Promise<Composed>;
