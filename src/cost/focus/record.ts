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

/** One charge. It is valid until the next one is read. */
export interface CostRecord {
  /** Days since 1970-01-01, UTC: the day on which the charge begins. */
  readonly day: number;
  /** `2026-09`: the month that it is billed in. */
  readonly period: string;
  /** The codes of its texts: of each dimension, then of each chosen tag. */
  readonly codes: Uint32Array;
  /** Of each measure, in the order of the file: units, nanos, attos. */
  readonly lanes: Float64Array;
}
