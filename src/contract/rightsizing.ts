import * as z from 'zod';
import { Money } from './money.ts';
import { endpoint } from './endpoint.ts';
import { ById, Pagination, Timestamp, commaList, commaListOf, digits } from './lists.ts';
import { RemediationWithActions } from './remediations.ts';

export const rightsizingStatuses = ['recommended', 'withheld', 'fits'] as const;
export const rightsizingRisks = ['low', 'medium', 'high'] as const;
export type Risk = (typeof rightsizingRisks)[number];
export const withheldReasons = [
  'not_measured',
  'cpu_not_measured',
  'memory_not_measured',
  'too_few_days',
  'too_few_hours',
  'size_unknown',
  'size_not_in_catalog',
] as const;
export type WithheldReason = (typeof withheldReasons)[number];

const share = z.number();

/** A size of the catalog. */
const Size = z.looseObject({
  name: z.string(),
  family: z.string(),
  architecture: z.string(),
  vcpus: z.number(),
  memory_gib: z.number(),
  /** In a unit of the family. */
  relative_price: z.number(),
  /** Of burstable sizes: the baseline share of their vCPUs. */
  baseline: share.optional(),
});

const Fitting = Size.extend({
  /** Shares of it that would be in use: the 99.5th percentile of CPU, the peak of memory. */
  load: z.looseObject({ cpu: share, memory: share }),
});

/** In percent of the current size. */
const Measured = z.looseObject({
  hours: z.number(),
  from: Timestamp,
  until: Timestamp,
  p50: z.number(),
  p95: z.number(),
  p99_5: z.number(),
  max: z.number(),
});

const Evidence = z.looseObject({
  cpu: Measured.optional(),
  memory: Measured.optional(),
  /** Assumed peak of memory in percent, as it was never measured. */
  assumed_memory: z.number().optional(),
  /** The share of CPU and memory that stays free. */
  headroom: share,
  /** The effective cost of the resource over so many hours. */
  cost: z.looseObject({ amount: Money, currency: z.string(), hours: z.int() }).optional(),
});

const Rightsizing = z.looseObject({
  id: z.string(),
  resource_id: z.string(),
  resource_type: z.string(),
  name: z.string().optional(),
  provider: z.string(),
  account_id: z.string().optional(),
  region: z.string().optional(),
  environment: z.string().optional(),
  status: z.enum(rightsizingStatuses),
  /** Why the recommendation is withheld. */
  reason: z.enum(withheldReasons).optional(),
  /** As the inventory has it. */
  size: z.string().optional(),
  /** The size by the catalog. */
  current: Size.optional(),
  suggested: Fitting.optional(),
  /** Other smaller sizes that fit, the cheapest first. */
  alternatives: z.array(Fitting),
  risk: z.enum(rightsizingRisks).optional(),
  /** Absent: no cost is known. */
  currency: z.string().optional(),
  cost_per_hour: Money.optional(),
  /** Of 730 hours. */
  monthly_cost: Money.optional(),
  monthly_saving: Money.optional(),
  evidence: Evidence,
});
export type Rightsizing = z.infer<typeof Rightsizing>;

/** Peak of memory to assume, in percent, if it was never measured. */
const assume_memory = digits(z.int().min(1).max(100)).optional();

export const rightsizingSortFields = ['monthly_saving', 'resource_id'] as const;

const RightsizingListQuery = z.strictObject({
  limit: digits(z.int().min(1).max(100)).prefault(20),
  offset: digits(z.int().min(0)).optional(),
  sort_by: z.enum(rightsizingSortFields).default('monthly_saving'),
  order: z.enum(['asc', 'desc']).default('desc'),
  status: commaListOf(z.enum(rightsizingStatuses)).prefault('recommended'),
  provider: commaList().optional(),
  account_id: commaList().optional(),
  region: commaList().optional(),
  environment: commaList().optional(),
  risk: commaListOf(z.enum(rightsizingRisks)).optional(),
  reason: commaListOf(z.enum(withheldReasons)).optional(),
  assume_memory,
});
export type RightsizingListQuery = z.infer<typeof RightsizingListQuery>;

const RightsizingTotals = z.looseObject({
  currency: z.string(),
  resources: z.int(),
  monthly_cost: Money,
  monthly_saving: Money,
});

const RightsizingList = z.looseObject({
  recommendations: z.array(Rightsizing),
  pagination: Pagination,
  /** Of all recommendations that match the filters but `status`. */
  totals: z.array(RightsizingTotals),
  /** Of the virtual machines that match the filters but `status`, `risk` and `reason`. */
  counts: z.looseObject({
    recommended: z.int(),
    withheld: z.int(),
    fits: z.int(),
    stopped: z.int(),
  }),
  withheld: z.array(z.looseObject({ reason: z.enum(withheldReasons), count: z.int() })),
});
export type RightsizingList = z.infer<typeof RightsizingList>;

const path = '/v1/cost/rightsizing';
const one = { path: `${path}/:id`, params: ById, ext: true } as const;

export const rightsizing = {
  list: endpoint({
    method: 'GET',
    path,
    summary: 'List virtual machines that are larger than needed, with evidence and savings',
    scope: 'cost:read',
    query: RightsizingListQuery,
    response: { status: 200, body: RightsizingList },
    errors: [],
  }),
  get: endpoint({
    ...one,
    method: 'GET',
    summary: 'Get the recommendation for a virtual machine',
    scope: 'cost:read',
    query: z.strictObject({ assume_memory }),
    response: { status: 200, body: Rightsizing },
    errors: ['rightsizing_not_found'],
  }),
  apply: endpoint({
    ...one,
    method: 'POST',
    path: `${path}/:id/apply`,
    summary:
      'Plan a remediation that resizes the virtual machine once approved; also requires compliance:write',
    scope: 'cost:admin',
    body: z.strictObject({
      /** The size to change to; default: the suggested one. */
      size: z.string().min(1).max(64).optional(),
      assume_memory: z.int().min(1).max(100).optional(),
    }),
    response: { status: 202, body: RemediationWithActions },
    errors: [
      'rightsizing_not_found',
      'rightsizing_withheld',
      'remediation_state',
      'remediation_guard',
      'remediator_not_configured',
    ],
  }),
};
