import * as z from 'zod';
import { commaListOf } from './lists.ts';
import { scopeValues } from './scope-filters.ts';

/** What cost is grouped by, besides tags. `account` is the sub account; `environment` and `owner` are tags. */
export const costGroupings = [
  'provider',
  'account',
  'service',
  'region',
  'resource',
  'environment',
  'owner',
] as const;

const tagKey = /^tag:[^\s,]{1,128}$/;

export const CostGrouping = z
  .string()
  .refine(
    (text): text is (typeof costGroupings)[number] | `tag:${string}` =>
      (costGroupings as readonly string[]).includes(text) || tagKey.test(text),
    `must be one of ${costGroupings.join(', ')} or tag:KEY`,
  );
export type CostGrouping = z.infer<typeof CostGrouping>;

export const costMetrics = ['effective', 'billed', 'list'] as const;
export const CostMetric = z.enum(costMetrics);
export type CostMetric = z.infer<typeof CostMetric>;

export const Currency = z
  .string()
  .min(1)
  .max(64)
  .transform((text) => text.toUpperCase());

/** Which charges a query is about: those with one of the values of each field. `tag`: `team=platform`. */
export const costFilters = {
  provider: scopeValues().optional(),
  account: scopeValues().optional(),
  service: scopeValues().optional(),
  region: scopeValues().optional(),
  resource: scopeValues().optional(),
  environment: scopeValues().optional(),
  owner: scopeValues().optional(),
  tag: commaListOf(
    z.string().regex(/^[^\s=]{1,128}=.{1,256}$/, 'must be KEY=VALUE, such as team=platform'),
  ).optional(),
};
