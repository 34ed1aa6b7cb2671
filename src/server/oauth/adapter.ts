import type { Adapter, AdapterPayload } from 'oidc-provider';
import { cliClientId } from '../../contract/auth.ts';
import { defined } from '../../contract/defined.ts';
import { within } from '../../contract/endpoint.ts';
import type { Scope } from '../../contract/endpoint.ts';
import { accessTokens, grantsOf, oauthClients } from '../auth/collection.ts';
import type { StoredAccessToken, StoredOauthClient } from '../auth/collection.ts';
import { scopesOfClient, scopesOfToken } from '../auth/service.ts';
import { hashSecret } from '../keys/hashed-secrets.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { removeFew } from '../store/remove-rows.ts';
import { countRows } from '../store/all-rows.ts';
import type { Tx, Where } from '../store/store.ts';
import { withoutAbsent } from '../without-absent.ts';
import { oauthStates, stateId } from './collection.ts';
import type { StoredOauthState } from './collection.ts';
import { isScope, removeGranted, scopesIn } from './grants.ts';

type StateDeps = Pick<Deps, 'store' | 'secrets' | 'ids' | 'clock'>;

/** Login attempts that are under way. Anybody can begin them. */
const begun = new Set(['Interaction', 'DeviceCode']);

/** Beyond it the oldest end: logins of a person, and what came of one by refreshing it. */
const mostGrants = 100;
const mostRefreshed = { RefreshToken: 250, AccessToken: 100 };

/**
 * Where oidc-provider keeps its state: one adapter for each kind.
 * @param mostBegun login attempts of each kind that are under way at once: beyond it the oldest end
 */
export const createAdapterFactory =
  (deps: StateDeps, mostBegun = 10_000) =>
  (kind: string): Adapter => {
    if (kind === 'AccessToken') return accessTokenAdapter(deps);
    if (kind === 'ClientCredentials') return clientTokenAdapter(deps);
    if (kind === 'Client') return clientAdapter(deps);
    return stateAdapter(deps, kind, mostBegun);
  };

const never = (): Promise<never> =>
  Promise.reject(new Error('this kind does not support this operation'));

function stateAdapter({ store, secrets }: StateDeps, kind: string, mostBegun: number): Adapter {
  const show = (doc: StoredOauthState | undefined): AdapterPayload | undefined =>
    doc && {
      ...(JSON.parse(secrets.open(doc.sealed, doc.id)) as AdapterPayload), // as it was sealed
      ...defined({ consumed: doc.consumed }),
    };
  return {
    async upsert(secret, payload, expiresIn = 0) {
      const id = stateId(kind, secret);
      const { InvalidGrant } = await import('oidc-provider/lib/helpers/errors.js');
      const { grantId, accountId, clientId, uid, userCode, consumed } = payload;
      const doc: StoredOauthState = {
        id,
        kind,
        sealed: secrets.seal(JSON.stringify(payload), id),
        expires_at: Date.now() + expiresIn * 1_000,
        ...defined({
          grant_id: kind === 'Grant' ? secret : grantId,
          user_id: accountId,
          client_id: clientId,
          uid: kind === 'Session' ? uid : undefined,
          user_code: userCode === undefined ? undefined : hashSecret(userCode),
          consumed: typeof consumed === 'number' ? consumed : undefined,
        }),
      };
      await store.transact(async (tx) => {
        await checkGrant(tx, kind, grantId);
        const before = await tx.get(oauthStates, id);
        if (kind === 'DeviceCode' && isDecided(show(before?.doc))) {
          // Between reading and this, somebody else was first.
          throw new InvalidGrant('the login was already approved or denied');
        }
        await (before ? tx.replace(oauthStates, doc) : tx.insert(oauthStates, doc));
        if (before) return;
        if (begun.has(kind)) await removeSurplus(tx, { kind: { any: [kind] } }, mostBegun);
        if (kind === 'RefreshToken' && grantId !== undefined) {
          const of = { grant_id: { any: [grantId] }, kind: { any: [kind] } };
          await removeSurplus(tx, of, mostRefreshed.RefreshToken);
        }
        if (kind === 'Grant' && accountId !== undefined) {
          const of = { user_id: { any: [accountId] }, kind: { any: [kind] } };
          await removeSurplus(tx, of, mostGrants);
        }
      });
    },
    find: async (secret) => show((await store.get(oauthStates, stateId(kind, secret)))?.doc),
    findByUid: async (uid) => show((await store.find(oauthStates, 'uid', uid))?.doc),
    findByUserCode: async (code) =>
      show((await store.find(oauthStates, 'user_code', hashSecret(code)))?.doc),
    async consume(secret) {
      const { InvalidGrant } = await import('oidc-provider/lib/helpers/errors.js');
      await store.transact(async (tx) => {
        const known = (await tx.get(oauthStates, stateId(kind, secret)))?.doc;
        // Between reading and this, another request was first.
        if (!known || known.consumed !== undefined)
          throw new InvalidGrant('the code or token was already used');
        await tx.replace(oauthStates, { ...known, consumed: Math.floor(Date.now() / 1_000) });
      });
    },
    async destroy(secret) {
      const id = stateId(kind, secret);
      await store.transact(async (tx) => {
        if (await tx.get(oauthStates, id)) await tx.remove(oauthStates, id);
        if (kind === 'Grant') await removeGranted(tx, secret);
      });
    },
    async revokeByGrantId(grantId) {
      await store.transact((tx) => removeFew(tx, oauthStates, { grant_id: { any: [grantId] }, kind: { any: [kind] } })); // prettier-ignore
    },
  };
}

