import * as z from 'zod';
import { Money } from './money.ts';
import { readAge } from './age.ts';
import { endpoint } from './endpoint.ts';
import { FindingRule, UndecidedReason } from './findings.ts';
import { ById, Timestamp, commaList, commaListOf, digits, listQuery } from './lists.ts';
import { nounEndpoints } from './noun.ts';
import { PendingEvaluation } from './pending-evaluation.ts';
import { ResourceType, Severity } from './policies.ts';

export const violationStatuses = ['OPEN', 'EXEMPT', 'RESOLVED'] as const;
export const ViolationStatus = z.enum(violationStatuses);
export type ViolationStatus = z.infer<typeof ViolationStatus>;

/** Why a violation has the status it has. `manual` comes with what the person wrote. */
const statusCauses = [
  'fails',
  'exempted',
  'exemption_ended',
  'passes',
  'remediated',
  'resource_deleted',
  'resource_changed_type',
  'policy_deleted',
  'policy_disabled',
  'policy_changed_type',
  'manual',
] as const;
export const StatusCause = z.enum(statusCauses);
export type StatusCause = z.infer<typeof StatusCause>;

const StatusChange = z.looseObject({
  status: ViolationStatus,
  at: Timestamp,
  cause: StatusCause,
  /** `manual` only: what was given as reason, and by whom. */
  reason: z.string().optional(),
  by: z.string().optional(),
  /** `remediated` only. */
  remediation_id: z.string().optional(),
});
type StatusChange = z.infer<typeof StatusChange>;

/** A decimal with all digits. */

/** What resources cost in the last 30 whole days of data: one for each currency, those never added together. */
export const MonthlyCosts = z.array(z.looseObject({ currency: z.string(), monthly_cost: Money }));
export type MonthlyCosts = z.infer<typeof MonthlyCosts>;

/** One for each policy and resource, whatever becomes of it. Policy and resource are as when it was last found. */
export const Violation = z.looseObject({
  id: z.string(),
  policy_id: z.string(),
  policy_name: z.string(),
  resource_id: z.string(),
  resource_type: z.string(),
  resource_name: z.string().optional(),
  severity: Severity,
  status: ViolationStatus,
  message: z.string(),
  rules: z.array(FindingRule),
  /** Why its policy could not be decided the last time; all else is from before. Absent once it is decided. */
  undecided: z
    .looseObject({ reason: UndecidedReason, path: z.string().optional(), message: z.string() })
    .optional(),
  /** Why, where a person resolved it; the newest of several reasons. */
  reason: z.string().optional(),
  /** The exemption that covers it, while EXEMPT. */
  exemption_id: z.string().optional(),
  /** The remediation that resolved it. */
  remediation_id: z.string().optional(),
  /** When it was found, for the last time after it had been resolved. */
  detected_at: Timestamp,
  resolved_at: Timestamp.optional(),
  updated_at: Timestamp,
  provider: z.string(),
  account_id: z.string().optional(),
  region: z.string().optional(),
  environment: z.string().optional(),
  tags: z.record(z.string(), z.string()),
  compliance_frameworks: z.array(z.string()),
  /**
   * Changes of status, and further reasons for one that is resolved, the newest last; the oldest go first when there are
   * too many.
   */
  history: z.array(StatusChange),
});
export type Violation = z.infer<typeof Violation>;

/** A violation as answered to who may see costs: `cost:read` or `cost:admin`. */
const AnsweredViolation = Violation.extend({
  /** What its resource cost in the last 30 whole days of data, effective; absent where that is not known. */
  monthly_cost: Money.optional(),
  cost_currency: z.string().optional(),
});
export type AnsweredViolation = z.infer<typeof AnsweredViolation>;

export const violationSortFields = [
  'detected_at',
  'updated_at',
  'resolved_at',
  'id',
  'policy_id',
  'policy_name',
  'resource_id',
  'resource_type',
  'resource_name',
  'severity',
  'status',
  'message',
  'reason',
  'exemption_id',
  'provider',
  'account_id',
  'region',
  'environment',
] as const;

