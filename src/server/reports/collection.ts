import { labelKey } from '../../engine/labels.ts';
import {
  Email,
  FormatOptions,
  ReportFormat,
  ReportInput,
  ReportStatus,
  ReportType,
} from '../../contract/reports.ts';
import type { ReportScope } from '../../report/content/order.ts';
import type { ReportSummary } from '../../report/model.ts';
import { dueFirst } from '../store/store.ts';
import type { CollectionSpec, LaneSpec } from '../store/store.ts';
import * as z from 'zod';
import { Timestamp } from '../../contract/lists.ts';
import { oneLine } from '../../contract/text.ts';
import { Count, Id, Key, Moment, Sha256, shape } from '../shape.ts';

/** A report as stored: what was asked for, and what became of it. */
export interface StoredReport {
  readonly id: string;
  readonly name: string;
  readonly type: ReportType;
  readonly framework?: string;
  readonly description?: string;
  readonly scope: ReportScope;
  readonly formats: readonly ReportFormat[];
  readonly include_executive_summary: boolean;
  readonly include_detailed_findings: boolean;
  /** Whoever reads its files needs a cost scope. */
  readonly include_cost?: boolean;
  readonly prepared_for?: string;
  /** What the person, key or client was called that asked for it. */
  readonly prepared_by?: string;
  readonly security?: StoredSecurity;
  readonly scheduled_at?: string;
  /** It comes before the others of its caller. */
  readonly immediate?: true;
  /** Recipients who are told when it has ended. */
  readonly notify?: readonly string[];
  /** The schedule and the run that asked for it. */
  readonly schedule_id?: string;
  readonly run_id?: string;
  readonly status: ReportStatus;
  /** Times that it was begun. */
  readonly attempts: number;
  readonly failure?: { readonly reason: string };
  readonly created_at: string;
  readonly created_by: string;
  readonly updated_at: string;
  /** When it was first begun. */
  readonly started_at?: string;
  readonly generated_at?: string;
  /** Milliseconds that it is expected to take. */
  readonly estimated_ms?: number;
  /** Percent, while generating; written down now and then. */
  readonly progress?: number;
  /** Of `completed` ones. */
  readonly result?: ReportResult;
}

export type StoredSecurity = Omit<NonNullable<FormatOptions['security']>, 'password'> & {
  /** scrypt, for comparing: `salt:hash`, base64url. */
  readonly password_hash?: string;
  /** Sealed, for encrypting files. */
  readonly password?: string;
};

export interface ReportResult {
  readonly summary: ReportSummary;
  /** As on its title page: the time it is about, and what has to be known to read the summary right. */
  readonly period?: string;
  readonly notices?: readonly string[];
  readonly source_scan_id?: string;
  readonly policies: number;
  readonly resources: number;
  /** Names, and pages; earlier versions counted no pages where there was no PDF. */
  readonly sections: readonly { readonly name: string; readonly pages?: number }[];
  readonly pages?: number;
  /** The blobs that the model is read from (render/stored-model.ts). */
  readonly model: readonly string[];
  readonly files: readonly StoredFile[];
}

export interface StoredFile {
  readonly format: ReportFormat;
  /** As it is downloaded: `report.pdf`, or `report.csv.zip` of a protected one. */
  readonly filename: string;
  readonly media_type: string;
  readonly blob: string;
  readonly size: number;
  readonly sha256: string;
  /** The detached signature's blob. */
  readonly signature?: { readonly blob: string; readonly size: number };
}

export const reports: CollectionSpec<StoredReport> = {
  name: 'reports',
  index: {
    type: ({ type }) => type,
    /** In any spelling. */
    framework: ({ framework }) => framework && labelKey(framework),
    status: ({ status }) => status,
    schedule_id: ({ schedule_id: id }) => id,
    /** `yes`: something of it is sealed. */
    sealed: ({ security }) => (security?.password === undefined ? undefined : 'yes'),
  },
  order: {
    created_at: ({ created_at: at }) => at,
    generated_at: ({ generated_at: at }) => at,
    ended_at: endedAt,
    id: ({ id }) => id,
    name: ({ name }) => name,
    type: ({ type }) => type,
    framework: ({ framework }) => framework,
    status: ({ status }) => status,
    scheduled_at: ({ scheduled_at: at }) => at,
    schedule_id: ({ schedule_id: id }) => id,
  },
};