/** Kinds that come from a consent. */
const granted = new Set(['AccessToken', 'RefreshToken', 'AuthorizationCode', 'DeviceCode']);

/** What comes from a consent ends with it, also what is made at the very moment: it is looked for where it is stored. */
async function checkGrant(tx: Tx, kind: string, grantId: string | undefined): Promise<void> {
  if (grantId === undefined || !granted.has(kind)) return;
  if (await tx.get(oauthStates, stateId('Grant', grantId))) return;
  const { InvalidGrant } = await import('oidc-provider/lib/helpers/errors.js');
  throw new InvalidGrant('the login has ended');
}

/** Whether a person let a device in, or refused it. */
const isDecided = (device: AdapterPayload | undefined): boolean =>
  device?.accountId !== undefined || device?.error !== undefined || device?.consumed !== undefined;

async function removeSurplus(
  tx: Tx,
  where: Readonly<Record<string, Where>>,
  most: number,
): Promise<void> {
  if ((await countRows(tx, oauthStates, where)) <= most) return;
  // A few at once, as finding them costs more than counting.
  const oldest = { where, orderBy: 'expires_at', direction: 'asc', limit: Math.ceil(most / 100) } as const; // prettier-ignore
  for (const { doc } of (await tx.page(oauthStates, oldest)).rows) {
    await tx.remove(oauthStates, doc.id);
    if (doc.kind === 'Grant' && doc.grant_id !== undefined) await removeGranted(tx, doc.grant_id);
  }
}

/** Access tokens of people are where all access tokens are; what oidc-provider has to know of them is sealed beside. */
function accessTokenAdapter({ store, secrets, ids, clock }: StateDeps): Adapter {
  return {
    async upsert(secret, payload, expiresIn = 0) {
      const userId = payload.accountId;
      if (userId === undefined) throw new Error('an access token must have an account');
      const hash = hashSecret(secret);
      const kept = { ...payload, jti: undefined };
      await store.transact(async (tx) => {
        await checkGrant(tx, 'AccessToken', payload.grantId);
        const before = (await tx.find(accessTokens, 'hash', hash))?.doc;
        const now = clock.now();
        const program = (await tx.get(oauthClients, payload.clientId ?? ''))?.doc;
        const asked = scopesIn(payload.scope);
        const doc: StoredAccessToken = {
          id: before?.id ?? ids.next('tok'),
          hash,
          client_id: userId,
          user_id: userId,
          kind: 'person',
          made_by: userId,
          bound_to: userId,
          scopes: program ? within(asked, await scopesOfClient(tx, program)) : asked,
          created_at: before?.created_at ?? timestamp(now),
          expires_at: now + expiresIn * 1_000,
          ...defined({ grant_id: payload.grantId, program: program?.id }),
          sealed: secrets.seal(JSON.stringify(kept), hash),
        };
        await (before ? tx.replace(accessTokens, doc) : tx.insert(accessTokens, doc));
        if (!before && payload.grantId !== undefined) await removeOldest(tx, payload.grantId);
      });
    },
    async find(secret) {
      const hash = hashSecret(secret);
      const doc = (await store.find(accessTokens, 'hash', hash))?.doc;
      if (doc?.sealed === undefined) return undefined;
      const payload = JSON.parse(secrets.open(doc.sealed, hash)) as AdapterPayload; // as it was sealed
      const left = await scopesOfToken(store, doc);
      // Whose user is disabled lets nobody in, whoever asks.
      if (!left) return undefined;
      const others = (payload.scope ?? '').split(' ').filter((name) => !isScope(name));
      return { ...payload, scope: [...others, ...left].join(' '), jti: secret };
    },
    async destroy(secret) {
      await store.transact((tx) => removeToken(tx, secret));
    },
    async revokeByGrantId(grantId) {
      await store.transact((tx) => removeFew(tx, accessTokens, { grant_id: { any: [grantId] } }));
    },
    consume: never,
    findByUid: never,
    findByUserCode: never,
  };
}

