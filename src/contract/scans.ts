import * as z from 'zod';
import { Finding } from './findings.ts';
import { ById, Timestamp, commaList, commaListOf, listEndpoint, listQuery } from './lists.ts';
import { nounEndpoints } from './noun.ts';
import { ResourceType } from './policies.ts';

export const scanStatuses = ['pending', 'running', 'completed', 'failed'] as const;
const ScanStatus = z.enum(scanStatuses);
type ScanStatus = z.infer<typeof ScanStatus>;

/** How many findings there are of each status. */
export const FindingCounts = z.looseObject({
  evaluated: z.int(),
  pass: z.int(),
  fail: z.int(),
  error: z.int(),
  exempt: z.int(),
});
export type FindingCounts = z.infer<typeof FindingCounts>;

const ScanInput = z.strictObject({
  name: z.string().min(1).max(256).regex(/\S/, 'must not be blank').optional(),
  /** Only resources of these types; default all. */
  resource_types: z.array(ResourceType).min(1).max(100).optional(),
  /** Only these policies; default all that are enabled. */
  policy_ids: z.array(z.string().min(1).max(256)).min(1).max(500).optional(),
});
export type ScanInput = z.infer<typeof ScanInput>;

export const Scan = z.looseObject({
  id: z.string(),
  name: z.string().optional(),
  resource_types: z.array(z.string()).optional(),
  policy_ids: z.array(z.string()).optional(),
  status: ScanStatus,
  /** Percent. */
  progress: z.number(),
  summary: FindingCounts,
  /** The first findings that could not be decided; `summary.error` counts all. */
  undecided: z.array(Finding).optional(),
  resources_scanned: z.int(),
  violations_found: z.int(),
  /** 0 to 100; null where nothing was evaluated. */
  compliance_score: z.number().nullable(),
  created_at: Timestamp,
  created_by: z.string(),
  started_at: Timestamp.optional(),
  completed_at: Timestamp.optional(),
  /** From start to completion: `45s`, `30m`, `1h5m`. */
  duration: z.string().optional(),
  /** `failed` only. */
  failure: z.looseObject({ reason: z.string() }).optional(),
});
export type Scan = z.infer<typeof Scan>;

export const scanSortFields = [
  'created_at',
  'started_at',
  'completed_at',
  'id',
  'name',
  'status',
  'progress',
  'resources_scanned',
  'violations_found',
  'compliance_score',
  'created_by',
] as const;

const ScanListQuery = listQuery(scanSortFields, { status: commaListOf(ScanStatus).optional() });
export type ScanListQuery = z.infer<typeof ScanListQuery>;

/** A resource that passed a policy in a scan. */
export const ScanSample = z.looseObject({
  policy_id: z.string(),
  resource_id: z.string(),
  resource_type: z.string(),
  /**
   * By the path that the policy reads. Lists, maps and long strings by their size and digest, what may be a secret as
   * `[redacted]`; null: the resource does not have it.
   */
  values: z.record(z.string(), z.unknown()),
  at: Timestamp,
});
export type ScanSample = z.infer<typeof ScanSample>;

export const scanSampleSortFields = ['id'] as const;

const ScanSampleListQuery = listQuery(scanSampleSortFields, {
  policy_id: commaList().optional(),
  resource_id: z.string().min(1).max(2_048).optional(),
});
export type ScanSampleListQuery = z.infer<typeof ScanSampleListQuery>;

const noun = nounEndpoints({
  path: '/v1/scans',
  ext: true,
  answer: Scan,
  missing: 'scan_not_found',
});

export const scans = {
  list: noun.list({ summary: 'List scans', query: ScanListQuery, rows: { scans: z.array(Scan) } }),
  create: noun.create({
    summary: 'Start a scan, which evaluates the inventory in the background',
    body: ScanInput,
    errors: ['invalid_scan', 'policy_not_found'],
  }),
  get: noun.get({ summary: 'Get a scan with its progress or result' }),
  samples: {
    ...listEndpoint({
      path: '/v1/scans/:id/samples',
      summary:
        'List samples of a scan: up to 25 passing resources per policy, with the values that the scan read',
      ext: true,
      query: ScanSampleListQuery,
      rows: { samples: z.array(ScanSample) },
      errors: ['scan_not_found'],
    }),
    params: ById,
  },
};
