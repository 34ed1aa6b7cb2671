import type { AdapterPayload } from 'oidc-provider';
import { cliClientId } from '../../contract/auth.ts';
import { Scope } from '../../contract/endpoint.ts';
import { accessTokens, oauthClients } from '../auth/collection.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { allRows } from '../store/all-rows.ts';
import { removeFew } from '../store/remove-rows.ts';
import type { Tx } from '../store/store.ts';
import { oauthStates } from './collection.ts';

/** What the command line is called. */
export const cliName = 'govctl CLI';

/** A consent, and what came from it. */
export async function removeGranted(tx: Tx, grantId: string): Promise<void> {
  const where = { grant_id: { any: [grantId] } };
  await removeFew(tx, accessTokens, where);
  await removeFew(tx, oauthStates, where);
}

/** Ends all that a user allowed a client, in one pass: they may have logged in to it often. */
export async function endGrants(tx: Tx, userId: string, clientId: string): Promise<void> {
  const user = { any: [userId] };
  const ended: string[] = [];
  for await (const { doc } of allRows(tx, accessTokens, { bound_to: user })) {
    const { id, grant_id: grant, program = cliClientId } = doc;
    if (grant !== undefined && program === clientId) ended.push(id);
  }
  for (const id of ended) await tx.remove(accessTokens, id);
  await removeFew(tx, oauthStates, { user_id: user, client_id: { any: [clientId] } });
}

type Granted = AdapterPayload & { readonly openid?: { readonly scope?: string } };

/** A program that acts for a person. */
export interface Program {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** ISO 8601: when they last allowed it. */
  readonly allowed_at: string;
}

/** The programs that a person has let in, the last one first. */
export async function programsOf(
  { store, secrets }: Pick<Deps, 'store' | 'secrets'>,
  userId: string,
): Promise<readonly Program[]> {
  const found = new Map<string, Program>();
  const where = { user_id: { any: [userId] }, kind: { any: ['Grant'] } };
  for await (const { doc } of allRows(store, oauthStates, where)) {
    const { client_id: id, expires_at: until } = doc;
    if (id === undefined || until <= Date.now()) continue;
    const name = id === cliClientId ? cliName : (await store.get(oauthClients, id))?.doc.name;
    if (name === undefined) continue;
    const payload = JSON.parse(secrets.open(doc.sealed, doc.id)) as Granted; // as it was sealed
    const before = found.get(id);
    const allowed_at = timestamp((payload.iat ?? 0) * 1_000);
    const scopes = [...(before?.scopes ?? []), ...scopesIn(payload.openid?.scope)];
    found.set(id, {
      id,
      name,
      scopes: [...new Set(scopes)],
      allowed_at: before && before.allowed_at > allowed_at ? before.allowed_at : allowed_at,
    });
  }
  return [...found.values()].sort((a, b) => (a.allowed_at < b.allowed_at ? 1 : -1));
}

export const isScope = (name: string): boolean => Scope.safeParse(name).success;

export const scopesIn = (text: string | undefined): readonly Scope[] =>
  (text ?? '').split(' ').flatMap((name) => Scope.safeParse(name).data ?? []);
