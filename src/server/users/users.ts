import type { UserInput, UserUpdate } from '../../contract/users.ts';
import { defined } from '../../contract/defined.ts';
import { GovctlError } from '../../contract/errors.ts';
import { inThrees } from '../../contract/in-threes.ts';
import { recordAudit } from '../audit/service.ts';
import type { Deps } from '../deps.ts';
import { timestamp, updatedAfter } from '../deps.ts';
import type { Call } from '../http/call.ts';
import { checkSameId, invalidBody, invalidField } from '../http/invalid-body.ts';
import { hashSecret, newSecret } from '../keys/hashed-secrets.ts';
import { countRows } from '../store/all-rows.ts';
import type { Reader, Tx } from '../store/store.ts';
import { announceRoles } from './announce.ts';
import { removeBelongings } from './belongings.ts';
import type { Belongings } from './belongings.ts';
import { amended, users } from './collection.ts';
import type { StoredUser } from './collection.ts';
import { checkAuthority, checkOwnerLeft } from './owners.ts';
import { knownRoles } from './roles.ts';
import { scopesOfRoles } from './scopes.ts';

const mostUsers = 10_000;
const invitationMs = 7 * 24 * 3_600_000;

type Caller = Pick<Call, 'actor' | 'checkMatch' | 'principal'>;

/** The version for the ETag: not the record's revision, which changes with every sign-in. */
export const versionOf = ({ version = 1 }: StoredUser): number => version;

/** @param who ID or email address. @throws GovctlError user_not_found */
export async function readUser(reader: Reader, who: string): Promise<StoredUser> {
  const found = who.includes('@')
    ? await reader.find(users, 'email', who.toLowerCase())
    : await reader.get(users, who);
  if (found) return found.doc;
  throw new GovctlError('user_not_found', `There is no user ${who.slice(0, 100)}`, {
    hint: 'Use an email address or ID. To list users, run `govctl user list`.',
  });
}

/** A user, and the token of the link by which they choose their password: it is shown once. */
interface Invited {
  readonly user: StoredUser;
  readonly token: string;
}

/** @throws GovctlError invalid_user, user_email_taken, insufficient_scope */
export async function createUser(
  deps: Deps,
  tx: Tx,
  { actor, principal }: Caller,
  { email, name, roles: names }: UserInput,
): Promise<Invited> {
  await checkRoles(tx, names);
  await checkAuthority(tx, principal, names, 'A user');
  await checkRoom(tx);
  if (await tx.find(users, 'email', email)) {
    const message = `another user has the email address ${email}`;
    throw new GovctlError('user_email_taken', `A${message.slice(1)}`, {
      details: [{ field: 'email', message }],
    });
  }
  const at = timestamp(deps.clock.now());
  const { token, invitation } = await invite(deps, tx, names);
  const user = {
    id: deps.ids.next('user'),
    email,
    ...defined({ name }),
    roles: names,
    invitation,
    created_at: at,
    updated_at: at,
    created_by: actor.userId,
  };
  await tx.insert(users, user);
  await recordAudit(deps, tx, actor, 'user.create', user.id);
  return { user, token };
}

/** @throws GovctlError invalid_user */
export async function checkRoom(reader: Reader): Promise<void> {
  if ((await countRows(reader, users)) < mostUsers) return;
  const message = `The service has ${inThrees(mostUsers)} users, which is the maximum`;
  const hint = 'Delete users who no longer need access.';
  throw new GovctlError('invalid_user', message, { hint });
}

/** A link for a user with these roles. */
async function invite(deps: Deps, reader: Reader, names: readonly string[]) {
  const token = newSecret('gin', deps.random);
  const expires_at = timestamp(deps.clock.now() + invitationMs);
  const scopes = await scopesOfRoles(reader, names);
  return { token, invitation: { hash: hashSecret(token), expires_at, roles: names, scopes } };
}

