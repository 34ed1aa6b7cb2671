import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import {
  ById,
  Timestamp,
  commaListOf,
  digits,
  listEndpoint,
  listQuery,
  trueOrFalse,
} from './lists.ts';
import { Severity } from './policies.ts';
import { OpenViolationFilter } from './violations.ts';

export const remediationStatuses = [
  'planned',
  'approved',
  'running',
  'completed',
  'failed',
  'cancelled',
  'expired',
] as const;
const RemediationStatus = z.enum(remediationStatuses);
type RemediationStatus = z.infer<typeof RemediationStatus>;

export const approvals = ['none', 'approval', 'four_eyes'] as const;
export type Approval = (typeof approvals)[number];

export const actionStatuses = [
  'planned',
  'attempting',
  'unverified',
  'completed',
  'failed',
  'skipped',
  'cancelled',
] as const;
export const ActionStatus = z.enum(actionStatuses);
export type ActionStatus = z.infer<typeof ActionStatus>;

/** Actions of one remediation. */
export const maxActions = 1_000;
/** Actions that one answer holds. */
export const actionsPerAnswer = 100;

/** One attribute, by its path with dots; a side is absent where the attribute is. */
const Change = z.looseObject({
  path: z.string(),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
});

const Outcome = z.looseObject({
  exit_code: z.int().optional(),
  /** What ended the command, such as SIGKILL. */
  signal: z.string().optional(),
  http_status: z.int().optional(),
  /** The last line that the command wrote to stderr. */
  last_line: z.string().optional(),
  /** Why the command's output was ignored. */
  ignored: z.string().optional(),
});

export const Action = z.looseObject({
  /** Its place in the plan, from 1. */
  n: z.int(),
  violation_id: z.string(),
  policy_id: z.string(),
  policy_name: z.string(),
  severity: Severity,
  resource_id: z.string(),
  resource_type: z.string(),
  provider: z.string(),
  account_id: z.string().optional(),
  environment: z.string().optional(),
  method: z.enum(['patch', 'webhook', 'exec', 'notify']),
  /** What carries it out: `inventory`, `exec:NAME` or `webhook:URL`. */
  executor: z.string().optional(),
  /** Of the command as the configuration has it: another one is not run. */
  command_fingerprint: z.string().optional(),
  /** The state of the resource that it was planned for. */
  base: z.looseObject({ revision: z.int(), sha256: z.string() }).optional(),
  /** What a patch changes. */
  changes: z.array(Change),
  status: ActionStatus,
  /** Of an automatic remediation: the attempt for this violation, from 1. */
  attempt: z.int().min(1).optional(),
  /** Why it was skipped or failed. */
  why: z.string().optional(),
  /** How its command ended, or what the receiver of its request answered. */
  outcome: Outcome.optional(),
  /** Times that its request could not be sent. */
  unsent: z.int().optional(),
  /** The resource as it was is stored. */
  before_image: z.boolean(),
  attempted_at: Timestamp.optional(),
  /** When the resource was seen again after the attempt. */
  observed_at: Timestamp.optional(),
  ended_at: Timestamp.optional(),
});
export type Action = z.infer<typeof Action>;

const count = z.int().min(0);

export const Remediation = z.looseObject({
  id: z.string(),
  status: RemediationStatus,
  /** Made by the server itself, as the policy has auto_remediation. Absent: no. */
  automatic: z.boolean().optional(),
  /** A plan to look at, which is never carried out. */
  dry_run: z.boolean(),
  /** The guards that keep it from being carried out. */
  why_not: z.array(z.string()),
  /** SHA-256 over what is to be done, in lower-case hex. */
  digest: z.string(),
  /** What the planned actions reach; `percent` is of the type that it reaches most of. */
  blast: z.looseObject({
    resources: count,
    accounts: count,
    environments: count,
    percent: z.number(),
  }),
  counts: z.looseObject(
    Object.fromEntries(actionStatuses.map((status) => [status, count])) as Record<
      ActionStatus,
      typeof count
    >,
  ),
  note: z.string().optional(),
  /** The remediation whose changes it takes back. */
  rolls_back: z.string().optional(),
  /** The recommendation of a smaller size that it follows; its actions have this in the place of violation and policy. */
  rightsizing: z.string().optional(),
  requested_by: z.string(),
  /** Who is behind that: the `made_by` of the key. Absent: not known. */
  made_by: z.string().optional(),
  /** Absent: none. */
  requires_approval: z.enum(approvals).optional(),
  approved_by: z.string().optional(),
  approved_at: Timestamp.optional(),
  cancelled_by: z.string().optional(),
  /** Why it was cancelled. */
  reason: z.string().optional(),
  /** A plan that nobody has begun by then expires. */
  expires_at: Timestamp,
  created_at: Timestamp,
  updated_at: Timestamp,
  started_at: Timestamp.optional(),
  ended_at: Timestamp.optional(),
});
export type Remediation = z.infer<typeof Remediation>;

