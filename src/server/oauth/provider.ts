import type { Configuration, Provider as OidcProvider } from 'oidc-provider';
import type { JWK } from 'jose';
import { cliClientId, tokenExchange } from '../../contract/auth.ts';
import { defined } from '../../contract/defined.ts';
import { scopes } from '../../contract/endpoint.ts';
import { matchesHash } from '../keys/hashed-secrets.ts';
import type { Deps } from '../deps.ts';
import { createAdapterFactory } from './adapter.ts';
import { cliName } from './grants.ts';

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

/** Seconds. */
const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const lifetimes = {
  AccessToken: hour,
  AuthorizationCode: minute,
  ClientCredentials: hour,
  DeviceCode: 10 * minute,
  Grant: 30 * day,
  IdToken: hour,
  Interaction: 10 * minute,
  RefreshToken: 30 * day,
  Session: 12 * hour,
};

/** Letters of the codes that people type: no vowels, so that they make no words. */
const userCodeMask = '****-****';

/** Who uses the authorization server. */
export interface Account {
  readonly id: string;
  readonly email: string;
  readonly name?: string | undefined;
  readonly roles: readonly string[];
}

export interface ProviderOptions {
  /** The base URL of the service, without a trailing slash. */
  readonly issuer: string;
  readonly keys: readonly JWK[];
  /** Whether device codes are issued. */
  readonly hasDevices: boolean;
  /** Undefined: there is no such user, or they are disabled. */
  readonly findAccount: (id: string) => Promise<Account | undefined>;
  /** Who is signed in to the pages of the service, by the Cookie header of a request. */
  readonly signedIn: (cookies: string) => Promise<string | undefined>;
  /** Of every page. */
  readonly pageHeaders: Readonly<Record<string, string>>;
  /** The page of an error, as HTML. */
  readonly errorPage: (error: {
    readonly error: string;
    readonly description?: string;
  }) => Promise<string>;
}

/** oidc-provider as this service uses it: authorization code with PKCE, device codes, refresh tokens, revocation, introspection. */
export async function createProvider(deps: Deps, options: ProviderOptions): Promise<OidcProvider> {
  // Few servers need it, and loading takes a while.
  const { Provider } = await import('oidc-provider/lib/provider.js');
  const { Check, base } = await import('oidc-provider/lib/helpers/interaction_policy/index.js');
  const { issuer, keys, hasDevices, findAccount, signedIn } = options;
  const policy = base();
  // Whoever signs out of the pages is signed out of the authorization server, too.
  policy.get('login')?.checks.add(
    new Check('not_signed_in', 'the user is signed out', async (ctx) => {
      const userId = await signedIn(ctx.get('cookie'));
      return userId !== undefined && userId === ctx.oidc.session?.accountId
        ? Check.NO_NEED_TO_PROMPT
        : Check.REQUEST_PROMPT;
    }),
  );
  const secure = issuer.startsWith('https:');
  const cookie = {
    httpOnly: true,
    sameSite: 'lax',
    secure,
    signed: true,
    overwrite: true,
  } as const;
  const configuration: Configuration = {
    adapter: createAdapterFactory(deps),
    jwks: { keys: keys.map((key) => ({ ...key })) as never },
    clients: [
      {
        client_id: cliClientId,
        client_name: cliName,
        application_type: 'native',
        grant_types: ['authorization_code', 'refresh_token', ...(hasDevices ? [deviceGrant] : [])],
        redirect_uris: ['http://127.0.0.1/callback', 'http://[::1]/callback'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      },
    ],
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    enabledJWA: {
      idTokenSigningAlgValues: ['ES256'],
      userinfoSigningAlgValues: ['ES256'],
      introspectionSigningAlgValues: ['ES256'],
      authorizationSigningAlgValues: ['ES256'],
      clientAuthSigningAlgValues: ['ES256'],
      requestObjectSigningAlgValues: ['ES256'],
    },
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    responseTypes: ['code'],
    scopes: ['openid', 'offline_access', ...scopes],
    claims: { openid: ['sub'], email: ['email'], profile: ['name', 'roles'] },
    cookies: {
      keys: [deps.secrets.fingerprint('cookies of the authorization server')],
      long: cookie,
      short: cookie,
      names: {
        session: 'govctl_oauth',
        interaction: 'govctl_interaction',
        resume: 'govctl_resume',
      },
    },
    features: {
      devInteractions: { enabled: false },
      deviceFlow: {
        enabled: hasDevices,
        charset: 'base-20',
        mask: userCodeMask,
        deviceInfo: (ctx) => ({ ip: ctx.ip, at: new Date().toISOString() }),
      },
      revocation: { enabled: true, allowedPolicy: isOwn },
      introspection: { enabled: true, allowedPolicy: isOwn },
      userinfo: { enabled: true },
      // Requests carry bearer tokens: a token bound to a key would promise more.
      dPoP: { enabled: false },
      resourceIndicators: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      clientCredentials: { enabled: true },
      pushedAuthorizationRequests: { enabled: false },
    },
    findAccount: async (_ctx, id) => {
      const account = await findAccount(id);
      return account && { accountId: id, claims: () => ({ sub: id, ...claimsOf(account) }) };
    },
    interactions: { policy, url: (_ctx, { uid }) => `${interactionPath}${uid}` },
    // Each login is asked about: one that was allowed before would go on unseen.
    loadExistingGrant(ctx) {
      const id = ctx.oidc.result?.consent?.grantId;
      return Promise.resolve(id === undefined ? undefined : ctx.oidc.provider.Grant.find(id));
    },
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    pkce: { required: () => true },
    async renderError(ctx, { error, error_description: description }) {
      ctx.type = 'html';
      ctx.set(options.pageHeaders);
      ctx.body = await options.errorPage({ error, ...defined({ description }) });
    },
    responseModes: undefined,
    rotateRefreshToken: true,
    routes: {
      authorization: '/auth/authorize',
      // The page that people open is the service's own, at /auth/device.
      code_verification: '/auth/device/code',
      device_authorization: '/auth/device',
      end_session: '/auth/end-session',
      introspection: '/auth/introspect',
      jwks: '/.well-known/jwks.json',
      revocation: '/auth/revoke',
      token: '/auth/token',
      userinfo: '/auth/userinfo',
    },
    ttl: lifetimes,
  } as Configuration;
  const provider = new Provider(issuer, configuration);
  // The token endpoint answers CI jobs before any request comes here: it is only advertised.
  provider.registerGrantType(tokenExchange.grant, () => {
    throw new Error('the token endpoint exchanges tokens of CI jobs');
  });
  // The bridge sets these headers; what a caller sends of the kind never comes here.
  provider.proxy = true;
  // Secrets are stored as hashes only.
  provider.Client.prototype.compareClientSecret = function compare(
    this: { clientSecret?: string },
    given: string,
  ) {
    const hashes = (this.clientSecret ?? '').split(' ');
    return hashes.some((hash) => matchesHash(given, hash));
  };
  provider.on('server_error', (_ctx, error) =>
    deps.log.error({ err: error }, 'the authorization server failed'),
  );
  return provider;
}

export const interactionPath = '/auth/interaction/';

/** Nobody sees, or ends, the tokens of another client. */
const isOwn = (
  _ctx: unknown,
  client: { clientId: string },
  token: { clientId?: string | undefined },
): boolean => token.clientId === client.clientId;

const claimsOf = ({ email, name, roles }: Account) => ({ email, name, roles });
