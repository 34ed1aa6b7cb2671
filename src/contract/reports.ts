import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { Timestamp, commaList, commaListOf, listEndpoint, listQuery } from './lists.ts';
import { CreatedReport, ListedReport, ReportDetail } from './report-answers.ts';
import { oneLine } from './text.ts';
import { TimeZone } from './time-zone.ts';

export const reportTypes = ['compliance', 'audit', 'risk', 'trend', 'remediation'] as const;
export const ReportType = z.enum(reportTypes);
export type ReportType = z.infer<typeof ReportType>;

/** What people call them. */
export const reportTypeTitles: Record<ReportType, string> = {
  compliance: 'Compliance Summary',
  audit: 'Detailed Audit',
  risk: 'Risk Assessment',
  trend: 'Trend Analysis',
  remediation: 'Remediation Plan',
};

export const reportFormats = ['pdf', 'excel', 'csv', 'json', 'html'] as const;
export const ReportFormat = z.enum(reportFormats);
export type ReportFormat = z.infer<typeof ReportFormat>;

/** `pending → generating → completed | failed`; a crash while generating puts it back to pending. */
export const reportStatuses = ['pending', 'generating', 'completed', 'failed'] as const;
export const ReportStatus = z.enum(reportStatuses);
export type ReportStatus = z.infer<typeof ReportStatus>;

export const Email = z.email('must be an email address').max(254);

const uniqueList = <S extends z.ZodType>(item: S, most: number) =>
  z
    .array(item)
    .min(1)
    .max(most)
    .refine((items) => new Set(items).size === items.length, 'has duplicates');

/** What both a report and a schedule's template say of which resources count. Absent: all of them. */
export const scopeFields = {
  environments: uniqueList(oneLine(256), 100).optional(),
  /** As in `aws`, `gcp`, `azure`. */
  cloud_providers: uniqueList(
    oneLine(64).regex(/^[^A-Z]*$/, 'must be lowercase, such as aws'),
    20,
  ).optional(),
};

/** Half-open: from `start` up to, and without, `end`. */
const DateRange = z.strictObject({ start: Timestamp, end: Timestamp });

/** `sign`, `watermark` and `password` are an extension of our server. The password is never answered. */
const Security = z.strictObject({
  /** It travels in a header, which can't hold control characters, and loses blanks around it. */
  password: z
    .string()
    .min(8, { error: 'must have at least 8 characters', abort: true })
    .max(128, { abort: true })
    .regex(/^\P{Cc}*$/u, { error: 'must not contain control characters', abort: true })
    .regex(/^\S[^]*\S$/u, 'must not begin or end with a space')
    .optional(),
  watermark: oneLine(64).optional(),
  sign: z.boolean().optional(),
});

export const FormatOptions = z.strictObject({
  /** Default: pdf. */
  formats: uniqueList(ReportFormat, reportFormats.length).optional(),
  /** Default: true. */
  include_executive_summary: z.boolean().optional(),
  /** Default: true. */
  include_detailed_findings: z.boolean().optional(),
  /** Ext: what things cost, in risk and trend reports. Takes the scope cost:read; default: false. */
  include_cost: z.boolean().optional(),
  /** Ext: who the report is for, as its title page says it. */
  prepared_for: oneLine(256).optional(),
  security: Security.optional(),
});
export type FormatOptions = z.infer<typeof FormatOptions>;

/** `soc2`, `hipaa`, `iso27001`, `pci`, a label such as `SOC2:CC6.1`, or a custom one. */
export const ReportFramework = oneLine(128);

export const ReportInput = z.strictObject({
  name: oneLine(256),
  type: ReportType,
  scope: z.strictObject({
    ...scopeFields,
    date_range: DateRange.optional(),
    /** Ext: the zone that times are told in. Default: UTC. */
    timezone: TimeZone.optional(),
  }),
  framework: ReportFramework.optional(),
  description: z.string().max(4_096).optional(),
  format_options: FormatOptions.optional(),
  delivery: z
    .strictObject({
      /** Default: true, unless `scheduled_at` is given. */
      immediate: z.boolean().optional(),
      scheduled_at: Timestamp.optional(),
      notifications: z.strictObject({ email: uniqueList(Email, 100).optional() }).optional(),
    })
    .optional(),
});
export type ReportInput = z.infer<typeof ReportInput>;

export const reportSortFields = [
  'created_at',
  'generated_at',
  'id',
  'name',
  'type',
  'framework',
  'status',
  'scheduled_at',
  'schedule_id',
] as const;

const ReportListQuery = listQuery(reportSortFields, {
  type: commaListOf(ReportType).optional(),
  framework: commaList().optional(),
  status: commaListOf(ReportStatus).optional(),
  /** Ext: reports that this schedule made. */
  schedule_id: z.string().min(1).max(256).optional(),
});
export type ReportListQuery = z.infer<typeof ReportListQuery>;

export const ByReport = z.strictObject({ report_id: z.string() });

export const reports = {
  list: listEndpoint({
    path: '/v1/reports',
    summary: 'List reports',
    query: ReportListQuery,
    rows: { reports: z.array(ListedReport) },
  }),
  create: endpoint({
    method: 'POST',
    path: '/v1/reports',
    summary: 'Generate a report, in the background',
    scope: 'compliance:write',
    body: ReportInput,
    response: { status: 201, body: CreatedReport },
    errors: ['invalid_report_config'],
  }),
  get: endpoint({
    method: 'GET',
    path: '/v1/reports/:report_id',
    summary: 'Get a report: its status, content and files',
    scope: 'governance:read',
    params: ByReport,
    versioned: true,
    response: { status: 200, body: ReportDetail },
    errors: ['report_not_found'],
  }),
  delete: endpoint({
    method: 'DELETE',
    path: '/v1/reports/:report_id',
    summary: 'Delete a report, its files and its share links',
    scope: 'compliance:write',
    ext: true,
    params: ByReport,
    versioned: true,
    response: { status: 204 },
    errors: ['report_not_found', 'precondition_failed'],
  }),
};
