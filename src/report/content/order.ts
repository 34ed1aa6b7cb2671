import type { ReportType } from '../../contract/reports.ts';

/** The filters of a report. */
export interface ReportScope {
  readonly environments?: readonly string[];
  readonly cloud_providers?: readonly string[];
  /** `end` is exclusive. */
  readonly date_range?: { readonly start: string; readonly end: string };
  /** The time zone of dates and date ranges; default UTC. */
  readonly timezone?: string;
}

/** The requested content of a report. */
export interface ContentOrder {
  readonly id: string;
  readonly name: string;
  readonly type: ReportType;
  readonly framework?: string;
  readonly description?: string;
  readonly scope: ReportScope;
  readonly include_executive_summary: boolean;
  readonly include_detailed_findings: boolean;
  /** Of risk and trend reports; default: no. */
  readonly include_cost?: boolean;
  /** Names, for the title page. */
  readonly organization?: string;
  readonly prepared_for?: string;
  readonly prepared_by?: string;
  /** A `user_…` ID. */
  readonly generated_by: string;
  /** Milliseconds since the epoch: the report shows the state at this time. */
  readonly at: number;
}
