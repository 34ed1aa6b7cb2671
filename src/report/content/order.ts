import type { ReportType } from '../../contract/reports.ts';

/** What a report is narrowed to. */
export interface ReportScope {
  readonly environments?: readonly string[];
  readonly cloud_providers?: readonly string[];
  /** Half-open. */
  readonly date_range?: { readonly start: string; readonly end: string };
  /** The zone that dates are shown in and ranges were made in; default UTC. */
  readonly timezone?: string;
}

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