/** Characters of a resource's ID, and of any other value of a filter. */
const longestId = 2_048;
const longestValue = 512;

/** Days since it was found: `<7d`, `7d..30d` with both ends, `>30d`. */
const Age = z
  .string()
  .max(20)
  .refine((text) => readAge(text) !== undefined, 'must be an age such as <7d, 7d..30d or >30d');

/** What a violation says somewhere, in any case: resource, type, policy, message; or how its ID begins (`viol_…`). */
const Text = z.string().min(1).max(256);

/** What a violation may lack, as its resource or its policy does. */
export const lackable = ['account', 'environment', 'region', 'owner', 'framework'] as const;

const fieldOrTag = (fields: readonly string[]) =>
  z
    .string()
    .max(5 + longestValue)
    .refine(
      (text) => /^tag:./s.test(text) || fields.includes(text),
      `must be tag:KEY or one of ${fields.join(', ')}`,
    );

const Lackable = fieldOrTag(lackable);

/** Any of the values of each; all of tags, which are `key` or `key=value`, and all of `without`. */
const filters = {
  status: commaListOf(ViolationStatus).optional(),
  severity: commaListOf(Severity).optional(),
  policy_id: commaList().optional(),
  resource_id: z.string().min(1).max(longestId).optional(),
  resource_type: commaListOf(ResourceType).optional(),
  provider: commaList().optional(),
  account_id: commaList().optional(),
  region: commaList().optional(),
  environment: commaList().optional(),
  framework: commaList().optional(),
  owner: commaList().optional(),
  tag: commaList().optional(),
  without: commaListOf(Lackable).optional(),
  age: Age.optional(),
  text: Text.optional(),
};

const ViolationListQuery = listQuery(violationSortFields, filters);
type ViolationListQuery = z.infer<typeof ViolationListQuery>;

export const violationGroups = [
  'policy',
  'severity',
  'account',
  'environment',
  'region',
  'resource',
  'resource_type',
  'owner',
  'framework',
  'age',
] as const;

/** What a summary groups by: one of `violationGroups`, or the values of a tag. */
const GroupBy = fieldOrTag(violationGroups);

const SummaryQuery = z.strictObject({
  group_by: GroupBy,
  limit: digits(z.int().min(1).max(1_000)).prefault(100),
  ...filters,
  /** Default: those that are open. */
  status: commaListOf(ViolationStatus).prefault('OPEN'),
});
export type SummaryQuery = z.infer<typeof SummaryQuery>;

/** Violations that have one value in common; one with several frameworks is in several groups. */
const ViolationGroup = z.looseObject({
  /** Can be used as the filter's value; null: those that have none, which `without` finds. */
  key: z.string().nullable(),
  /** As it is shown, where that is not the key. */
  label: z.string().optional(),
  critical: z.int(),
  high: z.int(),
  medium: z.int(),
  low: z.int(),
  total: z.int(),
  /** When the one that was found first was found. */
  oldest: Timestamp,
  /** CRITICAL counts for 10, HIGH for 7, MEDIUM for 3, LOW for 1. */
  weighted_risk: z.int(),
  /** What the resources cost, each counted once; for who may see costs, where any is known. */
  monthly_costs: MonthlyCosts.optional(),
});
export type ViolationGroup = z.infer<typeof ViolationGroup>;

const ViolationSummary = z.looseObject({
  group_by: z.string(),
  /** Those of the highest risk first. */
  groups: z.array(ViolationGroup),
  /** Groups in all, with those that `limit` leaves out. */
  groups_total: z.int(),
  /** Violations. */
  total: z.int(),
  /** What all the resources cost, each counted once, in however many groups it is; as in a group. */
  monthly_costs: MonthlyCosts.optional(),
  pending: PendingEvaluation.optional(),
});
export type ViolationSummary = z.infer<typeof ViolationSummary>;

const values = () => z.array(z.string().min(1).max(longestValue)).min(1).max(100);

