import * as z from 'zod';
import { Timestamp } from './lists.ts';

const Summary = z.looseObject({
  /** 0 to 100; null where nothing was evaluated. */
  compliance_score: z.number().nullable(),
  total_violations: z.int(),
  critical_findings: z.int(),
});

export const ListedReport = z.looseObject({
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

export const CreatedReport = z.looseObject({
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
