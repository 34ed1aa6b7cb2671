import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import { Pagination, Timestamp, commaListOf, digits, listQuery, trueOrFalse } from './lists.ts';
import { nounEndpoints } from './noun.ts';
import { PendingEvaluation } from './pending-evaluation.ts';
import { Severity, Tags, serverAssigned } from './policies.ts';
import { notBlank } from './text.ts';

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
  /** A user has imported texts for a built-in framework, see `PUT /v1/compliance/frameworks/:id`. */
  has_texts: z.boolean().optional(),
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
  description: z.string().optional(),
  parent: z.string().optional(),
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

const FrameworkWithControls = Framework.extend({
  pending: PendingEvaluation.optional(),
  controls: z.array(Control),
});
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

/** How many controls a framework may have. */
export const mostControls = 5_000;

const controlId = notBlank(64);

/** A control as a user defines it: of a custom framework, or texts for one of a built-in framework. */
export const DefinedControl = z.strictObject({
  id: controlId,
  title: notBlank(512),
  description: z.string().max(16_384).optional(),
  /** The ID of the control that it is part of. */
  parent: controlId.optional(),
});
export type DefinedControl = z.infer<typeof DefinedControl>;

const definition = {
  name: notBlank(256),
  version: notBlank(256),
  tags: Tags,
  controls: z.array(DefinedControl).min(1, 'must have at least one control').max(mostControls),
};

const { created_at, updated_at, created_by } = serverAssigned;

/** The whole definition: an omitted field has no value. */
export const FrameworkInput = z.strictObject({
  ...definition,
  version: definition.version.nullish(),
  tags: definition.tags.nullish(),
  /** Omitted, or the same as in the path. */
  id: z.string().optional(),
  ...{ created_at, updated_at, created_by },
  built_in: z.unknown().optional(),
});
export type FrameworkInput = z.infer<typeof FrameworkInput>;

/** How labels name a framework, and its path: lower case. */
export const FrameworkId = z
  .string()
  .max(64, { abort: true })
  .regex(
    /^[a-z0-9]+(?:[-._][a-z0-9]+)*$/,
    'must contain only lowercase letters and digits, optionally separated by . _ or -, such as cis-aws',
  );

/** A framework as a user has defined it: a custom one, or texts for a built-in one. */
export const FrameworkDefinition = z.looseObject({
  id: z.string(),
  name: z.string(),
  version: z.string().optional(),
  tags: z.array(z.string()).optional(),
  built_in: z.boolean(),
  controls: z.array(
    z.looseObject({
      id: z.string(),
      title: z.string(),
      description: z.string().optional(),
      parent: z.string().optional(),
    }),
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
  created_by: z.string(),
});
export type FrameworkDefinition = z.infer<typeof FrameworkDefinition>;

const definitions = nounEndpoints({
  path: '/v1/compliance/framework-definitions',
  ext: true,
  answer: FrameworkDefinition,
  missing: 'framework_not_found',
});

/** Definitions as they were sent; `frameworks` has the status. */
export const frameworkDefinitions = {
  list: definitions.list({
    summary: 'List the definitions of custom frameworks and the texts imported for built-in ones',
    query: listQuery(['created_at', 'updated_at', 'id', 'name'], {}),
    rows: { frameworks: z.array(FrameworkDefinition) },
  }),
  get: definitions.get({ summary: 'Get the definition of a framework' }),
};

export const frameworks = {
  list: endpoint({
    method: 'GET',
    path,
    summary: 'List compliance frameworks with their current status',
    scope: 'governance:read',
    query: FrameworkListQuery,
    response: {
      status: 200,
      body: z.looseObject({
        frameworks: z.array(Framework),
        pending: PendingEvaluation.optional(),
        pagination: Pagination,
      }),
    },
    errors: [],
  }),
  get: endpoint({
    method: 'GET',
    path: `${path}/:id`,
    summary: 'Get a framework with its controls, their status and the policies mapped to them',
    scope: 'governance:read',
    ext: true,
    params: z.strictObject({ id: z.string() }),
    query: FrameworkQuery,
    response: { status: 200, body: FrameworkWithControls },
    errors: ['framework_not_found', 'control_not_found'],
  }),
  put: endpoint({
    method: 'PUT',
    path: `${path}/:id`,
    summary:
      'Create a custom framework (201) or replace its definition; for a built-in framework, import texts for its controls',
    scope: 'compliance:write',
    ext: true,
    params: z.strictObject({ id: z.string() }),
    body: FrameworkInput,
    versioned: true,
    creates: true,
    response: { status: 200, body: FrameworkDefinition },
    errors: ['invalid_framework', 'precondition_failed'],
  }),
  delete: endpoint({
    method: 'DELETE',
    path: `${path}/:id`,
    summary: 'Delete a custom framework, or the texts imported for a built-in one',
    scope: 'compliance:write',
    ext: true,
    params: z.strictObject({ id: z.string() }),
    versioned: true,
    response: { status: 204 },
    errors: ['framework_not_found', 'framework_built_in', 'precondition_failed'],
  }),
};
