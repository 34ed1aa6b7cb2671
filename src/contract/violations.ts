import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { FindingRule, UndecidedReason } from './findings.ts';
import { ById, Timestamp, commaList, commaListOf, listQuery } from './lists.ts';
import { nounEndpoints } from './noun.ts';
import { Severity } from './policies.ts';

export const violationStatuses = ['OPEN', 'EXEMPT', 'RESOLVED'] as const;
export const ViolationStatus = z.enum(violationStatuses);
export type ViolationStatus = z.infer<typeof ViolationStatus>;

/** Why a violation has the status it has. `manual` comes with what the person wrote. */
const statusCauses = [
  'fails',
  'exempted',
  'exemption_ended',
  'passes',
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
});
type StatusChange = z.infer<typeof StatusChange>;

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
  /** Why, where a person resolved it. */
  reason: z.string().optional(),
  /** The exemption that covers it, while EXEMPT. */
  exemption_id: z.string().optional(),
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
  /** Changes of status, the newest last; the oldest go first when there are too many. */
  history: z.array(StatusChange),
});
export type Violation = z.infer<typeof Violation>;

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

const ViolationListQuery = listQuery(violationSortFields, {
  status: commaListOf(ViolationStatus).optional(),
  severity: commaListOf(Severity).optional(),
  policy_id: commaList().optional(),
  resource_id: z.string().min(1).max(2_048).optional(),
  resource_type: commaList().optional(),
  provider: commaList().optional(),
  account_id: commaList().optional(),
  region: commaList().optional(),
  environment: commaList().optional(),
});
export type ViolationListQuery = z.infer<typeof ViolationListQuery>;

const noun = nounEndpoints({
  path: '/v1/violations',
  ext: true,
  answer: Violation,
  missing: 'violation_not_found',
});

export const violations = {
  list: noun.list({
    summary: 'List violations',
    query: ViolationListQuery,
    rows: { violations: z.array(Violation) },
  }),
  get: noun.get({ summary: 'Read a violation with the history of its status' }),
  resolve: endpoint({
    method: 'POST',
    path: '/v1/violations/:id/resolve',
    summary: 'Resolve a violation by hand; it is opened again when the next evaluation still fails',
    scope: 'compliance:write',
    ext: true,
    params: ById,
    body: z.strictObject({ reason: z.string().min(1).max(4_096).regex(/\S/, 'must not be blank') }),
    versioned: true,
    response: { status: 200, body: Violation },
    errors: ['violation_not_found', 'invalid_resolution'],
  }),
};