async function removeOldest(tx: Tx, grantId: string): Promise<void> {
  const { rows, total } = await tx.page(accessTokens, {
    where: { grant_id: { any: [grantId] } },
    orderBy: 'expires_at',
    direction: 'asc',
    limit: 10,
  });
  for (const { doc } of rows.slice(0, Math.max(0, total - mostRefreshed.AccessToken))) {
    await tx.remove(accessTokens, doc.id);
  }
}

async function removeToken(tx: Tx, secret: string): Promise<void> {
  const known = await tx.find(accessTokens, 'hash', hashSecret(secret));
  if (known) await tx.remove(accessTokens, known.doc.id);
}

/**
 * Tokens of client credentials and of CI jobs, which are issued elsewhere: to be introspected and revoked. A job has no client of
 * its own: its token is the command line's, so that whoever has it can end it.
 */
const clientTokenAdapter = ({ store, clock }: StateDeps): Adapter => ({
  async find(secret) {
    const doc = (await store.find(accessTokens, 'hash', hashSecret(secret)))?.doc;
    if (!doc || doc.kind === 'person') return undefined;
    const left = await scopesOfToken(store, doc);
    if (!left) return undefined;
    // The clock of a local server may be another than the system's.
    const toSystem = Date.now() - clock.now();
    return {
      kind: 'ClientCredentials',
      jti: secret,
      clientId: doc.kind === 'ci' ? cliClientId : doc.client_id,
      scope: left.join(' '),
      iat: Math.floor((Date.parse(doc.created_at) + toSystem) / 1_000),
      exp: Math.floor((doc.expires_at + toSystem) / 1_000),
    };
  },
  async destroy(secret) {
    await store.transact((tx) => removeToken(tx, secret));
  },
  upsert: never,
  consume: never,
  findByUid: never,
  findByUserCode: never,
  revokeByGrantId: () => Promise.resolve(),
});

/** OAuth clients of the service, which authenticate with their secret; it is compared as a hash. */
const clientAdapter = ({ store, clock }: StateDeps): Adapter => ({
  async find(id) {
    const doc = (await store.get(oauthClients, id))?.doc;
    const scopes = doc ? await scopesOfClient(store, doc) : [];
    // Whoever made it has lost all that it may do.
    if (!doc || scopes.length === 0) return undefined;
    return clientMetadata(doc, scopes, clock.now()) as AdapterPayload;
  },
  upsert: never,
  consume: never,
  destroy: never,
  findByUid: never,
  findByUserCode: never,
  revokeByGrantId: never,
});

function clientMetadata(doc: StoredOauthClient, scopes: readonly Scope[], now: number) {
  const { id, name, hash, previous, redirect_uris: uris } = doc;
  // After a rotation, both work for a while.
  const hashes = [hash, previous && Date.parse(previous.expires_at) > now ? previous.hash : undefined]; // prettier-ignore
  return withoutAbsent({
    client_id: id,
    client_name: name,
    client_secret: doc.public ? undefined : hashes.filter((one) => one !== undefined).join(' '),
    // Programs on a person's computer listen where they can: any port of their loopback address is theirs.
    application_type: doc.public ? 'native' : 'web',
    grant_types: [...grantsOf(doc)],
    redirect_uris: [...(uris ?? [])],
    response_types: uris ? ['code'] : [],
    scope: [...(uris ? ['openid', 'offline_access', 'email', 'profile'] : []), ...scopes].join(' '),
    token_endpoint_auth_method: doc.public ? 'none' : 'client_secret_basic',
  });
}