export const RemediationWithActions = Remediation.extend({
  /** At most 100; `actions_offset` reads on. */
  actions: z.array(Action),
});
export type RemediationWithActions = z.infer<typeof RemediationWithActions>;

const word = z.string().min(1).max(256);

const selectors = ['violation_ids', 'policy_id', 'framework', 'filter'] as const;

/** What every plan takes beside what it is about. */
const planOptions = {
  dry_run: z.boolean().default(true),
  note: z.string().max(1_024).optional(),
  /** Refuse if the plan would be another than the one with this digest. */
  expected_digest: z.string().max(64).optional(),
};

const RollbackInput = z.strictObject(planOptions);
export type RollbackInput = z.infer<typeof RollbackInput>;

const RemediationInput = z
  .strictObject({
    ...planOptions,
    violation_ids: z.array(z.string().min(1).max(64)).min(1).max(maxActions).optional(),
    /** The ID or the name of a policy. */
    policy_id: word.optional(),
    /** `SOC2`, or a control of it: `SOC2:CC6.1`. */
    framework: word.optional(),
    filter: OpenViolationFilter.optional(),
  })
  .refine((given) => selectors.filter((name) => given[name] !== undefined).length === 1, {
    message: `must have exactly one of ${selectors.join(', ')}`,
  });
export type RemediationInput = z.infer<typeof RemediationInput>;

export const remediationSortFields = [
  'created_at',
  'updated_at',
  'expires_at',
  'id',
  'status',
] as const;

const RemediationListQuery = listQuery(remediationSortFields, {
  status: commaListOf(RemediationStatus).optional(),
  automatic: trueOrFalse().optional(),
});
export type RemediationListQuery = z.infer<typeof RemediationListQuery>;

const path = '/v1/compliance/remediate';
const one = { path: `${path}/:id`, params: ById, ext: true } as const;

export const remediations = {
  create: endpoint({
    method: 'POST',
    path,
    summary: 'Plan a remediation of open violations and, unless dry_run is true, run it',
    scope: 'compliance:write',
    body: RemediationInput,
    response: { status: 202, body: RemediationWithActions },
    errors: [
      'invalid_remediation',
      'violation_not_found',
      'policy_not_found',
      'remediation_state',
      'remediation_guard',
      'remediator_not_configured',
    ],
  }),
  list: listEndpoint({
    path,
    summary: 'List remediations',
    ext: true,
    query: RemediationListQuery,
    rows: { remediations: z.array(Remediation) },
  }),
  get: endpoint({
    ...one,
    method: 'GET',
    summary: 'Get a remediation with its actions',
    scope: 'governance:read',
    query: z.strictObject({ actions_offset: digits(z.int().min(0).max(maxActions)).prefault(0) }),
    versioned: true,
    response: { status: 200, body: RemediationWithActions },
    errors: ['remediation_not_found'],
  }),
  cancel: endpoint({
    ...one,
    method: 'POST',
    path: `${path}/:id/cancel`,
    summary: 'Cancel a remediation; the running action finishes, and no other action starts',
    scope: 'compliance:write',
    body: z.strictObject({ reason: z.string().min(1).max(1_024).optional() }),
    response: { status: 200, body: RemediationWithActions },
    errors: ['remediation_not_found', 'remediation_state'],
  }),
  approve: endpoint({
    ...one,
    method: 'POST',
    path: `${path}/:id/approve`,
    summary: 'Approve and run a remediation that is waiting for approval',
    scope: 'compliance:write',
    body: z.strictObject({
      /** Of the plan that was reviewed. */
      digest: z.string().max(64),
    }),
    response: { status: 200, body: RemediationWithActions },
    errors: ['remediation_not_found', 'remediation_state', 'remediation_guard', 'approval_refused'],
  }),
  rollback: endpoint({
    ...one,
    method: 'POST',
    path: `${path}/:id/rollback`,
    summary: 'Plan the rollback of a remediation and, unless dry_run is true, run it',
    scope: 'compliance:write',
    body: RollbackInput,
    response: { status: 202, body: RemediationWithActions },
    errors: [
      'remediation_not_found',
      'remediation_state',
      'invalid_remediation',
      'remediation_guard',
      'remediator_not_configured',
    ],
  }),
};
