import * as z from 'zod';
import type { ObjectsOf } from '../../client/objects.ts';
import { absentIfOdd } from '../../client/objects.ts';
import { reportTypeTitles, reportTypes } from '../../contract/reports.ts';

const text = absentIfOdd(z.string());
const number = absentIfOdd(z.number());

const ShownLink = z.looseObject({
  id: z.string(),
  format: text,
  expires_at: text,
  created_at: text,
  created_by: text,
  downloads: number,
});

const ShownFormat = z.looseObject({
  format: z.string(),
  url: text,
  size_mb: number,
  size_bytes: number,
  sha256: text,
  signature_url: text,
});
export type ShownFormat = z.infer<typeof ShownFormat>;

/** A report of any server, from a list or by itself: nothing is required that the description leaves open. */
const ShownReport = z.looseObject({
  id: z.string().min(1),
  name: text,
  type: text,
  framework: text,
  description: text,
  status: text,
  created_at: text,
  generated_at: text,
  progress: number,
  queue_position: number,
  estimated_completion: text,
  estimated_duration: text,
  scheduled_at: text,
  failure: absentIfOdd(z.looseObject({ reason: z.string() })),
  notifications: absentIfOdd(
    z.looseObject({
      email: z.array(z.string()),
      deliveries: absentIfOdd(
        z.array(z.looseObject({ target: z.string(), status: z.string(), error: text })),
      ),
    }),
  ),
  scope: absentIfOdd(
    z.looseObject({
      environments: absentIfOdd(z.array(z.string())),
      cloud_providers: absentIfOdd(z.array(z.string())),
      date_range: absentIfOdd(z.looseObject({ start: z.string(), end: z.string() })),
    }),
  ),
  period: text,
  notices: absentIfOdd(z.array(z.string())),
  content: absentIfOdd(
    z.looseObject({
      pages: number,
      sections: absentIfOdd(z.array(z.looseObject({ name: z.string(), pages: number }))),
    }),
  ),
  formats: absentIfOdd(z.array(ShownFormat)),
  size: absentIfOdd(z.looseObject({ pages: number, file_size_mb: number })),
  summary: absentIfOdd(
    z.looseObject({
      // A list names them otherwise than a report by itself.
      compliance_score: absentIfOdd(z.number().nullable()),
      overall_compliance_score: absentIfOdd(z.number().nullable()),
      total_violations: number,
      critical_findings: number,
      critical: number,
      high: number,
    }),
  ),
  metadata: absentIfOdd(
    z.looseObject({
      generated_by: text,
      source_scan_id: text,
      policies: number,
      resources: number,
      sha256: absentIfOdd(z.record(z.string(), z.string())),
    }),
  ),
  sharing: absentIfOdd(z.looseObject({ links: absentIfOdd(z.array(ShownLink)) })),
  protected: absentIfOdd(z.boolean()),
});
export type ShownReport = z.infer<typeof ShownReport>;

/** Some servers say null for a field that has no value, and a password is nobody's to see. */
const withoutPassword = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(
        Object.entries(value).filter(([name, field]) => field !== null && name !== 'password'),
      )
    : value;

export const shownReports: ObjectsOf<ShownReport> = {
  path: '/v1/reports',
  one: 'report',
  many: 'reports',
  item: z.preprocess(withoutPassword, ShownReport),
  paged: 'unordered',
};

/** As a person knows it. */
export const nameOf = ({ id, name }: ShownReport): string => name ?? id;

export const typeTitle = (type: string): string => {
  const known = reportTypes.find((one) => one === type);
  return known ? reportTypeTitles[known] : type;
};

/** What is neither completed nor failed goes on, on any server. */
export const isUnderway = ({ status }: ShownReport): boolean =>
  status === 'pending' || status === 'generating';
