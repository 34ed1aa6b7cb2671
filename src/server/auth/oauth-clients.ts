import type {
  ClientGrant,
  OauthClientInput,
  OauthClientUpdate,
} from '../../contract/oauth-clients.ts';
import { defined } from '../../contract/defined.ts';
import { GovctlError } from '../../contract/errors.ts';
import { recordAudit } from '../audit/service.ts';
import { whenKnown } from '../awaitable.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import type { Call } from '../http/call.ts';
import { refuseWider } from '../http/insufficient-scope.ts';
import { checkSameId, invalidField } from '../http/invalid-body.ts';
import { hashSecret, hintOf, newSecret } from '../keys/hashed-secrets.ts';
import { removeFew } from '../store/remove-rows.ts';
import type { Reader, Tx } from '../store/store.ts';
import { checkSameScopes, versionOf } from './api-keys.ts';
import { makerOf } from './authority.ts';
import { accessTokens, grantsOf, oauthClients } from './collection.ts';
import type { PreviousSecret, StoredOauthClient } from './collection.ts';

const plainFields = ({
  hash: _h,
  bound_to: _b,
  previous: _p,
  tokens_since: _t,
  version: _v,
  ...client
}: StoredOauthClient) => client;

/** A client as answered, without its secret. */
export function showClient(client: StoredOauthClient, now: number) {
  const { scopes, redirect_uris: uris, ...plain } = plainFields(client);
  const grants = [...grantsOf(client)];
  const until = client.previous?.expires_at;
  return {
    ...plain,
    client_id: client.id,
    scopes: [...scopes],
    grant_types: grants,
    ...(uris ? { redirect_uris: [...uris] } : {}),
    ...(until !== undefined && Date.parse(until) > now
      ? { previous_secret_expires_at: until }
      : {}),
  };
}

/** @throws GovctlError oauth_client_not_found */
export const readClient = (reader: Reader, id: string): Awaitable<StoredOauthClient> =>
  whenKnown(reader.get(oauthClients, id), (found) => {
    if (found) return found.doc;
    throw new GovctlError(
      'oauth_client_not_found',
      `There is no OAuth client ${id.slice(0, 100)}`,
      {
        hint: 'Use the ID of a client. To list clients, run `govctl client list`.',
      },
    );
  });

/** A client, and its secret, which is shown once. */
export interface NewClient {
  readonly doc: StoredOauthClient;
  readonly client_secret?: string;
}

function newClientSecret({ random }: Deps) {
  const secret = newSecret('gcs', random);
  return { stored: { secret_hint: hintOf(secret), hash: hashSecret(secret) }, secret };
}

type ClientCall = Pick<Call, 'actor' | 'principal' | 'checkMatch'>;

/** @throws GovctlError insufficient_scope */
export async function createOauthClient(
  deps: Deps,
  tx: Tx,
  { principal, actor }: Pick<ClientCall, 'actor' | 'principal'>,
  { name, scopes, redirect_uris: uris, grant_types: types, public: isPublic }: OauthClientInput,
): Promise<NewClient> {
  refuseWider(principal, scopes, 'An OAuth client');
  const made = isPublic === true ? undefined : newClientSecret(deps);
  const doc: StoredOauthClient = {
    id: deps.ids.next('oc'),
    name,
    user_id: deps.ids.next('user'),
    ...makerOf(principal),
    scopes: [...new Set(scopes)],
    grant_types: types ? [...new Set(types)] : defaultGrants(uris !== undefined),
    ...(uris ? { redirect_uris: [...new Set(uris)] } : {}),
    ...(made ? made.stored : { public: true }),
    created_at: timestamp(deps.clock.now()),
  };
  await tx.insert(oauthClients, doc);
  await recordAudit(deps, tx, actor, 'oauth_client.create', doc.id);
  return { doc, ...(made ? { client_secret: made.secret } : {}) };
}

const defaultGrants = (logsPeopleIn: boolean): readonly ClientGrant[] =>
  logsPeopleIn ? ['authorization_code', 'refresh_token'] : ['client_credentials'];

