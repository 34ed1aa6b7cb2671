import * as z from 'zod';
import { Money } from './money.ts';
import { Timestamp, commaList, commaListOf, listEndpoint, listQuery } from './lists.ts';
import { MonthlyCosts } from './violations.ts';

export const unusedKinds = [
  'unattached_volume',
  'unused_address',
  'stopped_instance',
  'idle_load_balancer',
  'old_snapshot',
] as const;
export const UnusedKind = z.enum(unusedKinds);
export type UnusedKind = z.infer<typeof UnusedKind>;

export const UnusedResource = z.looseObject({
  /** Of the resource. */
  id: z.string(),
  kind: UnusedKind,
  type: z.string(),
  name: z.string().optional(),
  provider: z.string(),
  account_id: z.string().optional(),
  region: z.string().optional(),
  environment: z.string().optional(),
  /** What its document says. */
  reason: z.string(),
  /** Start of its current state, if the document includes it. */
  since: Timestamp.optional(),
  /** The disks of a stopped instance: what they cost is its cost. */
  disks: z.array(z.string()).optional(),
  /** Cost in the last 30 whole days of data, which its removal saves; absent: unknown. */
  monthly_cost: Money.optional(),
  cost_currency: z.string().optional(),
});
export type UnusedResource = z.infer<typeof UnusedResource>;

export const unusedSortFields = ['monthly_cost', 'id', 'kind', 'type', 'since'] as const;

const UnusedListQuery = listQuery(unusedSortFields, {
  kind: commaListOf(UnusedKind).optional(),
  provider: commaList().optional(),
  account: commaList().optional(),
  type: commaList().optional(),
  region: commaList().optional(),
  environment: commaList().optional(),
});
export type UnusedListQuery = z.infer<typeof UnusedListQuery>;

export const costUnused = {
  list: listEndpoint({
    path: '/v1/cost/unused',
    summary: 'List resources that appear unused, most expensive first',
    scope: 'cost:read',
    ext: true,
    query: UnusedListQuery,
    rows: {
      /** Savings per month of all matching resources, by currency; each charge counts once. */
      potential_savings: MonthlyCosts,
      unused_resources: z.array(UnusedResource),
    },
  }),
};
