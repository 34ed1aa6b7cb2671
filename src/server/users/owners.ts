import { GovctlError } from '../../contract/errors.ts';
import type { Principal } from '../http/call.ts';
import { refuseWider } from '../http/insufficient-scope.ts';
import { allRows } from '../store/all-rows.ts';
import type { Reader } from '../store/store.ts';
import { statusOf, users } from './collection.ts';
import type { StoredUser } from './collection.ts';
import { scopesOfRoles } from './scopes.ts';

const isOwner = ({ roles }: Pick<StoredUser, 'roles'>): boolean => roles.includes('owner');
const isActiveOwner = (user: StoredUser): boolean => isOwner(user) && statusOf(user) === 'active';

/**
 * Whether a caller may grant these roles, or touch who has them: nobody reaches beyond their own scopes, and owners are made
 * and changed only by owners and the operator.
 * @param what that is touched, for the message
 * @throws GovctlError insufficient_scope
 */
export async function checkAuthority(
  reader: Reader,
  principal: Principal,
  roles: readonly string[],
  what: string,
): Promise<void> {
  refuseWider(principal, await scopesOfRoles(reader, roles), what);
  if (!isOwner({ roles }) || principal.isOperator === true) return;
  const { boundTo } = principal;
  const caller = boundTo === undefined ? undefined : (await reader.get(users, boundTo))?.doc;
  if (caller && isActiveOwner(caller)) return;
  throw new GovctlError(
    'insufficient_scope',
    "Only an owner or the operator's own key can create or change an owner",
  );
}

export async function isLastOwner(reader: Reader, user: StoredUser): Promise<boolean> {
  if (!isActiveOwner(user)) return false;
  for await (const { doc } of allRows(reader, users, { role: { any: ['owner'] } })) {
    if (doc.id !== user.id && isActiveOwner(doc)) return false;
  }
  return true;
}

/** Call it before an owner is deleted, disabled or loses the role. @throws GovctlError last_owner */
export async function checkOwnerLeft(reader: Reader, user: StoredUser): Promise<void> {
  if (!(await isLastOwner(reader, user))) return;
  throw new GovctlError(
    'last_owner',
    `${user.email} is the only active owner; grant another user the owner role first`,
  );
}
