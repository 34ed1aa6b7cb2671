import { hashSecret } from '../keys/hashed-secrets.ts';
import { scopes as allScopes, within } from '../../contract/endpoint.ts';
import type { Scope } from '../../contract/endpoint.ts';
import { builtInRoles, isBuiltInRole } from '../../contract/roles.ts';
import { whenKnown } from '../awaitable.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Reader } from '../store/store.ts';
import { roles, users } from './collection.ts';
import type { StoredUser } from './collection.ts';

export { removeBelongings } from './belongings.ts';
export type { Belongings } from './belongings.ts';

const none: readonly Scope[] = [];

/** Undefined: there is no such user. */
export const findUser = (reader: Reader, id: string): Awaitable<StoredUser | undefined> =>
  whenKnown(reader.get(users, id), (found) => found?.doc);

/** What a user may do now, by their roles: nothing where they are disabled, or gone. */
export const scopesOfUser = (reader: Reader, id: string): Awaitable<readonly Scope[]> =>
  whenKnown(reader.get(users, id), (found) =>
    found && found.doc.disabled_at === undefined ? scopesOfRoles(reader, found.doc.roles) : none,
  );

/** What roles permit together; a role that there is not permits nothing. */
export function scopesOfRoles(
  reader: Reader,
  names: readonly string[],
): Awaitable<readonly Scope[]> {
  const [only] = names;
  if (names.length === 1 && only !== undefined && isBuiltInRole(only)) return builtInRoles[only];
  return names.reduce<Awaitable<readonly Scope[]>>(
    (before, name) =>
      whenKnown(before, (some) =>
        whenKnown(scopesOfRole(reader, name), (more) =>
          allScopes.filter((scope) => some.includes(scope) || more.includes(scope)),
        ),
      ),
    none,
  );
}

const scopesOfRole = (reader: Reader, name: string): Awaitable<readonly Scope[]> =>
  isBuiltInRole(name)
    ? builtInRoles[name]
    : whenKnown(reader.get(roles, name), (found) => found?.doc.scopes ?? none);

/**
 * Who is invited by the token of a link. Undefined: it expired, was used or replaced, or the user has got more since, which is
 * not for whoever made the link.
 * @param now milliseconds since the epoch
 */
export async function findInvited(
  reader: Reader,
  token: string,
  now: number,
): Promise<Invited | undefined> {
  const user = (await reader.find(users, 'invitation', hashSecret(token)))?.doc;
  const { invitation } = user ?? {};
  if (!user || !invitation || user.disabled_at !== undefined) return undefined;
  if (Date.parse(invitation.expires_at) <= now) return undefined;
  const scopes = await scopesOfRoles(reader, user.roles);
  const hasMore =
    within(scopes, invitation.scopes) !== scopes ||
    (user.roles.includes('owner') && !invitation.roles.includes('owner'));
  return hasMore ? undefined : { ...user, invitation };
}

export type Invited = StoredUser & Required<Pick<StoredUser, 'invitation'>>;
