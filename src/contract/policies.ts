import * as z from 'zod';
import { endpoint } from './endpoint.ts';
import {
  ById,
  Pagination,
  Timestamp,
  commaList,
  listQuery,
  offsetOrCursor,
  offsetOrCursorMessage,
} from './lists.ts';

export const severities = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const;
export const Severity = z.enum(severities);
export type Severity = z.infer<typeof Severity>;

export const Effect = z.enum(['ALLOW', 'DENY']);

/** Characters; an expression longer than this is refused before it is parsed. */
export const maxConditionLength = 65_536;

export const Rule = z.strictObject({
  condition: z.string().min(1).max(maxConditionLength),
  effect: Effect,
  message: z.string().max(4_096).optional(),
});
export type Rule = z.infer<typeof Rule>;

/** `<provider>::<service>::<type>`, more parts allowed, `Custom::Name` too; no wildcards. */
export const ResourceType = z
  .string()
  .max(256, { abort: true })
  .regex(
    /^[A-Za-z0-9._\-/]+(::[A-Za-z0-9._\-/]+)+$/,
    'must look like <provider>::<service>::<type>, such as AWS::S3::Bucket; letters, digits, . _ - / in each part, no wildcards',
  );

const text = (max: number) => z.string().max(max);
const label = z.string().min(1).max(256);

/** No commas, as a list's filter joins tags by them, and no outer spaces, as it drops those. */
const Tag = z
  .string()
  .min(1, { abort: true })
  .max(256, { abort: true })
  .regex(/^[^\s,]([^,]*[^\s,])?$/, 'must have no comma in it and no space around it');
export const Tags = z.array(Tag).max(500);

const fields = {
  name: z
    .string()
    .min(1, { abort: true })
    .max(256, { abort: true })
    .regex(/\S/, 'must not be blank'),
  description: text(16_384),
  resource_type: ResourceType,
  severity: Severity,
  enabled: z.boolean(),
  rules: z.array(Rule).min(1, 'must have at least one rule').max(500),
  compliance_frameworks: z.array(label).max(500),
  auto_remediation: z.boolean(),
  remediation_action: text(16_384),
  tags: Tags,
};

export const PolicyInput = z.strictObject({
  name: fields.name,
  description: fields.description.optional(),
  resource_type: fields.resource_type,
  severity: fields.severity.optional(),
  enabled: fields.enabled.default(true),
  rules: fields.rules,
  compliance_frameworks: fields.compliance_frameworks.optional(),
  auto_remediation: fields.auto_remediation.optional(),
  remediation_action: fields.remediation_action.optional(),
  tags: fields.tags.optional(),
});
export type PolicyInput = z.infer<typeof PolicyInput>;

/** Assigned by the server; accepted and ignored in a PUT so that what GET returned can be sent back. */
export const serverAssigned = {
  id: z.string().optional(),
  created_at: z.unknown().optional(),
  updated_at: z.unknown().optional(),
  created_by: z.unknown().optional(),
};

/** The fields that a client decides, in the order that answers and files have them. */
export const policyFields = [
  'name',
  'description',
  'resource_type',
  'severity',
  'enabled',
  'rules',
  'compliance_frameworks',
  'auto_remediation',
  'remediation_action',
  'tags',
] as const satisfies (keyof PolicyInput)[];

/** A partial update: fields left out stay, null clears an optional one. */
export const PolicyUpdate = z.strictObject({
  name: fields.name.optional(),
  description: fields.description.nullish(),
  resource_type: fields.resource_type.optional(),
  severity: fields.severity.nullish(),
  enabled: fields.enabled.nullish(),
  rules: fields.rules.optional(),
  compliance_frameworks: fields.compliance_frameworks.nullish(),
  auto_remediation: fields.auto_remediation.nullish(),
  remediation_action: fields.remediation_action.nullish(),
  tags: fields.tags.nullish(),
  ...serverAssigned,
});
export type PolicyUpdate = z.infer<typeof PolicyUpdate>;

/** As answered. Loose: a newer or another server may say more. */
export const Policy = z.looseObject({
  id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  resource_type: z.string(),
  severity: Severity.optional(),
  enabled: z.boolean().optional(),
  rules: z.array(
    z.looseObject({ condition: z.string(), effect: Effect, message: z.string().optional() }),
  ),
  compliance_frameworks: z.array(z.string()).optional(),
  auto_remediation: z.boolean().optional(),
  remediation_action: z.string().optional(),
  tags: z.array(z.string()).optional(),
  created_at: Timestamp.optional(),
  updated_at: Timestamp.optional(),
  created_by: z.string().optional(),
});
export type Policy = z.infer<typeof Policy>;

export const policySortFields = [
  'created_at',
  'updated_at',
  'id',
  'name',
  'description',
  'resource_type',
  'severity',
  'enabled',
  'auto_remediation',
  'remediation_action',
  'created_by',
] as const;

export const PolicyListQuery = z
  .strictObject({
    ...listQuery(20),
    sort_by: z.enum(policySortFields).default('created_at'),
    resource_type: commaList().optional(),
    severity: commaList().pipe(z.array(Severity)).optional(),
    enabled: z
      .enum(['true', 'false'])
      .transform((text) => text === 'true')
      .optional(),
    tags: commaList().optional(),
  })
  .refine(offsetOrCursor, offsetOrCursorMessage);
export type PolicyListQuery = z.infer<typeof PolicyListQuery>;

const PolicyList = z.looseObject({ policies: z.array(Policy), pagination: Pagination });

export const policies = {
  list: endpoint({
    method: 'GET',
    path: '/v1/policies',
    summary: 'List policies',
    scope: 'governance:read',
    query: PolicyListQuery,
    response: { status: 200, body: PolicyList },
    errors: [],
  }),
  create: endpoint({
    method: 'POST',
    path: '/v1/policies',
    summary: 'Create a policy',
    scope: 'compliance:write',
    body: PolicyInput,
    versioned: true,
    response: { status: 201, body: Policy },
    errors: ['invalid_policy', 'policy_condition_invalid', 'policy_name_taken'],
  }),
  get: endpoint({
    method: 'GET',
    path: '/v1/policies/:id',
    summary: 'Read a policy',
    scope: 'governance:read',
    params: ById,
    versioned: true,
    response: { status: 200, body: Policy },
    errors: ['policy_not_found'],
  }),
  update: endpoint({
    method: 'PUT',
    path: '/v1/policies/:id',
    summary: 'Change some fields of a policy; null clears an optional one',
    scope: 'compliance:write',
    params: ById,
    body: PolicyUpdate,
    versioned: true,
    response: { status: 200, body: Policy },
    errors: [
      'policy_not_found',
      'invalid_policy',
      'policy_condition_invalid',
      'policy_name_taken',
      'precondition_failed',
    ],
  }),
  delete: endpoint({
    method: 'DELETE',
    path: '/v1/policies/:id',
    summary: 'Remove a policy for good',
    scope: 'compliance:write',
    params: ById,
    versioned: true,
    response: { status: 204 },
    errors: ['policy_not_found', 'precondition_failed'],
  }),
};
