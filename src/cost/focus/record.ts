import type { Amount } from '../amount.ts';

/** The texts by which cost is grouped; '' where a row has none. */
export const dimensions = [
  'provider',
  'billing_account',
  'sub_account',
  'service',
  'service_category',
  'category',
  'region',
  'resource',
  'currency',
] as const;
export type Dimension = (typeof dimensions)[number];

/** What is summed. */
export type Measure = 'billed' | 'effective' | 'list' | 'quantity';

/** One charge. */
export interface CostRecord extends Readonly<Record<Dimension, string>> {
  /** `2026-09-30`, UTC: the day on which the charge begins. */
  readonly day: string;
  /** `2026-09`: the month that it is billed in. */
  readonly period: string;
  /** The chosen tags that it has, by lower-case key. */
  readonly tags: ReadonlyMap<string, string>;
  readonly amounts: Readonly<Record<Measure, Amount>>;
}
