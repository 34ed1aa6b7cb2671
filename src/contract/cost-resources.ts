import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { maxResourceId } from './resources.ts';
import { MonthlyCosts } from './violations.ts';

/** Resources of one request. */
export const mostPricedResources = 50_000;

/** What some resources of the inventory cost. */
const ResourceCostSum = z.looseObject({
  /** Different ones that were asked for, and those of them of which no cost is known. */
  resources: z.int(),
  without_cost: z.int(),
  /** Absent: nothing is known of what any resource costs. */
  monthly_costs: MonthlyCosts.optional(),
});
export type ResourceCostSum = z.infer<typeof ResourceCostSum>;

export const costResources = {
  sum: endpoint({
    method: 'POST',
    path: '/v1/cost/resources',
    summary: 'Add up what resources of the inventory cost in the last 30 whole days of data',
    scope: 'cost:read',
    ext: true,
    body: z.strictObject({
      resource_ids: z.array(z.string().min(1).max(maxResourceId)).min(1).max(mostPricedResources),
    }),
    response: { status: 200, body: ResourceCostSum },
    errors: [],
  }),
};