/** Writes nothing if nothing changes. @throws GovctlError not_found, malformed_request, insufficient_scope, or what `checkMatch` throws */
export async function updateClient(
  deps: Deps,
  tx: Tx,
  call: ClientCall,
  { id, update }: { readonly id: string; readonly update: OauthClientUpdate },
): Promise<StoredOauthClient> {
  const before = await readClient(tx, id);
  call.checkMatch(versionOf(before));
  checkSameId('malformed_request', 'OAuth client', id, update.id);
  checkSameScopes('a client', before.scopes, update.scopes);
  const { name = before.name, redirect_uris: uris = before.redirect_uris } = update;
  if (uris && !before.redirect_uris) {
    throw invalidField('malformed_request', 'redirect_uris', 'cannot be added to a client; create a client with redirect_uris'); // prettier-ignore
  }
  const changed = [
    ...(name === before.name ? [] : ['name']),
    ...(uris?.join(' ') === before.redirect_uris?.join(' ') ? [] : ['redirect_uris']),
  ];
  if (changed.length === 0) return before;
  refuseWider(call.principal, before.scopes, 'Updating an OAuth client');
  const client = {
    ...before,
    name,
    ...(uris ? { redirect_uris: [...new Set(uris)] } : {}),
    version: versionOf(before) + 1,
  };
  await tx.replace(oauthClients, client);
  await recordAudit(deps, tx, call.actor, 'oauth_client.update', id, changed);
  return client;
}

/**
 * Replaces the secret; as of an API key, the new one is its holder's. Without an overlap, the tokens that the old one got
 * end with it.
 * @throws GovctlError not_found, insufficient_scope, or what `checkMatch` throws
 */
export async function rotateClient(
  deps: Deps,
  tx: Tx,
  call: ClientCall,
  { id, overlap_seconds: overlap }: { readonly id: string; readonly overlap_seconds: number },
): Promise<NewClient> {
  const before = await readClient(tx, id);
  call.checkMatch(versionOf(before));
  if (before.public) {
    throw new GovctlError('malformed_request', 'A public client has no secret to rotate', {
      hint: 'To revoke the tokens of this client, delete the client and create another.',
    });
  }
  refuseWider(call.principal, before.scopes, 'Rotating an OAuth client');
  const now = deps.clock.now();
  const { stored, secret } = newClientSecret(deps);
  const doc: StoredOauthClient = {
    ...withoutSecret(before),
    ...makerOf(call.principal),
    ...stored,
    ...(overlap > 0
      ? { previous: previousOf(before, now + overlap * 1_000) }
      : { tokens_since: timestamp(now) }),
    rotated_at: timestamp(now),
    version: versionOf(before) + 1,
  };
  await tx.replace(oauthClients, doc);
  if (overlap === 0) await revokeTokens(tx, id);
  await recordAudit(deps, tx, call.actor, 'oauth_client.rotate', id);
  return { doc, client_secret: secret };
}

const withoutSecret = ({ made_by: _m, bound_to: _u, previous: _p, ...client }: StoredOauthClient) =>
  client;

const previousOf = (
  { made_by, bound_to, secret_hint = '', hash = '' }: StoredOauthClient,
  until: number,
): PreviousSecret => ({
  ...defined({ made_by, bound_to }),
  secret_hint,
  hash,
  expires_at: timestamp(until),
});

/** Ends what a user holds of a client: all of it, or only the secret from before a rotation. */
export async function removeClientHolder(
  tx: Tx,
  client: StoredOauthClient,
  userId: string,
): Promise<void> {
  if (client.bound_to === userId) return tx.remove(oauthClients, client.id);
  const { made_by, bound_to } = client;
  const kept = { ...withoutSecret(client), ...defined({ made_by, bound_to }) };
  await tx.replace(oauthClients, { ...kept, version: versionOf(client) + 1 });
}

/** Its own. Those of people who logged in to it can be many: they work only while it is there. */
export const revokeTokens = (tx: Tx, clientId: string): Promise<unknown> =>
  removeFew(tx, accessTokens, { client_id: { any: [clientId] } });
