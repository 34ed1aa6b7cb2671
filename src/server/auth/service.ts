import { defined } from '../../contract/defined.ts';
import { within } from '../../contract/endpoint.ts';
import type { Scope } from '../../contract/endpoint.ts';
import type { WireErrorName } from '../../contract/errors.ts';
import { GovctlError } from '../../contract/errors.ts';
import { whenKnown } from '../awaitable.ts';
import type { Awaitable } from '../awaitable.ts';
import type { TokenRequest, TokenResponse } from '../../contract/auth.ts';
import type { Json } from '../json.ts';
import type { Caller, Principal, PublicCall } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { scopesOfProgram } from './authority.ts';
import { accessTokens, apiKeyStates, apiKeys, oauthClients } from './collection.ts';
import type { ApiKeyState, PreviousKey, StoredAccessToken, StoredApiKey } from './collection.ts';
import { createRestrictions } from './restrictions.ts';
import type { CountryOf } from './restrictions.ts';
import { createSignatures } from './signatures.ts';
import type { Reader } from '../store/store.ts';
import { trusts } from '../trusts/collection.ts';
import { findUser, scopesOfUser } from '../users/service.ts';
import { hashSecret, isUnguessable } from '../keys/hashed-secrets.ts';

export { grantedScopes, issueAccessToken, namesOfScopes, scopesOfToken } from './access-token.ts';
export { makerOf, scopesOfClient } from './authority.ts';
export { retireBootstrapKey } from './bootstrap.ts';

export interface Authenticator {
  /**
   * @param mayBeGuessed false: a token that could be guessed, and was not used before, is refused unlooked at
   * @throws GovctlError invalid_token or expired_token; address_not_allowed or country_not_allowed; signature_required or
   * signature_invalid
   */
  authenticate(caller: Caller, mayBeGuessed?: boolean): Awaitable<Principal>;
  /** Writes down when keys were last used: once for many uses, so that reads cost no commit. */
  saveLastUses(): Promise<void>;
}

/** Exchanges what another part of the service issued for an access token. */
export type Exchange = (
  body: TokenRequest,
  call: PublicCall,
) => Promise<{
  readonly body: Json<TokenResponse>;
  readonly headers: Readonly<Record<string, string>>;
}>;

interface Use {
  /** Milliseconds since the epoch. */
  at: number;
  address: string | undefined;
}

/** Headers whose hash is kept in memory, some hundred bytes each. */
const hashesKept = 16_384;

/** @param countryOf absent: the server has no database of countries */
export function createAuthenticator(deps: Deps, countryOf?: CountryOf): Authenticator {
  const restrictions = createRestrictions(countryOf);
  const signatures = createSignatures(deps);
  /** By the ID of an API key. */
  const lastUses = new Map<string, Use>();
  const hashes = new Map<string, string>();
  /** Hashing is the dearest part of a read; the same few headers come again and again. */
  const hashOf = (authorization: string | null): string =>
    hashes.get(authorization ?? '') ?? hashSecret(bearerOf(authorization));
  /** Of good ones only: bad ones, of which anybody can send any number, leave nothing behind. */
  const keepHash = (authorization: string | null, hash: string): void => {
    if (authorization === null || hashes.has(authorization)) return;
    if (hashes.size >= hashesKept) hashes.clear();
    hashes.set(authorization, hash);
  };
  /** @param secret the one of its two that was sent */
  const holderOfKey = (
    key: StoredApiKey,
    secret: StoredApiKey | PreviousKey,
    { address, signed, identified }: Caller,
  ): Awaitable<Principal> => {
    const { id, user_id: userId, bootstrap, scopes } = key;
    identified?.(id, userId);
    if (key.disabled_at !== undefined) throw retired(key.disabled_at);
    const now = deps.clock.now();
    checkExpiry('API key', key.expires_at, now);
    if (secret !== key) checkExpiry('previous secret of this API key', secret.expires_at, now); // prettier-ignore
    if (key.ip_allow_list || key.countries) restrictions.check(key, address);
    const signedBody =
      secret.signing_secret === undefined || signed === 'checked'
        ? undefined
        : signatures.check(signed(), key, secret);
    const use = lastUses.get(id);
    if (use) {
      use.at = now;
      use.address = address;
    } else lastUses.set(id, { at: now, address });
    const { made_by, bound_to } = secret;
    // The earlier secret of a key stays the same object where the key changes.
    const credential = secret === key ? key : {};
    const holder = holderOf(credential, bound_to, scopes, () => ({
      // Nobody made the folder's own: its holder is the operator.
      ...defined({ person: made_by ?? (bootstrap ? userId : undefined), isOperator: bootstrap }),
      userId,
      kind: 'key',
      via: id,
      countedAs: id,
    }));
    return signedBody === undefined
      ? holder
      : whenKnown(holder, (principal) => ({ ...principal, signedBody }));
  };
  /** By what is stored of a credential, a new object after each change, and the scopes that its user had: made anew for each request, they cost most of it. */
  const principals = new WeakMap<object, { most?: readonly Scope[]; principal: Principal }>();
  /** Who has what was granted to them, as far as the user to whom it is bound still has it. */
  const holderOf = (
    credential: object,
    boundTo: string | undefined,
    scopes: readonly Scope[],
    make: () => Omit<Principal, 'scopes' | 'boundTo'>,
  ): Awaitable<Principal> => {
    const known = principals.get(credential);
    const keep = (principal: Principal, most?: readonly Scope[]): Principal => {
      principals.set(credential, { principal, ...(most ? { most } : {}) });
      return principal;
    };
    if (boundTo === undefined) return known?.principal ?? keep({ ...make(), scopes });
    return whenKnown(scopesOfUser(deps.store, boundTo), (most) => {
      if (most.length === 0) throw gone();
      if (known?.most === most) return known.principal;
      return keep({ ...make(), boundTo, scopes: within(scopes, most) }, most);
    });
  };
  const holderOfToken = (
    token: StoredAccessToken,
    { identified }: Caller,
  ): Awaitable<Principal> => {
    const { id, user_id: userId, made_by: person, client_id: countedAs, expires_at } = token;
    const { kind = 'client', bound_to, scopes, program } = token;
    identified?.(id, userId);
    if (expires_at <= deps.clock.now()) throw expired('access token', timestamp(expires_at));
    const make = (): Omit<Principal, 'scopes' | 'boundTo'> =>
      ({ userId, kind, ...defined({ person, program }), via: id, countedAs }); // prettier-ignore
    if (program === undefined) return holderOf(token, bound_to, scopes, make);
    return whenKnown(scopesOfProgram(deps.store, program, token), (most) => {
      if (most.length === 0) throw gone();
      // Not kept by its token: two people limit it.
      return holderOf({}, bound_to, within(scopes, most), make);
    });
  };
  const holderOfOther = (hash: string, caller: Caller): Awaitable<Principal> =>
    whenKnown(deps.store.find(accessTokens, 'hash', hash), (token) =>
      token
        ? holderOfToken(token.doc, caller)
        : whenKnown(deps.store.find(apiKeys, 'previous_hash', hash), (rotated) => {
            if (!rotated?.doc.previous) throw unknownToken();
            return holderOfKey(rotated.doc, rotated.doc.previous, caller);
          }),
    );
  return {
    authenticate(caller, mayBeGuessed = true) {
      const { authorization } = caller;
      const isSeen = authorization !== null && hashes.has(authorization);
      if (!mayBeGuessed && !isSeen && !isUnguessable(bearerOf(authorization))) throw unknownToken();
      const hash = hashOf(authorization);
      const holder = whenKnown(deps.store.find(apiKeys, 'hash', hash), (key) =>
        key ? holderOfKey(key.doc, key.doc, caller) : holderOfOther(hash, caller),
      );
      return whenKnown(holder, (principal) => {
        keepHash(authorization, hash);
        return principal;
      });
    },

    async saveLastUses() {
      if (lastUses.size === 0) return;
      const uses = [...lastUses];
      lastUses.clear();
      await deps.store.transact(async (tx) => {
        for (const [id, { at, address }] of uses) {
          const state = (await tx.get(apiKeyStates, id))?.doc;
          if (!state) continue;
          const used = { last_used_at: timestamp(at), ...defined({ last_used_ip: address }) };
          await tx.replace(apiKeyStates, { ...withoutUse(state), ...used });
        }
      });
    },
  };
}

