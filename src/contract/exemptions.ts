import * as z from 'zod';
import { Timestamp, commaList, commaListOf, listQuery } from './lists.ts';
import { nounEndpoints } from './noun.ts';
import { Tags, serverAssigned } from './policies.ts';
import { notBlank } from './text.ts';

export const exemptionCategories = ['waiver', 'mitigated'] as const;
const Category = z.enum(exemptionCategories);

const fields = {
  /** A policy's id, name or key in git. */
  policy: notBlank(256),
  /**
   * With a key: the project whose policy is meant. Default: the project of the tags, if it has such a policy, otherwise
   * the only project with such a policy.
   */
  project: notBlank(128),
  /** Exact IDs, or globs in which `*` matches any characters. */
  resources: z.array(z.string().min(1).max(2_048)).min(1).max(1_000),
  reason: notBlank(4_096),
  owner: notBlank(256),
  /** The last day it counts, UTC. */
  expires: z.iso.date('must be a date such as 2026-12-31'),
  category: Category,
  tags: Tags,
};

export const ExemptionInput = z.strictObject({
  ...fields,
  project: fields.project.optional(),
  category: fields.category.optional(),
  tags: fields.tags.optional(),
});
export type ExemptionInput = z.infer<typeof ExemptionInput>;

/** A partial update: fields that are left out stay, null clears an optional one. */
const ExemptionUpdate = z.strictObject({
  policy: fields.policy.optional(),
  project: fields.project.nullish(),
  resources: fields.resources.optional(),
  reason: fields.reason.optional(),
  owner: fields.owner.optional(),
  expires: fields.expires.optional(),
  category: fields.category.nullish(),
  tags: fields.tags.nullish(),
  ...serverAssigned,
  status: z.unknown().optional(),
  named_by: z.unknown().optional(),
});
export type ExemptionUpdate = z.infer<typeof ExemptionUpdate>;

/** `status` becomes `expired` once the last day is over. */
export const exemptionStatuses = ['active', 'expired'] as const;
const ExemptionStatus = z.enum(exemptionStatuses);

export const AnsweredExemption = z.looseObject({
  id: z.string(),
  policy: z.string(),
  /** What `policy` is. Exemptions of earlier versions do not have it, and apply to every policy with this ID, name or key. */
  named_by: z.enum(['id', 'name', 'key']).optional(),
  /** If `policy` is a key: the project of the policy; absent if it has none. */
  project: z.string().optional(),
  resources: z.array(z.string()),
  reason: z.string(),
  owner: z.string(),
  expires: z.string(),
  category: Category.optional(),
  tags: z.array(z.string()).optional(),
  status: ExemptionStatus,
  created_at: Timestamp,
  updated_at: Timestamp,
  created_by: z.string(),
});
export type AnsweredExemption = z.infer<typeof AnsweredExemption>;

export const exemptionSortFields = [
  'created_at',
  'updated_at',
  'id',
  'policy',
  'reason',
  'owner',
  'expires',
  'category',
  'status',
  'created_by',
] as const;

const ExemptionListQuery = listQuery(exemptionSortFields, {
  policy: z.string().min(1).max(256).optional(),
  owner: commaList().optional(),
  category: commaListOf(Category).optional(),
  /** All of them. */
  tags: commaList().optional(),
  status: commaListOf(ExemptionStatus).optional(),
});
export type ExemptionListQuery = z.infer<typeof ExemptionListQuery>;

const noun = nounEndpoints({
  path: '/v1/exemptions',
  ext: true,
  answer: AnsweredExemption,
  missing: 'exemption_not_found',
});

export const exemptions = {
  list: noun.list({
    summary: 'List exemptions',
    query: ExemptionListQuery,
    rows: { exemptions: z.array(AnsweredExemption) },
  }),
  create: noun.create({
    summary:
      'Exempt resources from a policy until a date; their violations become EXEMPT immediately',
    body: ExemptionInput,
    errors: ['invalid_exemption'],
  }),
  get: noun.get({ summary: 'Get an exemption' }),
  update: noun.update({
    summary: 'Update an exemption',
    body: ExemptionUpdate,
    errors: ['invalid_exemption'],
  }),
  delete: noun.delete({
    summary: 'Delete an exemption; the violations it covered become OPEN again immediately',
  }),
};
