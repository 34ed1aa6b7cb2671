import { defined } from '../../contract/defined.ts';
import { permits, within } from '../../contract/endpoint.ts';
import type { Scope } from '../../contract/endpoint.ts';
import { whenKnown } from '../awaitable.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Principal } from '../http/call.ts';
import { insufficientScope } from '../http/insufficient-scope.ts';
import type { Reader } from '../store/store.ts';
import { scopesOfUser } from '../users/service.ts';
import { oauthClients } from './collection.ts';
import type { StoredAccessToken, StoredOauthClient } from './collection.ts';

/** Who is behind what a caller makes: nobody becomes two people, or gets more than they have, by making keys. */
export const makerOf = ({ person, userId, boundTo }: Principal) => ({
  made_by: person ?? userId,
  ...defined({ bound_to: boundTo }),
});

/**
 * Whose keys a caller reaches: their own, of a person without `admin`. Undefined: everybody's.
 * @throws GovctlError insufficient_scope for others without `admin`
 */
export function reachOf(principal: Principal): string | undefined {
  if (permits(principal.scopes, 'admin')) return undefined;
  const { kind, boundTo, program } = principal;
  if (kind === 'person' && boundTo !== undefined && program === undefined) return boundTo;
  throw insufficientScope(principal, 'admin');
}

/** What a client may do now: it loses what its maker loses. */
export const scopesOfClient = (
  reader: Reader,
  { scopes, bound_to: maker }: Pick<StoredOauthClient, 'scopes' | 'bound_to'>,
): Awaitable<readonly Scope[]> =>
  maker === undefined
    ? scopes
    : whenKnown(scopesOfUser(reader, maker), (most) => within(scopes, most));

/** What the program that a token was given to may do now: nothing where it, or its logins, ended since. */
export const scopesOfProgram = (
  reader: Reader,
  id: string,
  { created_at: at }: Pick<StoredAccessToken, 'created_at'>,
): Awaitable<readonly Scope[]> =>
  whenKnown(reader.get(oauthClients, id), (found) =>
    found && at >= (found.doc.tokens_since ?? '') ? scopesOfClient(reader, found.doc) : [],
  );
