import { defined } from '../../contract/defined.ts';
import { permits } from '../../contract/endpoint.ts';
import type { Scope } from '../../contract/endpoint.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { hashSecret, newSecret } from '../keys/hashed-secrets.ts';
import { allRows } from '../store/all-rows.ts';
import type { Reader, Tx } from '../store/store.ts';
import { users } from '../users/collection.ts';
import type { StoredUser } from '../users/collection.ts';
import { scopesOfUser } from '../users/service.ts';
import { sessions } from './collection.ts';
import type { StoredSession } from './collection.ts';
import type { Needs, Session } from './types.ts';

/** Milliseconds. */
const idleMs = 12 * 3_600_000;
const longestMs = 7 * 24 * 3_600_000;
/** For what a sign-in still takes. */
const pendingMs = 10 * 60_000;
/** A use is written down when the last one that was is so old. */
const coarseMs = 5 * 60_000;
/** Of one person. */
const mostSessions = 20;

/** Milliseconds until the company's provider is asked about somebody again, and that its answer may then take. */
export const checkedFor = 12 * 3_600_000;
const grace = 3_600_000;

/** Whether a check of somebody's company account is due, and cannot be done any more: whoever can be asked about gets a grace. */
export const isOverdue = ({ link }: StoredUser, now: number): boolean =>
  link?.check_at !== undefined && link.check_at + (link.refresh === undefined ? 0 : grace) <= now;

/** A session that goes on, with its user as they are now. */
export interface Found {
  readonly stored: StoredSession;
  readonly user: StoredUser;
  readonly scopes: readonly Scope[];
  readonly needs: Needs | undefined;
}

/** Who manages others must have a second factor. */
export const mustHaveSecondFactor = (scopes: readonly Scope[]): boolean => permits(scopes, 'admin');

/** @returns undefined: there is none, it ended, or its user may not sign in any more */
export async function findSession(
  reader: Reader,
  token: string | undefined,
  now: number,
): Promise<Found | undefined> {
  if (token === undefined) return undefined;
  const stored = (await reader.find(sessions, 'hash', hashSecret(token)))?.doc;
  if (!stored || stored.expires_at <= now) return undefined;
  const user = (await reader.get(users, stored.user_id))?.doc;
  if (user?.activated_at === undefined || user.disabled_at !== undefined) return undefined;
  if (isOverdue(user, now)) return undefined;
  const scopes = await scopesOfUser(reader, user.id);
  const isEnrolmentDue =
    user.totp === undefined && stored.second_factor === undefined && mustHaveSecondFactor(scopes);
  const needs = stored.awaits ?? (isEnrolmentDue ? 'enrolment' : undefined);
  return { stored, user, scopes, needs };
}

export const showSession = ({ stored, user, scopes, needs }: Found): Session => ({
  id: stored.id,
  person: {
    id: user.id,
    email: user.email,
    ...defined({ name: user.name }),
    roles: user.roles,
    scopes,
    second_factor: user.totp !== undefined,
    recovery_codes: user.recovery_codes?.length ?? 0,
    password: user.password !== undefined,
    ...(user.link
      ? { account: { name: user.link.name, managed: user.link.managed === true } }
      : {}),
  },
  ...defined({ needs }),
  authenticated_at: stored.authenticated_at,
  expires_at: timestamp(stored.expires_at),
});

/** @param awaits what the sign-in still takes */
export async function beginSession(
  deps: Deps,
  tx: Tx,
  user: StoredUser,
  {
    awaits,
    ...given
  }: { readonly awaits: Needs | undefined } & {
    readonly [F in 'address' | 'second_factor']: StoredSession[F] | undefined;
  },
): Promise<{ readonly stored: StoredSession; readonly token: string }> {
  const now = deps.clock.now();
  const token = newSecret('gse', deps.random);
  const at = timestamp(now);
  const stored: StoredSession = {
    id: deps.ids.next('ses'),
    hash: hashSecret(token),
    user_id: user.id,
    ...defined({ awaits, ...given }),
    authenticated_at: at,
    created_at: at,
    last_seen: at,
    expires_at: now + (awaits === undefined ? idleMs : pendingMs),
  };
  await makeRoom(tx, stored);
  await tx.insert(sessions, stored);
  return { stored, token };
}

/** Ends what began first; a sign-in that is not complete ends only others of its kind. */
async function makeRoom(tx: Tx, { user_id: userId, awaits }: StoredSession): Promise<void> {
  const all: StoredSession[] = [];
  for await (const { doc } of allRows(tx, sessions, { user_id: { any: [userId] } })) all.push(doc);
  const pending = all.filter((one) => one.awaits !== undefined);
  const complete = all.filter((one) => one.awaits === undefined);
  const candidates = awaits === undefined ? [...pending, ...complete] : pending;
  const surplus = Math.max(0, all.length - (mostSessions - 1));
  for (const { id } of candidates.slice(0, surplus)) await tx.remove(sessions, id);
}

/** Writes down that a session is used, if that was not done lately. */
export async function touchSession(deps: Deps, { stored }: Found): Promise<void> {
  const now = deps.clock.now();
  const isRecent = now - Date.parse(stored.last_seen) < coarseMs;
  if (isRecent || stored.awaits !== undefined || !deps.store.health().writable) return;
  const expires_at = Math.min(now + idleMs, Date.parse(stored.created_at) + longestMs);
  await deps.store.transact(async (tx) => {
    const found = await tx.get(sessions, stored.id);
    if (found) await tx.replace(sessions, { ...found.doc, last_seen: timestamp(now), expires_at });
  });
}

/** Those of a user that have not ended, the newest first. */
export async function sessionsOfUser(
  reader: Reader,
  userId: string,
  now: number,
): Promise<readonly StoredSession[]> {
  const found: StoredSession[] = [];
  for await (const { doc } of allRows(reader, sessions, { user_id: { any: [userId] } })) {
    if (doc.expires_at > now && doc.awaits === undefined) found.push(doc);
  }
  return found.reverse();
}
