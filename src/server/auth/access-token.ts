import { Scope, within } from '../../contract/endpoint.ts';
import type { TokenResponse } from '../../contract/auth.ts';
import { recordAudit } from '../audit/service.ts';
import type { PublicCall } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { TokenFailure } from '../http/token-failure.ts';
import { hashSecret, newSecret } from '../keys/hashed-secrets.ts';
import type { Reader, Tx } from '../store/store.ts';
import { scopesOfUser } from '../users/service.ts';
import { scopesOfProgram } from './authority.ts';
import { accessTokens } from './collection.ts';
import type { StoredAccessToken } from './collection.ts';

/** Whose token it is, and what it is good for. */
type Granted = Omit<StoredAccessToken, 'id' | 'hash' | 'created_at' | 'expires_at'> & {
  /** Seconds. */
  readonly lifetime: number;
};

/** Makes an access token, in the transaction of the request for it. @returns the answer of RFC 6749 section 5.1 */
export async function issueAccessToken(
  deps: Deps,
  tx: Tx,
  { requestId }: Pick<PublicCall, 'requestId'>,
  { lifetime, ...holder }: Granted,
): Promise<TokenResponse> {
  const secret = newSecret('gat', deps.random);
  const now = deps.clock.now();
  const id = deps.ids.next('tok');
  await tx.insert(accessTokens, {
    id,
    hash: hashSecret(secret),
    ...holder,
    created_at: timestamp(now),
    expires_at: now + lifetime * 1_000,
  });
  const actor = { userId: holder.user_id, via: holder.client_id, requestId };
  await recordAudit(deps, tx, actor, 'token.issue', id);
  return {
    access_token: secret,
    token_type: 'Bearer',
    expires_in: lifetime,
    scope: holder.scopes.join(' '),
  };
}

/** What an access token is good for now. Undefined: for nothing, as its user, or the program that it was given to, is disabled or gone. */
export async function scopesOfToken(
  reader: Reader,
  token: StoredAccessToken,
): Promise<readonly Scope[] | undefined> {
  const { scopes, bound_to: boundTo, program } = token;
  const most = boundTo === undefined ? scopes : await scopesOfUser(reader, boundTo);
  if (boundTo !== undefined && most.length === 0) return undefined;
  const left = within(scopes, most);
  if (program === undefined) return left;
  const mostOfProgram = await scopesOfProgram(reader, program, token);
  return mostOfProgram.length === 0 ? undefined : within(left, mostOfProgram);
}

/** The names in a `scope` parameter. */
export const namesOfScopes = (asked: string | undefined): readonly string[] => [
  ...new Set((asked ?? '').split(' ').filter((name) => name !== '')),
];

/** What was asked for, or all there is. @param who has the scopes: "The client". @throws TokenFailure invalid_scope */
export function grantedScopes(
  has: readonly Scope[],
  asked: string | undefined,
  who: string,
): readonly Scope[] {
  const names = namesOfScopes(asked);
  if (names.length === 0) return has;
  const granted = names.map((name) => Scope.safeParse(name).data ?? name);
  const refused = granted.filter((name) => !has.some((scope) => scope === name));
  if (refused.length > 0) {
    const list = refused
      .slice(0, 5)
      .map((name) => name.slice(0, 60))
      .join(' ');
    const more = refused.length > 5 ? ` and ${refused.length - 5} more` : '';
    throw new TokenFailure(
      'invalid_scope',
      `${who} does not have the scope ${list}${more}; it has ${has.join(' ')}`,
    );
  }
  return has.filter((scope) => granted.includes(scope));
}
