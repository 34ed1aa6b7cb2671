import * as z from 'zod';
import { AnsweredSource } from './apply-source.ts';
import { Timestamp, commaList, commaListOf, listQuery, trueOrFalse } from './lists.ts';
import { nounEndpoints } from './noun.ts';
import { notBlank } from './text.ts';
import { inThrees } from './in-threes.ts';

export const severities = ['LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const;
export const Severity = z.enum(severities);
export type Severity = z.infer<typeof Severity>;

export const Effect = z.enum(['ALLOW', 'DENY']);

/** Characters; an expression longer than this is refused before it is parsed. */
export const maxConditionLength = 65_536;

/** Characters of all conditions of a policy together: what compiling them takes is in proportion. */
export const maxConditionsLength = 65_536;

/** The same of all policies in one request's body. */
export const maxConditionsLengthOfBody = 131_072;

export const Rule = z.strictObject({
  condition: z.string().min(1).max(maxConditionLength),
  effect: Effect,
  message: z.string().max(4_096).optional(),
});
export type Rule = z.infer<typeof Rule>;

/** Characters of all messages of a policy together: each of its violations may hold them all. */
const maxMessagesLength = 65_536;

const lengthOfMessages = (rules: readonly Rule[]): number =>
  rules.reduce((sum, { message = '' }) => sum + message.length, 0);

/** Characters of a resource's type. */
export const maxResourceType = 256;

/** `<provider>::<service>::<type>`, more parts allowed, `Custom::Name` too; no wildcards. */
export const ResourceType = z
  .string()
  .max(maxResourceType, { abort: true })
  .regex(
    /^[A-Za-z0-9._\-/]+(::[A-Za-z0-9._\-/]+)+$/,
    'must look like <provider>::<service>::<type>, such as AWS::S3::Bucket; letters, digits, . _ - / in each part, no wildcards',
  );

/** Two parts are a provider and a service, so that a policy about them would never be about a resource. */
const isServiceOnly = (type: string): boolean => /^(aws|azure|gcp)::[^:*]+$/i.test(type);

/** What a policy is about: a type, or a pattern with `*` for whole parts, a final one for one part or more. */
export const PolicyType = z
  .string()
  .max(256, { abort: true })
  .regex(
    /^(\*|([A-Za-z0-9._\-/]+|\*)(::([A-Za-z0-9._\-/]+|\*))+)$/,
    'must look like <provider>::<service>::<type>, such as AWS::S3::Bucket, or a pattern, such as AWS::S3::* or *; letters, digits, . _ - / in each part, or * alone',
  )
  .refine((type) => !isServiceOnly(type), {
    message:
      'must have three parts or more, such as AWS::S3::Bucket; use a pattern, such as AWS::S3::*, for all types of a service',
  });

const text = (max: number) => z.string().max(max);
const label = z.string().min(1).max(256);

/** No commas, as a list's filter joins tags by them, and no outer spaces, as it drops those. */
const Tag = z
  .string()
  .min(1, { abort: true })
  .max(256, { abort: true })
  .regex(/^[^\s,]([^,]*[^\s,])?$/, 'must not contain commas, or begin or end with a space');
export const Tags = z.array(Tag).max(500);

const fields = {
  name: notBlank(256),
  description: text(16_384),
  resource_type: PolicyType,
  severity: Severity,
  enabled: z.boolean(),
  rules: z
    .array(Rule)
    .min(1, 'must have at least one rule')
    .max(500)
    .refine((rules) => lengthOfMessages(rules) <= maxMessagesLength, {
      message: `exceed the limit of ${inThrees(maxMessagesLength)} characters in all messages together`,
    }),
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
  applied: z.unknown().optional(),
  quarantined: z.unknown().optional(),
  remediation_problem: z.unknown().optional(),
});
export type PolicyUpdate = z.infer<typeof PolicyUpdate>;

/** A policy that is not evaluated until it changes, as it costs too much. */
const Quarantine = z.looseObject({
  since: Timestamp,
  /** Resources that it was over its budget on, and one of them. */
  resources: z.int(),
  example: z.string(),
  reason: z.string(),
});

/** What keeps auto_remediation from working. */
const RemediationProblem = z.looseObject({
  since: Timestamp,
  reason: z.string(),
  /** No more automatic remediations until its rules, type, remediation_action or auto_remediation change. */
  stopped: z.boolean(),
  /** The remediation that failed. */
  remediation_id: z.string().optional(),
});

/** The last apply from git that changed a policy. */
const Applied = AnsweredSource.extend({
  at: Timestamp,
  /** ID of a user. */
  by: z.string(),
});
export type Applied = z.infer<typeof Applied>;

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
  applied: Applied.optional(),
  quarantined: Quarantine.optional(),
  remediation_problem: RemediationProblem.optional(),
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

export const PolicyListQuery = listQuery(policySortFields, {
  resource_type: commaList().optional(),
  severity: commaListOf(Severity).optional(),
  enabled: trueOrFalse().optional(),
  tags: commaList().optional(),
});
export type PolicyListQuery = z.infer<typeof PolicyListQuery>;

const noun = nounEndpoints({
  path: '/v1/policies',
  answer: Policy,
  missing: 'policy_not_found',
});

export const policies = {
  list: noun.list({
    summary: 'List policies',
    query: PolicyListQuery,
    rows: { policies: z.array(Policy) },
  }),
  create: noun.create({
    summary: 'Create a policy',
    body: PolicyInput,
    errors: ['invalid_policy', 'policy_condition_invalid', 'policy_name_taken'],
  }),
  get: noun.get({ summary: 'Get a policy' }),
  update: noun.update({
    summary: 'Update a policy; null clears an optional field',
    body: PolicyUpdate,
    errors: ['invalid_policy', 'policy_condition_invalid', 'policy_name_taken'],
  }),
  delete: noun.delete({ summary: 'Delete a policy permanently' }),
};
