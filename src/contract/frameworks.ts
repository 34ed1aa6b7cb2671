import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { Pagination, commaListOf, digits, trueOrFalse } from './lists.ts';
import { Severity } from './policies.ts';

/**
 * `not_evaluated`: no policy is mapped to it, or nothing was evaluated yet, which is never a pass. `manual`: a person
 * attached evidence that has not expired.
 */
export const controlStatuses = ['PASSED', 'FAILED', 'ERROR', 'not_evaluated', 'manual'] as const;
const ControlStatus = z.enum(controlStatuses);
export type ControlStatus = z.infer<typeof ControlStatus>;

const FrameworkStatus = z.enum(['COMPLIANT', 'NON_COMPLIANT', 'not_evaluated']);
type FrameworkStatus = z.infer<typeof FrameworkStatus>;

const ControlCounts = z.looseObject({
  total: z.int(),
  with_policies: z.int(),
  passed: z.int(),
  failed: z.int(),
  error: z.int(),
  manual: z.int(),
  not_evaluated: z.int(),
});
export type ControlCounts = z.infer<typeof ControlCounts>;

const score = z.number().nullable();

/** A framework as it stands now, by the latest outcomes of the enabled policies that are mapped to it. */
export const Framework = z.looseObject({
  id: z.string(),
  name: z.string(),
  version: z.string().optional(),
  built_in: z.boolean(),
  status: FrameworkStatus,
  /** From 0 to 100, by the severity of policies; null where nothing was evaluated. */
  compliance_score: score,
  /** Controls that are PASSED, and those that are PASSED, FAILED or ERROR. */
  controls_passed: z.int(),
  controls_with_data: z.int(),
  control_counts: ControlCounts,
  /** Enabled policies that are mapped to the framework, with a control or without one. */
  policies: z.int(),
  /** Resources times policies. */
  evaluated: z.int(),
  errors: z.int(),
});
export type Framework = z.infer<typeof Framework>;

/** An enabled policy that is mapped to a control, and its latest outcomes. */
const ControlPolicy = z.looseObject({
  id: z.string(),
  name: z.string(),
  severity: Severity,
  evaluated: z.int(),
  pass: z.int(),
  fail: z.int(),
  error: z.int(),
  exempt: z.int(),
  /** Open violations. */
  open: z.int(),
  /** It has changed, and its evaluation has not ended yet. */
  pending: z.boolean(),
});
export type ControlPolicy = z.infer<typeof ControlPolicy>;

const Control = z.looseObject({
  id: z.string(),
  title: z.string().optional(),
  status: ControlStatus,
  compliance_score: score,
  open_violations: z.int(),
  /** How many policies are mapped to it. */
  policy_count: z.int(),
  /** Those that are worst off first; not all of them where there are very many. */
  policies: z.array(ControlPolicy),
  /** The evidence that a person attached. */
  manual: z.looseObject({ evidence_id: z.string(), expires: z.string() }).optional(),
});
export type Control = z.infer<typeof Control>;

const FrameworkWithControls = Framework.extend({ controls: z.array(Control) });
export type FrameworkWithControls = z.infer<typeof FrameworkWithControls>;

const account = z.string().min(1).max(256).optional();

export const frameworkSortFields = ['name', 'id', 'compliance_score'] as const;

const FrameworkListQuery = z.strictObject({
  limit: digits(z.int().min(1).max(100)).prefault(20),
  offset: digits(z.int().min(0)).optional(),
  sort_by: z.enum(frameworkSortFields).default('name'),
  order: z.enum(['asc', 'desc']).default('asc'),
  /** Only what is in this account. */
  account_id: account,
});

const FrameworkQuery = z.strictObject({
  account_id: account,
  /** Only these controls. */
  control: z.string().min(1).max(256).optional(),
  status: commaListOf(ControlStatus).optional(),
  with_policies: trueOrFalse().optional(),
});
type FrameworkQuery = z.infer<typeof FrameworkQuery>;

const path = '/v1/compliance/frameworks';

export const frameworks = {
  list: endpoint({
    method: 'GET',
    path,
    summary: 'List compliance frameworks with their current status',
    scope: 'governance:read',
    query: FrameworkListQuery,
    response: {
      status: 200,
      body: z.looseObject({ frameworks: z.array(Framework), pagination: Pagination }),
    },
    errors: [],
  }),
  get: endpoint({
    method: 'GET',
    path: `${path}/:id`,
    summary: 'Read a framework with its controls, their status and the policies mapped to them',
    scope: 'governance:read',
    ext: true,
    params: z.strictObject({ id: z.string() }),
    query: FrameworkQuery,
    response: { status: 200, body: FrameworkWithControls },
    errors: ['framework_not_found', 'control_not_found'],
  }),
};
