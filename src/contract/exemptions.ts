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
import { serverAssigned } from './policies.ts';

export const exemptionCategories = ['waiver', 'mitigated'] as const;
const Category = z.enum(exemptionCategories);

const text = (max: number) =>
  z.string().min(1, { abort: true }).max(max, { abort: true }).regex(/\S/, 'must not be blank');

const fields = {
  /** A policy's id, name or key in git. */
  policy: text(256),
  /** Exact ids, or globs in which `*` stands for any run of characters. */
  resources: z.array(z.string().min(1).max(2_048)).min(1).max(1_000),
  reason: text(4_096),
  owner: text(256),
  /** The last day it counts, UTC. */
  expires: z.iso.date('must be a date such as 2026-12-31'),
  category: Category,
};

export const ExemptionInput = z.strictObject({ ...fields, category: fields.category.optional() });
export type ExemptionInput = z.infer<typeof ExemptionInput>;

/** A partial update: fields left out stay, null clears the optional one. */
const ExemptionUpdate = z.strictObject({
  policy: fields.policy.optional(),
  resources: fields.resources.optional(),
  reason: fields.reason.optional(),
  owner: fields.owner.optional(),
  expires: fields.expires.optional(),
  category: fields.category.nullish(),
  ...serverAssigned,
  status: z.unknown().optional(),
});
export type ExemptionUpdate = z.infer<typeof ExemptionUpdate>;

/** `status` is `expired` once its last day is over. */
export const exemptionStatuses = ['active', 'expired'] as const;
const ExemptionStatus = z.enum(exemptionStatuses);

export const AnsweredExemption = z.looseObject({
  id: z.string(),
  policy: z.string(),
  resources: z.array(z.string()),
  reason: z.string(),
  owner: z.string(),
  expires: z.string(),
  category: Category.optional(),
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

const ExemptionListQuery = z
  .strictObject({
    ...listQuery(20),
    sort_by: z.enum(exemptionSortFields).default('created_at'),
    policy: z.string().min(1).max(256).optional(),
    owner: commaList().optional(),
    category: commaList().pipe(z.array(Category)).optional(),
    status: commaList().pipe(z.array(ExemptionStatus)).optional(),
  })
  .refine(offsetOrCursor, offsetOrCursorMessage);
export type ExemptionListQuery = z.infer<typeof ExemptionListQuery>;

export const exemptions = {
  list: endpoint({
    method: 'GET',
    path: '/v1/exemptions',
    summary: 'List exemptions',
    scope: 'governance:read',
    ext: true,
    query: ExemptionListQuery,
    response: {
      status: 200,
      body: z.looseObject({ exemptions: z.array(AnsweredExemption), pagination: Pagination }),
    },
    errors: [],
  }),
  create: endpoint({
    method: 'POST',
    path: '/v1/exemptions',
    summary: 'Exempt resources from a policy until a date; their violations become EXEMPT at once',
    scope: 'compliance:write',
    ext: true,
    body: ExemptionInput,
    versioned: true,
    response: { status: 201, body: AnsweredExemption },
    errors: ['invalid_exemption'],
  }),
  get: endpoint({
    method: 'GET',
    path: '/v1/exemptions/:id',
    summary: 'Read an exemption',
    scope: 'governance:read',
    ext: true,
    params: ById,
    versioned: true,
    response: { status: 200, body: AnsweredExemption },
    errors: ['exemption_not_found'],
  }),
  update: endpoint({
    method: 'PUT',
    path: '/v1/exemptions/:id',
    summary: 'Change some fields of an exemption',
    scope: 'compliance:write',
    ext: true,
    params: ById,
    body: ExemptionUpdate,
    versioned: true,
    response: { status: 200, body: AnsweredExemption },
    errors: ['exemption_not_found', 'invalid_exemption', 'precondition_failed'],
  }),
  delete: endpoint({
    method: 'DELETE',
    path: '/v1/exemptions/:id',
    summary: 'End an exemption; what it covered is OPEN again at once',
    scope: 'compliance:write',
    ext: true,
    params: ById,
    versioned: true,
    response: { status: 204 },
    errors: ['exemption_not_found', 'precondition_failed'],
  }),
};