/** @throws GovctlError user_not_found, invalid_user, insufficient_scope, last_owner, or what `checkMatch` throws */
export async function updateUser(
  deps: Deps,
  tx: Tx,
  call: Caller,
  {
    who,
    update,
    belongings,
  }: { readonly who: string; readonly update: UserUpdate; readonly belongings: Belongings },
): Promise<StoredUser> {
  const before = await readUser(tx, who);
  call.checkMatch(versionOf(before));
  checkSameId('invalid_user', 'user', before.id, update.id);
  if (update.email !== undefined && update.email !== before.email) {
    const message = 'cannot be changed; omit the address, or create a user with the other address';
    throw invalidField('invalid_user', 'email', message);
  }
  const { name = before.name, roles: names = before.roles } = update;
  const wasDisabled = before.disabled_at !== undefined;
  const { disabled = wasDisabled } = update;
  const haveRolesChanged = asSet(names) !== asSet(before.roles);
  const changed = [
    ...((name ?? undefined) === before.name ? [] : ['name']),
    ...(haveRolesChanged ? ['roles'] : []),
    ...(disabled === wasDisabled ? [] : ['disabled']),
  ];
  if (changed.length === 0) return before;
  await checkAuthority(tx, call.principal, before.roles, 'Changing a user');
  if (haveRolesChanged) {
    if (before.link?.managed) {
      const message =
        'follow the rules of sign_in.company for this user; change the rules, or reset the user to set roles here';
      throw invalidField('invalid_user', 'roles', message);
    }
    await checkRoles(tx, names);
    await checkAuthority(tx, call.principal, names, 'A user');
  }
  if (disabled || !names.includes('owner')) await checkOwnerLeft(tx, before);
  const now = deps.clock.now();
  const user = await replace(deps, tx, before, {
    name: name ?? undefined,
    roles: haveRolesChanged ? names : before.roles,
    disabled_at: disabled ? (before.disabled_at ?? timestamp(now)) : undefined,
  });
  if (changed.some((field) => field !== 'name')) {
    await removeBelongings(tx, belongings, user.id, 'sign-in');
  }
  await recordAudit(deps, tx, call.actor, 'user.update', user.id, changed);
  if (haveRolesChanged) {
    await announceRoles(deps, tx, user, {
      before: { roles: before.roles, scopes: await scopesOfRoles(tx, before.roles) },
      after: { roles: names, scopes: await scopesOfRoles(tx, names) },
    });
  }
  return user;
}

/** With all that is theirs. @throws GovctlError user_not_found, insufficient_scope, last_owner, or what `checkMatch` throws */
export async function deleteUser(
  deps: Deps,
  tx: Tx,
  call: Caller,
  { who, belongings }: { readonly who: string; readonly belongings: Belongings },
): Promise<void> {
  const user = await readUser(tx, who);
  call.checkMatch(versionOf(user));
  await checkAuthority(tx, call.principal, user.roles, 'Deleting a user');
  await checkOwnerLeft(tx, user);
  await tx.remove(users, user.id);
  const removed = await removeBelongings(tx, belongings, user.id, 'all');
  await recordAudit(deps, tx, call.actor, 'user.delete', user.id, countsOf(removed));
}

/**
 * Invites a user again, as if they had never signed in. Only the operator may do so with the last active owner: otherwise
 * nobody could get in if the new link is lost.
 * @throws GovctlError user_not_found, insufficient_scope, last_owner
 */
export async function resetUser(
  deps: Deps,
  tx: Tx,
  { actor, principal }: Caller,
  { who, belongings }: { readonly who: string; readonly belongings: Belongings },
): Promise<Invited> {
  const before = await readUser(tx, who);
  await checkAuthority(tx, principal, before.roles, 'Resetting a user');
  if (principal.isOperator !== true) await checkOwnerLeft(tx, before);
  const { token, invitation } = await invite(deps, tx, before.roles);
  const user = await replace(deps, tx, before, {
    activated_at: undefined,
    password: undefined,
    totp: undefined,
    recovery_codes: undefined,
    devices: undefined,
    link: undefined,
    invitation,
  });
  await removeBelongings(tx, belongings, user.id, 'sign-in');
  await recordAudit(deps, tx, actor, 'user.reset', user.id);
  return { user, token };
}

/** Takes everything from a user but their name, roles and password: open to every admin, as nobody gets more by it. */
export async function revokeAll(
  deps: Deps,
  tx: Tx,
  { actor }: Caller,
  { who, belongings }: { readonly who: string; readonly belongings: Belongings },
): Promise<{ readonly id: string; readonly revoked: Readonly<Record<string, number>> }> {
  const { id } = await readUser(tx, who);
  const revoked = await removeBelongings(tx, belongings, id, 'all');
  await recordAudit(deps, tx, actor, 'user.revoke', id, countsOf(revoked));
  return { id, revoked };
}

/** For the audit log: `api_keys: 2`. */
const countsOf = (removed: Readonly<Record<string, number>>): string[] =>
  Object.entries(removed).flatMap(([name, count]) => (count > 0 ? [`${name}: ${count}`] : []));

/** Replaces a user whom somebody changed. */
export async function replace(
  deps: Deps,
  tx: Tx,
  before: StoredUser,
  changes: Parameters<typeof amended>[1],
): Promise<StoredUser> {
  const user = amended(before, {
    ...changes,
    version: versionOf(before) + 1,
    updated_at: updatedAfter(before.updated_at, deps.clock.now()),
  });
  await tx.replace(users, user);
  return user;
}

export const asSet = (names: readonly string[]): string => [...names].sort().join(' ');

/** @throws GovctlError invalid_user, naming each role that there is not */
async function checkRoles(reader: Reader, names: readonly string[]): Promise<void> {
  const known = await knownRoles(reader, names);
  const unknown = names.flatMap((name, at) =>
    known.includes(name) ? [] : [{ field: `roles[${at}]`, message: `is not a role: ${name}` }],
  );
  if (unknown.length > 0)
    throw invalidBody('invalid_user', unknown, 'To list roles, run `govctl role list`.');
}
