import type { Severity } from '../../contract/policies.ts';
import { weightOf } from '../../engine/score.ts';
import { rounded } from './wording.ts';

const day = 24 * 3_600_000;

/** Ages of open violations, from the oldest; a violation is in the first that it is old enough for. */
export const ageBuckets = [
  { days: 90, label: '90 days or more', factor: 2 },
  { days: 30, label: '30 to 89 days', factor: 1.5 },
  { days: 7, label: '7 to 29 days', factor: 1.25 },
  { days: 0, label: 'under 7 days', factor: 1 },
] as const;

/** Environments that count for more or less, by how their names begin, in any case. */
const environmentFactors = [
  { names: /^(prod|prd|live)/i, factor: 2 },
  { names: /^(stag|stg|preprod|pre-prod|uat)/i, factor: 1.25 },
  { names: /^(dev|test|tst|sandbox|qa|lab)/i, factor: 0.75 },
] as const;

/** The formula as a report tells it. */
export const riskFormula =
  'Risk points of an open violation: severity weight (CRITICAL 10, HIGH 7, MEDIUM 3, LOW 1) × age factor (2 from 90 days, 1.5 from 30, 1.25 from 7, otherwise 1) × environment factor (names that start with prod, prd or live: 2; stag, stg, preprod or uat: 1.25; dev, test, tst, sandbox, qa or lab: 0.75; others, and none: 1).';

/** @param age milliseconds since it was found */
export const ageBucketOf = (age: number): (typeof ageBuckets)[number] =>
  ageBuckets.find(({ days }) => age >= days * day) ?? ageBuckets[3];

const environmentFactor = (environment: string | undefined): number =>
  environmentFactors.find(({ names }) => names.test(environment ?? ''))?.factor ?? 1;

/** Rounded as they are shown, so that rows add up to their total. */
export const riskPoints = (
  severity: Severity,
  age: number,
  environment: string | undefined,
): number =>
  rounded(weightOf({ severity }) * ageBucketOf(age).factor * environmentFactor(environment));
