import * as z from 'zod';
import { enforcements } from './enforcement.ts';
import { Effect, Severity } from './policies.ts';

const findingStatuses = ['PASS', 'FAIL', 'ERROR', 'EXEMPT', 'SKIPPED'] as const;
const FindingStatus = z.enum(findingStatuses);
type FindingStatus = z.infer<typeof FindingStatus>;

/** Why a policy could not be decided over a resource. */
export const undecidedReasons = [
  'missing_attribute',
  'unknown_value',
  'type_error',
  'budget',
] as const;
export const UndecidedReason = z.enum(undecidedReasons);
export type UndecidedReason = z.infer<typeof UndecidedReason>;

export const FindingRule = z.looseObject({
  /** Of the rule in its policy, from 0. */
  index: z.int(),
  effect: Effect,
  message: z.string().optional(),
});
export type FindingRule = z.infer<typeof FindingRule>;

/** What a policy says of a resource: one shape everywhere, API and CLI. The CLI adds the place. */
export const Finding = z.looseObject({
  /** The policy's name. */
  policy: z.string(),
  policy_id: z.string().optional(),
  policy_key: z.string().optional(),
  /** The resource's id. */
  resource: z.string(),
  resource_type: z.string(),
  status: FindingStatus,
  /** The policy's; MEDIUM where it has none. */
  severity: Severity,
  /** Of a policy with such a tag: its findings never fail a check, or always do. */
  enforcement: z.enum(enforcements).optional(),
  /** FAIL, EXEMPT: the rules that say so. ERROR: those that could not be decided, and why. */
  rules: z.array(FindingRule),
  /** ERROR only. */
  reason: UndecidedReason.optional(),
  /** ERROR only: the attribute, such as `resource.encryption.enabled`. */
  path: z.string().optional(),
  /** EXEMPT only: why, in one line. */
  exemption: z.string().optional(),
});
export type Finding = z.infer<typeof Finding>;
