import { defined } from '../../contract/defined.ts';
import type { Role } from '../../contract/roles.ts';
import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/call.ts';
import { anyOf, listLookedUp, listPage } from '../http/paging.ts';
import { toJson } from '../json.ts';
import { readerOfRows } from '../store/reader-of-rows.ts';
import type { Reader, Scalar } from '../store/store.ts';
import type { Belongings } from './belongings.ts';
import { roles, statusOf, users } from './collection.ts';
import type { StoredLink, StoredUser } from './collection.ts';
import type { RoleFound } from './roles.ts';
import { allRoles, createRole, deleteRole, readRole, updateRole } from './roles.ts';
import { scopesOfUser } from './scopes.ts';
import {
  createUser,
  deleteUser,
  readUser,
  resetUser,
  revokeAll,
  updateUser,
  versionOf,
} from './users.ts';

/** A user as answered: nothing that lets anybody in. */
async function showUser(reader: Reader, user: StoredUser) {
  const { id, email, name, roles: names, last_login_at } = user;
  return {
    id,
    email,
    ...defined({ name }),
    roles: [...names],
    scopes: [...(await scopesOfUser(reader, id))],
    status: statusOf(user),
    second_factor: user.totp !== undefined,
    created_at: user.created_at,
    updated_at: user.updated_at,
    created_by: user.created_by,
    ...defined({ last_login_at, company_account: user.link && showLink(user.link) }),
  };
}

const showLink = ({ name, issuer, subject, managed, linked_at }: StoredLink) => ({
  name,
  issuer,
  subject,
  managed: managed === true,
  linked_at,
});

export interface UserParts {
  /** The base URL of the service, without a trailing slash. */
  readonly baseUrl: () => string;
  readonly belongings: Belongings;
}

export const userHandlers = (deps: Deps, { baseUrl, belongings }: UserParts): Handlers['users'] => {
  const answer = async (reader: Reader, user: StoredUser) => ({
    body: toJson(await showUser(reader, user)),
    revision: versionOf(user),
    isMoving: true,
  });
  const answerInvited = async (
    reader: Reader,
    { user, token }: { readonly user: StoredUser; readonly token: string },
  ) => ({
    body: toJson({
      ...(await showUser(reader, user)),
      invitation_url: `${baseUrl()}/auth/invitation/${token}`,
      invitation_expires_at: user.invitation?.expires_at ?? '',
    }),
    revision: versionOf(user),
  });
  return {
    list: ({ query }) =>
      listLookedUp(deps.store, users, {
        query,
        filters: anyOf(query, ['role', 'status']),
        plural: 'users',
        show: async ({ doc }) => toJson(await showUser(deps.store, doc)),
      }),

    create: ({ body }, call) =>
      call.transact(async (tx) => {
        const invited = await createUser(deps, tx, call, body);
        return {
          ...(await answerInvited(tx, invited)),
          headers: { Location: `/v1/users/${invited.user.id}` },
        };
      }),

    get: async ({ params }) => answer(deps.store, await readUser(deps.store, params.id)),

    update: ({ params, body }, call) =>
      call.transact(async (tx) => {
        const change = { who: params.id, update: body, belongings };
        return answer(tx, await updateUser(deps, tx, call, change));
      }),

    delete: ({ params }, call) =>
      call.transact(async (tx) => {
        await deleteUser(deps, tx, call, { who: params.id, belongings });
        return { body: undefined };
      }),

    reset: ({ params }, call) =>
      call.transact(async (tx) =>
        answerInvited(tx, await resetUser(deps, tx, call, { who: params.id, belongings })),
      ),

    revoke: ({ params }, call) =>
      call.transact(async (tx) => ({
        body: toJson(await revokeAll(deps, tx, call, { who: params.id, belongings })),
      })),
  };
};

const answerRole = ({ role, revision }: RoleFound) => ({ body: toJson(role), revision });

export const roleHandlers = (deps: Deps): Handlers['roles'] => ({
  list: async ({ query }) =>
    listPage(readerOfRows(await allRoles(deps.store), valueOfRole), roles, {
      query,
      filters: {},
      plural: 'roles',
      show: ({ doc }) => toJson(doc),
    }),

  create: ({ body }, call) =>
    call.transact(async (tx) => ({
      ...answerRole(await createRole(deps, tx, call, body)),
      headers: { Location: `/v1/roles/${body.name}` },
    })),

  get: async ({ params }) => answerRole(await readRole(deps.store, params.id)),

  update: ({ params, body }, call) =>
    call.transact(async (tx) => answerRole(await updateRole(deps, tx, call, params.id, body))),

  delete: ({ params }, call) =>
    call.transact(async (tx) => {
      await deleteRole(deps, tx, call, params.id);
      return { body: undefined };
    }),
});

const valueOfRole = (role: Role, field: string): Scalar | null => {
  const value = role[field];
  return typeof value === 'string' || typeof value === 'boolean' ? value : null;
};
