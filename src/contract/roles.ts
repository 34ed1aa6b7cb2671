import * as z from 'zod';
import { ScopeSet } from './api-keys.ts';
import { Scope, scopes } from './endpoint.ts';
import { Timestamp, listQuery } from './lists.ts';
import { nounEndpoints } from './noun.ts';

/** Roles that every server has, and that nobody can change. A user may have several. */
export const builtInRoles = {
  viewer: ['governance:read'],
  editor: ['governance:read', 'compliance:write'],
  'cost-viewer': ['governance:read', 'cost:read'],
  auditor: ['governance:read', 'audit:read'],
  admin: ['governance:read', 'compliance:write', 'audit:read', 'admin'],
  owner: scopes,
} as const satisfies Record<string, readonly Scope[]>;
export type BuiltInRole = keyof typeof builtInRoles;

export const isBuiltInRole = (name: string): name is BuiltInRole =>
  Object.hasOwn(builtInRoles, name);

/** The name of a role, which is its ID, too. */
export const RoleName = z
  .string()
  .max(64, { abort: true })
  .regex(
    /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/,
    'must contain only lowercase letters, digits and single hyphens, such as report-maker',
  );

const description = z.string().max(1_024);
const RoleInput = z.strictObject({
  name: RoleName,
  description: description.optional(),
  scopes: ScopeSet,
});
export type RoleInput = z.infer<typeof RoleInput>;

/** A partial update: fields left out stay, null clears. Users who have the role get or lose scopes at once. */
const RoleUpdate = z.strictObject({
  description: description.nullish(),
  scopes: ScopeSet.optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  built_in: z.unknown().optional(),
  created_at: z.unknown().optional(),
  updated_at: z.unknown().optional(),
  created_by: z.unknown().optional(),
});
export type RoleUpdate = z.infer<typeof RoleUpdate>;

/** `id` is the name. Only roles that are not built in have times and a maker. */
const Role = z.looseObject({
  id: RoleName,
  name: RoleName,
  description: z.string().optional(),
  scopes: z.array(Scope),
  built_in: z.boolean(),
  created_at: Timestamp.optional(),
  updated_at: Timestamp.optional(),
  created_by: z.string().optional(),
});
export type Role = z.infer<typeof Role>;

/** Every scalar of a list's items. */
export const roleSortFields = [
  'name',
  'id',
  'description',
  'built_in',
  'created_at',
  'updated_at',
  'created_by',
] as const;

const noun = nounEndpoints({
  path: '/v1/roles',
  ext: true,
  scope: 'admin',
  answer: Role,
  missing: 'role_not_found',
});

export const roles = {
  list: noun.list({
    summary: 'List roles, including built-in ones',
    query: listQuery(roleSortFields, {}),
    rows: { roles: z.array(Role) },
  }),
  create: noun.create({
    summary: 'Create a role from scopes that the caller has',
    body: RoleInput,
    errors: ['invalid_role', 'role_name_taken'],
  }),
  get: noun.get({ summary: 'Get a role' }),
  update: noun.update({
    summary: 'Update the description or the scopes of a role; null removes the description',
    body: RoleUpdate,
    errors: ['invalid_role'],
  }),
  delete: {
    ...noun.delete({ summary: 'Delete a role that no user has' }),
    errors: ['role_not_found', 'precondition_failed', 'role_in_use'],
  } as const,
};
