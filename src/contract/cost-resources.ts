import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { maxResourceId } from './resources.ts';
import { MonthlyCosts } from './violations.ts';

/** Resources of one request. */
export const mostPricedResources = 50_000;

/** What some resources of the inventory cost. */
const ResourceCostSum = z.looseObject({
  /** Distinct resources requested, and how many of them have no known cost. */
  resources: z.int(),
  without_cost: z.int(),
  /** Absent: no resource has a known cost. */
  monthly_costs: MonthlyCosts.optional(),
});
export type ResourceCostSum = z.infer<typeof ResourceCostSum>;

export const costResources = {
  sum: endpoint({
    method: 'POST',
    path: '/v1/cost/resources',
    summary: 'Get the total cost of inventory resources over the last 30 full days of data',
    scope: 'cost:read',
    ext: true,
    body: z.strictObject({
      resource_ids: z.array(z.string().min(1).max(maxResourceId)).min(1).max(mostPricedResources),
    }),
    response: { status: 200, body: ResourceCostSum },
    errors: [],
  }),
};
