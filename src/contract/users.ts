import * as z from 'zod';
import { Scope, endpoint } from './endpoint.ts';
import { ById, Timestamp, commaListOf, listQuery } from './lists.ts';
import { nounEndpoints } from './noun.ts';
import { RoleName } from './roles.ts';
import { oneLine } from './text.ts';

export const userStatuses = ['invited', 'active', 'disabled'] as const;
const UserStatus = z.enum(userStatuses);
export type UserStatus = z.infer<typeof UserStatus>;

/** Lower-case from here on. */
export const Email = z
  .string()
  .max(254, { abort: true })
  // Before the case is changed: some letters beyond ASCII become ASCII by it.
  .refine((text) => /^[\x20-\x7e]*$/.test(text), {
    error: 'must be an email address, such as ann@example.com',
    abort: true,
  })
  .transform((text) => text.toLowerCase())
  .pipe(z.email('must be an email address, such as ann@example.com'));

const Roles = z
  .array(RoleName)
  .min(1, 'must include at least one role')
  .max(16)
  .transform((names) => [...new Set(names)]);

const UserInput = z.strictObject({ email: Email, name: oneLine(256).optional(), roles: Roles });
export type UserInput = z.infer<typeof UserInput>;

/** A partial update: fields left out stay, null removes the name. `email` may be sent back, but not changed. */
const UserUpdate = z.strictObject({
  name: oneLine(256).nullish(),
  roles: Roles.optional(),
  disabled: z.boolean().optional(),
  id: z.string().optional(),
  email: Email.optional(),
  scopes: z.unknown().optional(),
  status: z.unknown().optional(),
  second_factor: z.unknown().optional(),
  created_at: z.unknown().optional(),
  updated_at: z.unknown().optional(),
  created_by: z.unknown().optional(),
  last_login_at: z.unknown().optional(),
  company_account: z.unknown().optional(),
});
export type UserUpdate = z.infer<typeof UserUpdate>;

/** The account of the company's OpenID provider that a user signs in with; `managed`: their roles follow the server's rules. */
const CompanyAccount = z.looseObject({
  name: z.string(),
  issuer: z.string(),
  subject: z.string(),
  managed: z.boolean(),
  linked_at: Timestamp,
});

/** `id` is `user_…`. `scopes` are those that the roles permit now; a disabled user has none. */
const User = z.looseObject({
  id: z.string(),
  email: z.string(),
  name: z.string().optional(),
  roles: z.array(RoleName),
  scopes: z.array(Scope),
  status: UserStatus,
  second_factor: z.boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
  created_by: z.string(),
  last_login_at: Timestamp.optional(),
  company_account: CompanyAccount.optional(),
});
export type User = z.infer<typeof User>;

/** Whoever has the link may choose the password of the user, once. */
const Invited = User.extend({ invitation_url: z.string(), invitation_expires_at: Timestamp });
export type Invited = z.infer<typeof Invited>;

/** How many of each were ended or deleted. */
const Revoked = z.looseObject({ id: z.string(), revoked: z.record(z.string(), z.int()) });

/** Every scalar of a list's items. */
export const userSortFields = [
  'email',
  'id',
  'name',
  'status',
  'second_factor',
  'created_at',
  'updated_at',
  'created_by',
  'last_login_at',
] as const;
export type UserSortField = (typeof userSortFields)[number];

const UserListQuery = listQuery(userSortFields, {
  role: commaListOf(RoleName).optional(),
  status: commaListOf(UserStatus).optional(),
});

const noun = nounEndpoints({
  path: '/v1/users',
  ext: true,
  scope: 'admin',
  answer: User,
  missing: 'user_not_found',
});

export const users = {
  list: noun.list({
    summary: 'List users',
    query: UserListQuery,
    rows: { users: z.array(User) },
  }),
  create: {
    ...noun.create({
      summary: 'Create a user; only this response contains the invitation link',
      body: UserInput,
      errors: ['invalid_user', 'user_email_taken'],
    }),
    secret: true,
    response: { status: 201, body: Invited },
  } as const,
  get: noun.get({ summary: 'Get a user by ID or email address' }),
  update: noun.update({
    summary: 'Update the name or roles of a user, or disable the user; null removes the name',
    body: UserUpdate,
    errors: ['invalid_user', 'last_owner'],
  }),
  delete: {
    ...noun.delete({ summary: 'Delete a user, with their keys, OAuth clients and sessions' }),
    errors: ['user_not_found', 'precondition_failed', 'last_owner'],
  } as const,
  reset: endpoint({
    method: 'POST',
    path: '/v1/users/:id/reset',
    summary:
      'Reset the password and second factor of a user, end their sessions, and invite them again',
    scope: 'admin',
    ext: true,
    params: ById,
    versioned: true,
    secret: true,
    response: { status: 200, body: Invited },
    errors: ['user_not_found', 'last_owner'],
  }),
  revoke: endpoint({
    method: 'POST',
    path: '/v1/users/:id/revoke',
    summary:
      'End the sessions and tokens of a user, and delete their API keys, OAuth clients and trust rules',
    scope: 'admin',
    ext: true,
    params: ById,
    response: { status: 200, body: Revoked },
    errors: ['user_not_found'],
  }),
};
