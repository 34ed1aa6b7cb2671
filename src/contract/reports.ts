import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import {
  Pagination,
  Timestamp,
  commaList,
  listQuery,
  offsetOrCursor,
  offsetOrCursorMessage,
} from './lists.ts';
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
const ReportStatus = z.enum(reportStatuses);
export type ReportStatus = z.infer<typeof ReportStatus>;

/** Header that carries a protected report's password to a download. */
export const reportPasswordHeader = 'X-Service-Report-Password';

/** A text as a header carries it: its UTF-8 bytes, each as one character. */
export const headerText = (text: string): string =>
  String.fromCharCode(...new TextEncoder().encode(text));

const label = (max: number) =>
  z
    .string()
    .min(1, { abort: true })
    .max(max, { abort: true })
    .regex(/\S/, { error: 'must not be blank', abort: true })
    .regex(/^\P{Cc}*$/u, 'must have no control characters');

export const Email = z.email('must be an e-mail address').max(254);

const uniqueList = <S extends z.ZodType>(item: S, most: number) =>
  z
    .array(item)
    .min(1)
    .max(most)
    .refine((items) => new Set(items).size === items.length, 'names one twice');

/** What both a report and a schedule's template say of which resources count. Absent: all of them. */
export const scopeFields = {
  environments: uniqueList(label(256), 100).optional(),
  /** As in `aws`, `gcp`, `azure`. */
  cloud_providers: uniqueList(
    label(64).regex(/^[^A-Z]*$/, 'must be in lower case, such as aws'),
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
    .regex(/^\P{Cc}*$/u, { error: 'must have no control characters', abort: true })
    .regex(/^\S[^]*\S$/u, 'must not begin or end with a blank')
    .optional(),
  watermark: label(64).optional(),
  sign: z.boolean().optional(),
});

export const FormatOptions = z.strictObject({
  /** Default: pdf. */
  formats: uniqueList(ReportFormat, reportFormats.length).optional(),
  /** Default: true. */
  include_executive_summary: z.boolean().optional(),
  /** Default: true. */
  include_detailed_findings: z.boolean().optional(),
  security: Security.optional(),
});
export type FormatOptions = z.infer<typeof FormatOptions>;

/** `soc2`, `hipaa`, `iso27001`, `pci`, a label such as `SOC2:CC6.1`, or a custom one. */
export const ReportFramework = label(128);

