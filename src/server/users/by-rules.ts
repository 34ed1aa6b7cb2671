import { recordAudit } from '../audit/service.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import type { Tx } from '../store/store.ts';
import { announceRoles } from './announce.ts';
import { removeBelongings } from './belongings.ts';
import type { Belongings } from './belongings.ts';
import { users } from './collection.ts';
import type { StoredUser } from './collection.ts';
import { isLastOwner } from './owners.ts';
import { scopesOfRoles } from './scopes.ts';
import { asSet, checkRoom, replace } from './users.ts';

export { knownRoles } from './roles.ts';

/** Creates a user who needs no invitation: company sign-in vouches for them. @throws GovctlError invalid_user */
export async function createManaged(
  deps: Deps,
  tx: Tx,
  given: Pick<StoredUser, 'email' | 'name' | 'roles'> & Required<Pick<StoredUser, 'link'>>,
  requestId: string,
): Promise<StoredUser> {
  await checkRoom(tx);
  const id = deps.ids.next('user');
  const at = timestamp(deps.clock.now());
  const user = { id, ...given, activated_at: at, created_at: at, updated_at: at, created_by: id };
  await tx.insert(users, user);
  const actor = { userId: id, via: 'company', requestId };
  await recordAudit(deps, tx, actor, 'user.create', id);
  return user;
}

/**
 * Gives a user those roles that the rules give them now; where they change, all sessions end. The last active owner stays
 * one, whatever the rules say.
 * @returns the user as they are then
 */
export async function followRules(
  deps: Deps,
  tx: Tx,
  before: StoredUser,
  {
    names: given,
    requestId,
    belongings,
  }: {
    readonly names: readonly string[];
    readonly requestId: string;
    readonly belongings: Belongings;
  },
): Promise<StoredUser> {
  const isKept = !given.includes('owner') && (await isLastOwner(tx, before));
  const names = isKept ? [...given, 'owner'] : given;
  if (isKept) deps.log.warn({ user: before.id }, 'the last owner keeps the role owner, although no rule of company sign-in grants it'); // prettier-ignore
  if (asSet(names) === asSet(before.roles)) return before;
  const user = await replace(deps, tx, before, { roles: names });
  await removeBelongings(tx, belongings, user.id, 'sign-in');
  const actor = { userId: 'system', via: 'company', requestId };
  await recordAudit(deps, tx, actor, 'user.update', user.id, ['roles']);
  await announceRoles(deps, tx, user, {
    before: { roles: before.roles, scopes: await scopesOfRoles(tx, before.roles) },
    after: { roles: names, scopes: await scopesOfRoles(tx, names) },
  });
  return user;
}