const withoutUse = ({ last_used_at: _a, last_used_ip: _i, ...state }: ApiKeyState) => state;

/** What an API key, a client, a trust rule, or whose a token is, is called. Undefined: it is gone. */
export async function nameOfCredential(reader: Reader, id: string): Promise<string | undefined> {
  const key = await reader.get(apiKeys, id);
  if (key) return key.doc.name;
  const token = await reader.get(accessTokens, id);
  const holder = token?.doc.client_id ?? id;
  const client = (await reader.get(oauthClients, holder)) ?? (await reader.get(trusts, holder));
  return client?.doc.name;
}

/** Who did something, and with what, as the audit log has it. */
interface Whose {
  readonly actor: string;
  readonly via: string;
}

/** Email addresses of users, and names of keys and clients, by actor; without those that are gone. */
export async function namesOfActors(
  reader: Reader,
  whose: Iterable<Whose>,
): Promise<Readonly<Record<string, string>>> {
  const names = new Map<string, string>();
  for (const { actor, via } of new Map([...whose].map((one) => [one.actor, one])).values()) {
    const user = await findUser(reader, actor);
    const name = user?.email ?? (await nameOfCredential(reader, via));
    if (name !== undefined) names.set(actor, name);
  }
  return Object.fromEntries(names);
}

/** What a person, or else the key or client that they used, is called. Undefined: it is gone. */
export async function nameOfActor(
  reader: Reader,
  { actor, via }: Whose,
): Promise<string | undefined> {
  const user = await findUser(reader, actor);
  return user?.name ?? user?.email ?? (await nameOfCredential(reader, via));
}

function bearerOf(authorization: string | null): string {
  if (authorization === null || authorization === '') {
    throw new GovctlError(
      'invalid_token',
      'The request has no token; send the header Authorization: Bearer <API key or access token>',
      { headers: { 'WWW-Authenticate': 'Bearer realm="govctl"' } },
    );
  }
  const token = /^Bearer +([\x21-\x7e]+) *$/i.exec(authorization)?.[1];
  if (token) return token;
  throw refuse(
    'invalid_token',
    'The Authorization header must be: Bearer <API key or access token>',
  );
}

const unknownToken = (): GovctlError =>
  refuse('invalid_token', 'Unknown API key or access token; it may have been revoked');

const gone = (): GovctlError =>
  refuse('invalid_token', 'The user of this API key or access token is disabled or was deleted');

const retired = (at: string): GovctlError =>
  refuse(
    'invalid_token',
    `The server's own API key was disabled at ${at}, because owners sign in. If no owner can sign in, start the server with --new-api-key`,
  );

function checkExpiry(what: string, at: string | undefined, now: number): void {
  if (at !== undefined && Date.parse(at) <= now) throw expired(what, at);
}

const expired = (what: string, at: string): GovctlError =>
  refuse('expired_token', `The ${what} expired at ${at}; get a new one`);

const refuse = (error: WireErrorName, description: string): GovctlError =>
  new GovctlError(error, description, {
    headers: { 'WWW-Authenticate': 'Bearer realm="govctl", error="invalid_token"' },
  });