export const ReportInput = z.strictObject({
  name: label(256),
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

const Summary = z.looseObject({
  /** 0 to 100; null where nothing was evaluated. */
  compliance_score: z.number().nullable(),
  total_violations: z.int(),
  critical_findings: z.int(),
});

const ListedReport = z.looseObject({
  id: z.string(),
  name: z.string(),
  type: z.string(),
  framework: z.string().optional(),
  status: z.string(),
  generated_at: Timestamp.optional(),
  /** Once it is completed. `pages` are the PDF's, where there is one. */
  size: z.looseObject({ pages: z.int().optional(), file_size_mb: z.number() }).optional(),
  summary: Summary.optional(),
  created_at: Timestamp.optional(),
});
export type ListedReport = z.infer<typeof ListedReport>;

const ReportLink = z.looseObject({
  id: z.string(),
  format: z.string(),
  expires_at: Timestamp,
  created_at: Timestamp.optional(),
  created_by: z.string().optional(),
  downloads: z.int().optional(),
});
export type ReportLink = z.infer<typeof ReportLink>;

const FormatEntry = z.looseObject({
  format: z.string(),
  url: z.string(),
  size_mb: z.number(),
  size_bytes: z.int().optional(),
  /** Lower-case hex. */
  sha256: z.string().optional(),
  /** The detached signature of a signed report that is no PDF. */
  signature_url: z.string().optional(),
});

/** The sending of one report to one channel. */
export const ReportDelivery = z.looseObject({
  id: z.string(),
  channel: z.string(),
  /** As in `3 recipients`, `sftp://host/path`; no secret. */
  target: z.string(),
  status: z.string(),
  attempts: z.int(),
  last_attempt_at: Timestamp.optional(),
  next_attempt_at: Timestamp.optional(),
  delivered_at: Timestamp.optional(),
  error: z.string().optional(),
});
export type ReportDelivery = z.infer<typeof ReportDelivery>;

export const ReportDetail = z.looseObject({
  id: z.string(),
  name: z.string(),
  type: z.string(),
  framework: z.string().optional(),
  description: z.string().optional(),
  status: z.string(),
  created_at: Timestamp.optional(),
  generated_at: Timestamp.optional(),
  /** Percent, while generating. */
  progress: z.number().optional(),
  /** While pending: 1 is next. */
  queue_position: z.int().optional(),
  estimated_completion: Timestamp.optional(),
  estimated_duration: z.string().optional(),
  scheduled_at: Timestamp.optional(),
  failure: z.looseObject({ reason: z.string() }).optional(),
  /** Ext: whom it was asked to tell, and, once it has ended, what became of that. */
  notifications: z
    .looseObject({ email: z.array(z.string()), deliveries: z.array(ReportDelivery) })
    .optional(),
  content: z
    .looseObject({
      pages: z.int().optional(),
      sections: z.array(z.looseObject({ name: z.string(), pages: z.int().optional() })),
    })
    .optional(),
  formats: z.array(FormatEntry).optional(),
  summary: z
    .looseObject({
      overall_compliance_score: z.number().nullable(),
      total_violations: z.int(),
      critical: z.int(),
      high: z.int(),
    })
    .optional(),
  /** Ext: what it is about, as it was asked for. */
  scope: z
    .looseObject({
      environments: z.array(z.string()).optional(),
      cloud_providers: z.array(z.string()).optional(),
      date_range: z.looseObject({ start: Timestamp, end: Timestamp }).optional(),
      timezone: z.string().optional(),
    })
    .optional(),
  /** Ext: the time it is about, in words, and what has to be known to read the summary right. */
  period: z.string().optional(),
  notices: z.array(z.string()).optional(),
  metadata: z
    .looseObject({
      generated_by: z.string().optional(),
      source_scan_id: z.string().optional(),
      policies: z.int().optional(),
      resources: z.int().optional(),
      sha256: z.record(z.string(), z.string()).optional(),
    })
    .optional(),
  sharing: z.looseObject({ links: z.array(ReportLink) }).optional(),
  /** It takes a password to download it. */
  protected: z.boolean().optional(),
});
export type ReportDetail = z.infer<typeof ReportDetail>;

const CreatedReport = z.looseObject({
  id: z.string(),
  name: z.string(),
  type: z.string(),
  framework: z.string().optional(),
  status: z.string(),
  estimated_completion: Timestamp,
  /** Such as `15m`. */
  estimated_duration: z.string(),
  /** 1 is next. */
  queue_position: z.int(),
  monitoring: z.looseObject({ progress_url: z.string() }),
});
export type CreatedReport = z.infer<typeof CreatedReport>;

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

const ReportListQuery = z
  .strictObject({
    ...listQuery(20),
    sort_by: z.enum(reportSortFields).default('created_at'),
    type: commaList().pipe(z.array(ReportType)).optional(),
    framework: commaList().optional(),
    status: commaList().pipe(z.array(ReportStatus)).optional(),
    /** Ext: reports that this schedule made. */
    schedule_id: z.string().min(1).max(256).optional(),
  })
  .refine(offsetOrCursor, offsetOrCursorMessage);
export type ReportListQuery = z.infer<typeof ReportListQuery>;

/** Seconds. */
const linkLifetime = { least: 60, most: 604_800, default: 3_600 } as const;

const LinkInput = z.strictObject({
  format: ReportFormat,
  /** Seconds. */
  expires_in: z.int().min(linkLifetime.least).max(linkLifetime.most).default(linkLifetime.default),
});

const CreatedLink = z.looseObject({
  id: z.string(),
  /** Its last parameter is `signature`; it takes no Authorization. */
  url: z.string(),
  format: z.string(),
  expires_at: Timestamp,
  sha256: z.string(),
  size_bytes: z.int(),
});

/** One row of the access log. */
const Download = z.looseObject({
  id: z.string(),
  at: Timestamp,
  format: z.string(),
  /** Who: the owner of the token, or whoever made the link. */
  by: z.string(),
  /** `token` or `link`. */
  via: z.string(),
  link_id: z.string().optional(),
  ip: z.string().optional(),
  /** It took a part only (Range). */
  partial: z.boolean().optional(),
});

const DownloadListQuery = z
  .strictObject({ ...listQuery(20), sort_by: z.enum(['at']).default('at') })
  .refine(offsetOrCursor, offsetOrCursorMessage);

const ByReport = z.strictObject({ report_id: z.string() });
const ByReportFormat = z.strictObject({ report_id: z.string(), format: z.string() });
const ByLink = z.strictObject({ report_id: z.string(), link_id: z.string() });

const downloadErrors = [
  'report_not_found',
  'report_not_ready',
  'report_password_required',
  'report_password_wrong',
  'invalid_report_config',
  'rate_limit_exceeded',
] as const;

export const reports = {
  list: endpoint({
    method: 'GET',
    path: '/v1/reports',
    summary: 'List reports',
    scope: 'governance:read',
    query: ReportListQuery,
    response: {
      status: 200,
      body: z.looseObject({ reports: z.array(ListedReport), pagination: Pagination }),
    },
    errors: [],
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
    summary: 'Read a report: its state, its contents, its files',
    scope: 'governance:read',
    params: ByReport,
    versioned: true,
    response: { status: 200, body: ReportDetail },
    errors: ['report_not_found'],
  }),
  delete: endpoint({
    method: 'DELETE',
    path: '/v1/reports/:report_id',
    summary: 'Delete a report, its files and its links',
    scope: 'compliance:write',
    ext: true,
    params: ByReport,
    versioned: true,
    response: { status: 204 },
    errors: ['report_not_found', 'precondition_failed'],
  }),
  download: endpoint({
    method: 'GET',
    path: '/v1/reports/:report_id/download/:format',
    summary: 'The file of a report in one format; takes Range',
    scope: 'governance:read',
    params: ByReportFormat,
    response: { status: 200, type: 'application/octet-stream', binary: true },
    errors: downloadErrors,
  }),
  downloadSignature: endpoint({
    method: 'GET',
    path: '/v1/reports/:report_id/download/:format/signature',
    summary: 'The detached signature (PKCS#7, DER) of a signed report that is no PDF',
    scope: 'governance:read',
    ext: true,
    params: ByReportFormat,
    response: { status: 200, type: 'application/pkcs7-signature', binary: true },
    errors: downloadErrors,
  }),
  createLink: endpoint({
    method: 'POST',
    path: '/v1/reports/:report_id/download-link',
    summary: 'A temporary address of a report that takes no token',
    scope: 'compliance:write',
    params: ByReport,
    body: LinkInput,
    secret: true,
    response: { status: 201, body: CreatedLink },
    errors: ['report_not_found', 'report_not_ready', 'invalid_report_config'],
  }),
  revokeLink: endpoint({
    method: 'DELETE',
    path: '/v1/reports/:report_id/download-links/:link_id',
    summary: 'End a temporary address now',
    scope: 'compliance:write',
    ext: true,
    params: ByLink,
    response: { status: 204 },
    errors: ['report_not_found'],
  }),
  followLink: endpoint({
    method: 'GET',
    path: '/v1/reports/:report_id/download-links/:link_id/file',
    summary: 'The file behind a temporary address',
    scope: null,
    ext: true,
    params: ByLink,
    query: z.looseObject({
      /** Seconds since the epoch. */
      expires: z.string().optional(),
      /** Lower-case hex of an HMAC-SHA256. A link that lacks a part, or has one more, is answered as one that was changed. */
      signature: z.string().optional(),
    }),
    signedQuery: true,
    response: { status: 200, type: 'application/octet-stream', binary: true },
    errors: downloadErrors,
  }),
  downloads: endpoint({
    method: 'GET',
    path: '/v1/reports/:report_id/downloads',
    summary: 'Who downloaded a report, and when',
    scope: 'governance:read',
    ext: true,
    params: ByReport,
    query: DownloadListQuery,
    response: {
      status: 200,
      body: z.looseObject({ downloads: z.array(Download), pagination: Pagination }),
    },
    errors: ['report_not_found'],
  }),
  certificate: endpoint({
    method: 'GET',
    path: '/v1/reports/signing/certificate',
    summary: 'The certificate that signed reports are checked with (PEM)',
    scope: 'governance:read',
    ext: true,
    response: { status: 200, body: z.string(), type: 'application/x-pem-file' },
    errors: [],
  }),
};