/** The filters of the list, but for the status, as lists. */
const filterFields = {
  severity: z.array(Severity).min(1).max(4).optional(),
  policy_id: values().optional(),
  resource_id: z.string().min(1).max(longestId).optional(),
  resource_type: z.array(ResourceType).min(1).max(100).optional(),
  provider: values().optional(),
  account_id: values().optional(),
  region: values().optional(),
  environment: values().optional(),
  framework: values().optional(),
  owner: values().optional(),
  tag: values().optional(),
  without: z.array(Lackable).min(1).max(100).optional(),
  age: Age.optional(),
  text: Text.optional(),
};

const isGiven = (filter: object): boolean =>
  Object.values(filter).some((value) => value !== undefined);

/** Open violations that a request is about. */
export const OpenViolationFilter = z
  .strictObject(filterFields)
  .refine(isGiven, { message: 'must have at least one field, such as {"severity": ["CRITICAL"]}' });
export type OpenViolationFilter = z.infer<typeof OpenViolationFilter>;

const ResolveFilter = z
  .strictObject({
    /** Default: those that are open. */
    status: z.array(z.enum(['OPEN', 'EXEMPT'])).min(1).max(2).optional(), // prettier-ignore
    ...filterFields,
  })
  .refine(
    ({ status: _, ...further }) => isGiven(further),
    'must have a field other than status: otherwise it matches every violation',
  );

const Reason = z.string().min(1).max(4_096).regex(/\S/, 'must not be blank');

/** Violations that one request may resolve. */
export const mostResolved = 10_000;

const ResolveMany = z.strictObject({
  filter: ResolveFilter,
  reason: Reason,
  /** Says how many there are, and resolves none. */
  dry_run: z.boolean().default(false),
  /** Where more match, none is resolved. */
  most: z.int().min(1).max(mostResolved).default(1_000),
});
export type ResolveMany = z.infer<typeof ResolveMany>;

const ResolvedMany = z.looseObject({
  matched: z.int(),
  resolved: z.int(),
  dry_run: z.boolean(),
  /** The IDs of the first 100 of those that were resolved, or match. */
  violations: z.array(z.string()),
});
export type ResolvedMany = z.infer<typeof ResolvedMany>;

/** What a list, a summary and a resolution by filter have in common. */
export type ViolationFilter = Pick<ViolationListQuery, keyof typeof filters>;

const noun = nounEndpoints({
  path: '/v1/violations',
  ext: true,
  answer: AnsweredViolation,
  missing: 'violation_not_found',
});

export const violations = {
  list: noun.list({
    summary: 'List violations',
    query: ViolationListQuery,
    rows: { violations: z.array(AnsweredViolation), pending: PendingEvaluation.optional() },
  }),
  summary: endpoint({
    method: 'GET',
    path: '/v1/violations/summary',
    summary: 'Count violations by policy, account, owner and other fields, highest risk first',
    scope: 'governance:read',
    ext: true,
    query: SummaryQuery,
    response: { status: 200, body: ViolationSummary },
    errors: [],
  }),
  resolveMany: endpoint({
    method: 'POST',
    path: '/v1/violations/resolve',
    summary: 'Resolve the violations that match a filter; dry_run only counts them',
    scope: 'compliance:write',
    ext: true,
    body: ResolveMany,
    response: { status: 200, body: ResolvedMany },
    errors: ['invalid_resolution'],
  }),
  get: noun.get({ summary: 'Get a violation with its status history' }),
  resolve: endpoint({
    method: 'POST',
    path: '/v1/violations/:id/resolve',
    summary:
      'Resolve a violation manually, or add a reason to a resolved violation; the violation reopens if the next evaluation still fails',
    scope: 'compliance:write',
    ext: true,
    params: ById,
    body: z.strictObject({ reason: Reason }),
    versioned: true,
    response: { status: 200, body: Violation },
    errors: ['violation_not_found', 'invalid_resolution'],
  }),
};