/** When it was generated, or failed; it has no such time before. */
function endedAt({ status, generated_at, updated_at }: StoredReport): string | undefined {
  return status === 'failed' ? updated_at : generated_at;
}

/** How long reports of a type took lately in the same formats, over about as much. */
export interface StoredTiming {
  /** The type, the number of digits of what was looked at, the formats, and whether they are protected. */
  readonly id: string;
  /** Milliseconds, the newest last. */
  readonly durations: readonly number[];
}

/** When the lane of a new report is due, see `putOff`. */
export const dueAtOf = ({ scheduled_at: at, immediate }: StoredReport): number =>
  at === undefined ? (immediate ? dueFirst : 0) : Date.parse(at);

export const reportTimings: CollectionSpec<StoredTiming> = {
  name: 'report_timings',
  order: { id: ({ id }) => id },
};

/**
 * A lane for each report that is to be generated, under its id. Callers are served in turn, whoever is counted as asking
 * for it (a schedule's owner among them); of one caller's, those that were asked for first are claimed first.
 */
export const reportLanes: LaneSpec = {
  name: 'reports',
  turns: {
    collection: reports,
    ownerOf: ({ created_by: by }: StoredReport) => by,
    servedAt: ({ started_at: begun, updated_at: at }: StoredReport) => begun && at,
  },
};

/** Also of the reports that a schedule asks for. */
export const securityShape = shape<StoredSecurity>({
  ...FormatOptions.shape.security.unwrap().omit({ password: true }).shape,
  password_hash: z.string().optional(),
  password: z.string().optional(),
});

const resultShape = shape<ReportResult>({
  summary: shape<ReportSummary>({
    compliance_score: z.number().nullable(),
    total_violations: Count,
    critical: Count,
    high: Count,
    medium: Count,
    low: Count,
  }),
  period: z.string().optional(),
  notices: z.array(z.string()).optional(),
  source_scan_id: z.string().optional(),
  policies: Count,
  resources: Count,
  sections: z.array(
    shape<ReportResult['sections'][number]>({ name: z.string(), pages: Count.optional() }),
  ),
  pages: Count.optional(),
  model: z.array(z.string()).min(2),
  files: z.array(
    shape<StoredFile>({
      format: ReportFormat,
      filename: oneLine(512),
      media_type: z
        .string()
        .max(128)
        .regex(/^[a-z0-9.+-]+\/[a-z0-9.+-]+(; charset=[a-z0-9-]+)?$/i, 'must be a media type'),
      blob: z.string(),
      size: Count,
      sha256: Sha256,
      signature: z.looseObject({ blob: z.string(), size: Count }).optional(),
    }),
  ),
});

export const reportShape = shape<StoredReport>({
  id: Id,
  name: ReportInput.shape.name,
  type: ReportType,
  framework: z.string().optional(),
  description: z.string().optional(),
  scope: shape<ReportScope>({
    ...ReportInput.shape.scope.shape,
    date_range: z.looseObject({ start: Timestamp, end: Timestamp }).optional(),
  }),
  formats: z.array(ReportFormat).min(1),
  include_executive_summary: z.boolean(),
  include_detailed_findings: z.boolean(),
  include_cost: z.boolean().optional(),
  prepared_for: z.string().optional(),
  prepared_by: z.string().optional(),
  security: securityShape.optional(),
  scheduled_at: Timestamp.optional(),
  immediate: z.literal(true).optional(),
  notify: z.array(Email).optional(),
  schedule_id: Id.optional(),
  run_id: Id.optional(),
  status: ReportStatus,
  attempts: Count,
  failure: z.looseObject({ reason: z.string() }).optional(),
  created_at: Timestamp,
  created_by: Key,
  updated_at: Timestamp,
  started_at: Timestamp.optional(),
  generated_at: Timestamp.optional(),
  estimated_ms: Moment.optional(),
  progress: z.number().min(0).max(100).optional(),
  result: resultShape.optional(),
});

export const timingShape = shape<StoredTiming>({
  id: Key,
  durations: z.array(z.number().min(0)),
});
