import { GovctlError } from '../../contract/errors.ts';
import { hashSecret } from '../keys/hashed-secrets.ts';
import { within } from '../../contract/endpoint.ts';
import { whenKnown } from '../awaitable.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Reader } from '../store/store.ts';
import { users } from './collection.ts';
import type { StoredUser } from './collection.ts';
import { scopesOfRoles } from './scopes.ts';

export { removeBelongings } from './belongings.ts';
export type { Belongings } from './belongings.ts';
export { createManaged, followRules, knownRoles } from './by-rules.ts';
export { scopesOfRoles, scopesOfUser } from './scopes.ts';

/** Undefined: there is no such user. */
export const findUser = (reader: Reader, id: string): Awaitable<StoredUser | undefined> =>
  whenKnown(reader.get(users, id), (found) => found?.doc);

/**
 * The ID of the user that a filter names by ID or email address.
 * @throws GovctlError malformed_request for an address that nobody has: a list of nothing would look like an answer
 */
export async function idOfNamed(reader: Reader, field: string, who: string): Promise<string> {
  if (!who.includes('@')) return who;
  const found = await reader.find(users, 'email', who.toLowerCase());
  if (found) return found.doc.id;
  const message = `is not a user: ${who.slice(0, 100)}`;
  throw new GovctlError('malformed_request', `The query is not valid: ${field} ${message}`, {
    details: [{ field, message }],
    hint: 'Use the ID of a deleted user.',
  });
}

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
