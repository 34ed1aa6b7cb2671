import type { IncomingMessage, ServerResponse } from 'node:http';
import type { InteractionResults, Provider as OidcProvider } from 'oidc-provider';
import { cliClientId } from '../../contract/auth.ts';
import type { Scope } from '../../contract/endpoint.ts';
import { scopes as allScopes } from '../../contract/endpoint.ts';
import { recordAudit } from '../audit/service.ts';
import type { Deps } from '../deps.ts';
import { readBody } from '../http/body.ts';
import type { Actor } from '../http/call.ts';
import type { Peer } from '../http/peer.ts';
import { endGrants, programsOf, removeGranted } from './grants.ts';
import type { Program } from './grants.ts';
import { throughNode } from './node-bridge.ts';
import { pollInterval } from './polls.ts';
import { createProvider, interactionPath } from './provider.ts';
import type { ProviderOptions } from './provider.ts';
import { publishedKeysCached, readSigningKeys } from './signing-keys.ts';

export type { Program } from './grants.ts';
export { idTokenKeyHandlers, maintainSigningKeys } from './signing-keys.ts';

/** A person is asked for something before a client gets its code. */
export interface Interaction {
  readonly uid: string;
  /** Who they are, or whether the client may act for them. */
  readonly asks: 'login' | 'consent';
  readonly client: { readonly id: string; readonly name: string; readonly isOwn: boolean };
  /** That the client wants. */
  readonly scopes: readonly Scope[];
  /** Where the answer goes. */
  readonly redirectUri: string;
  readonly userId: string | undefined;
  /** Milliseconds since the epoch: the client wants a sign-in that is no older. Undefined: it takes any. */
  readonly since?: number;
}

/** A device that waits for a person to let it in. */
export interface WaitingDevice {
  readonly client: { readonly id: string; readonly name: string };
  readonly scopes: readonly Scope[];
  /** The address it asked from. */
  readonly address: string;
  /** ISO 8601. */
  readonly askedAt: string;
}

/** Scopes that a device never gets: its screen is not where the person signed in. */
const notForDevices: readonly Scope[] = ['admin', 'cost:admin'];

export interface Oauth {
  /**
   * Answers a request of the protocol; undefined: it is none.
   * @param loginBegun called before a login begins, which it may refuse by throwing
   */
  answer(request: Request, peer: Peer, loginBegun: () => void): Promise<Response> | undefined;
  /** The grants of the token endpoint that are exchanged for what oidc-provider issued. */
  exchange(params: Readonly<Record<string, string>>, authorization: string | null, peer: Peer): Promise<Response>; // prettier-ignore
  /** What the browser of a request is asked for; undefined: it has expired, or is another's. */
  interaction(request: Request): Promise<Interaction | undefined>;
  /** Goes on with the authorization. @param at when they signed in, in milliseconds since the epoch. @returns a redirect */
  signedIn(request: Request, userId: string, at: number): Promise<Response>;
  /** @param granted what the client gets of what it wants: at most what the user may do */
  consented(request: Request, asked: Interaction & { readonly by: Actor }, granted: readonly Scope[]): Promise<Response>; // prettier-ignore
  refused(request: Request): Promise<Response>;
  /** @param code as a person typed it; undefined: there is none, or it was used */
  findDevice(code: string): Promise<WaitingDevice | undefined>;
  /** @returns false where the code was used or has expired meanwhile. @param decision undefined: the device is refused */
  decideDevice(code: string, decision: { readonly by: Actor; readonly scopes: readonly Scope[] } | undefined): Promise<boolean>; // prettier-ignore
  /** The programs that a person has let in, the last one first. */
  programsOf(userId: string): Promise<readonly Program[]>;
  /** Ends all that a person allowed a program. */
  endProgram(by: Actor, clientId: string): Promise<void>;
}

export type OauthOptions = Omit<ProviderOptions, 'keys' | 'issuer'> & {
  readonly issuer: () => string;
};

const json = 'application/json';
const form = 'application/x-www-form-urlencoded';
const bodyLimits = { bodyTypes: [form], maxBodyBytes: 64 * 1_024 };

/** Loads oidc-provider when it is first needed: few commands need it. */
export function createOauth(deps: Deps, { issuer, hasDevices, ...options }: OauthOptions): Oauth {
  let loaded: { readonly with: string; readonly provider: Promise<OidcProvider> } | undefined;
  /** Another one where the keys have changed; requests under way go on with the one they have. */
  async function load(): Promise<OidcProvider> {
    const keys = await readSigningKeys(deps);
    if (loaded?.with === keys.state) return loaded.provider;
    const provider = createProvider(deps, {
      ...options,
      issuer: issuer(),
      hasDevices,
      keys: keys.open(),
    });
    const loading = { with: keys.state, provider };
    loaded = loading;
    provider.catch(() => {
      if (loaded === loading) loaded = undefined;
    });
    return provider;
  }

  /** The clock of a local server may be another than the system's, the only one that oidc-provider knows. */
  const toSystem = (): number => Date.now() - deps.clock.now();

  /** Has oidc-provider, or a function with its requests and responses, answer. */
  async function bridge(
    request: Pick<Request, 'method' | 'headers'>,
    path: string,
    { body, peer = {}, handle }: Bridging,
  ): Promise<Response> {
    const provider = await load();
    const base = new URL(issuer());
    const handler =
      handle ?? ((incoming, outgoing) => void provider.callback()(incoming, outgoing));
    const headers: Record<string, string> = {
      // Where the service is reached, and who asks, was found out before: nobody says it by headers.
      host: base.host,
      'x-forwarded-host': base.host,
      'x-forwarded-proto': base.protocol.slice(0, -1),
      'x-forwarded-for': peer.remoteAddress ?? '',
    };
    for (const name of ['authorization', 'cookie', 'content-type', 'accept']) {
      const value = request.headers.get(name);
      if (value !== null) headers[name] = value;
    }
    if (body !== undefined) headers['content-length'] = String(Buffer.byteLength(body));
    return throughNode(
      { method: request.method, path, headers, ...(body === undefined ? {} : { body }) },
      (incoming, outgoing) => {
        // A public URL may have a path, which the proxy in front takes away.
        const originalUrl = base.pathname.replace(/\/$/, '') + path;
        return handler(Object.assign(incoming, { originalUrl }), outgoing, provider);
      },
    );
  }

  const bodyOf = async (request: Request): Promise<string> =>
    (await readBody(request, bodyLimits)).bytes.toString('utf8');

  /** Stores the consent of a user to a client, with these scopes and no others. @returns its ID */
  async function grant(
    provider: OidcProvider,
    { by, clientId }: { readonly by: Actor; readonly clientId: string },
    { asked, granted }: { readonly asked: readonly string[]; readonly granted: readonly string[] },
  ): Promise<string> {
    const made = new provider.Grant({ accountId: by.userId, clientId });
    made.addOIDCScope(['openid', 'offline_access', 'email', 'profile', ...granted].join(' '));
    const refused = asked.filter((scope) => !granted.includes(scope));
    if (refused.length > 0) made.rejectOIDCScope(refused.join(' '));
    await deps.store.transact((tx) =>
      recordAudit(deps, tx, by, 'oauth_client.allow', clientId, granted),
    );
    return made.save();
  }

  const finish = (request: Request, result: InteractionResults): Promise<Response> =>
    bridge(request, pathOf(request), {
      handle: (incoming, outgoing, provider) =>
        provider.interactionFinished(incoming, outgoing, result, {
          mergeWithLastSubmission: true,
        }),
    });

  async function answer(
    request: Request,
    peer: Peer,
    route: Routed & { readonly loginBegun: () => void },
  ): Promise<Response> {
    if (route.begins) route.loginBegun();
    const body = request.method === 'POST' ? await bodyOf(request) : undefined;
    const answered = await bridge(request, route.path, {
      ...(body === undefined ? {} : { body }),
      peer,
    });
    if (route.of === 'device' && answered.ok) return deviceAnswer(answered, issuer());
    if (route.of === 'metadata') return metadataAnswer(answered);
    if (route.of === 'keys') answered.headers.set('Cache-Control', `max-age=${publishedKeysCached}`); // prettier-ignore
    return answered;
  }

  return {
    answer(request, peer, loginBegun) {
      const route = routeOf(request);
      if (!route || (route.of === 'device' && !hasDevices)) return undefined;
      return answer(request, peer, { ...route, loginBegun });
    },

    exchange: (params, authorization, peer) =>
      bridge(
        {
          method: 'POST',
          headers: new Headers({
            'content-type': form,
            accept: json,
            ...(authorization === null ? {} : { authorization }),
          }),
        },
        '/auth/token',
        { body: new URLSearchParams(params).toString(), peer },
      ),

    async interaction(request) {
      let found: Interaction | undefined;
      await bridge(request, pathOf(request), {
        async handle(incoming, outgoing, provider) {
          try {
            const { uid, iat, prompt, params, session } = await provider.interactionDetails(incoming, outgoing); // prettier-ignore
            const age = prompt.reasons.includes('login_prompt')
              ? 0
              : prompt.reasons.includes('max_age')
                ? Number(params.max_age)
                : undefined;
            const clientId = String(params.client_id);
            const client = await provider.Client.find(clientId);
            found = {
              uid,
              asks: prompt.name === 'consent' ? 'consent' : 'login',
              client: {
                id: clientId,
                name: client?.clientName ?? clientId,
                isOwn: clientId === cliClientId,
              },
              scopes: scopesOf(String(params.scope ?? '')),
              redirectUri: String(params.redirect_uri),
              userId: session?.accountId,
              ...(age === undefined ? {} : { since: (iat - age) * 1_000 - toSystem() }),
            };
          } catch (error) {
            if (!isExpired(error)) throw error;
          }
          outgoing.end();
        },
      });
      return found;
    },

    signedIn: (request, userId, at) =>
      finish(request, { login: { accountId: userId, ts: Math.floor((at + toSystem()) / 1_000) } }),

    async consented(request, { client, scopes, by }, granted) {
      const provider = await load();
      const grantId = await grant(
        provider,
        { by, clientId: client.id },
        { asked: scopes, granted },
      );
      return finish(request, { consent: { grantId } });
    },

    refused: (request) =>
      finish(request, {
        error: 'access_denied',
        error_description: 'The user denied the login',
      }),

    async findDevice(code) {
      const provider = await load();
      const device = await provider.DeviceCode.findByUserCode(normalized(code));
      if (!device || device.isExpired || device.accountId || device.error) return undefined;
      const { clientId = '', params = {}, deviceInfo = {} } = device;
      const client = await provider.Client.find(clientId);
      return {
        client: { id: clientId, name: client?.clientName ?? clientId },
        scopes: forDevices(scopesOf(String(params.scope ?? ''))),
        address: String(deviceInfo.ip ?? ''),
        askedAt: String(deviceInfo.at ?? ''),
      };
    },

    async decideDevice(code, decision) {
      const provider = await load();
      const device = await provider.DeviceCode.findByUserCode(normalized(code));
      if (!device || device.isExpired || device.accountId || device.error) return false;
      if (!decision) {
        Object.assign(device, {
          error: 'access_denied',
          errorDescription: 'The user denied the login',
        });
      } else {
        const { by } = decision;
        const asked = scopesOf(String(device.params?.scope ?? ''));
        const granted = forDevices(decision.scopes);
        Object.assign(device, {
          accountId: by.userId,
          authTime: Math.floor(Date.now() / 1_000),
          grantId: await grant(provider, { by, clientId: device.clientId ?? '' }, { asked, granted }), // prettier-ignore
          scope: ['openid', 'offline_access', ...granted].join(' '),
        });
      }
      const { InvalidGrant } = await import('oidc-provider/lib/helpers/errors.js');
      try {
        await device.save();
        return true;
      } catch (error) {
        if (!(error instanceof InvalidGrant)) throw error;
        // Somebody else decided at the same moment: nothing comes of this consent.
        const { grantId } = device;
        if (grantId !== undefined) await deps.store.transact((tx) => removeGranted(tx, grantId));
        return false;
      }
    },

    programsOf: (userId) => programsOf(deps, userId),

    endProgram: (by, clientId) =>
      deps.store.transact(async (tx) => {
        await endGrants(tx, by.userId, clientId);
        await recordAudit(deps, tx, by, 'oauth_client.disallow', clientId);
      }),
  };
}

interface Bridging {
  readonly body?: string;
  readonly peer?: Peer;
  readonly handle?: (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    provider: OidcProvider,
  ) => unknown;
}

interface Routed {
  readonly of: 'device' | 'keys' | 'metadata' | 'other';
  /** It begins a login, and stores something for whoever asks. */
  readonly begins?: true;
  /** Path and query, as oidc-provider has it. */
  readonly path: string;
}

const metadata = '/.well-known/openid-configuration';

/** Requests of the protocol, by method and path. */
function routeOf(request: Request): Routed | undefined {
  const { pathname, search } = new URL(request.url);
  const as = (path: string): Routed => ({ of: 'other', path: path + search });
  switch (`${request.method} ${pathname}`) {
    case 'GET /auth/authorize':
      return { of: 'other', path: pathname + queryMode(search), begins: true };
    case 'POST /auth/revoke':
    case 'POST /auth/introspect':
    case 'GET /auth/userinfo':
      return as(pathname);
    case 'GET /.well-known/jwks.json':
      return { of: 'keys', path: pathname };
    case `GET ${metadata}`:
    // RFC 8414 has another name for the same document.
    case 'GET /.well-known/oauth-authorization-server':
      return { of: 'metadata', path: metadata };
    case 'POST /auth/device':
      return { of: 'device', path: pathname, begins: true };
    default:
      return request.method === 'GET' && /^\/auth\/authorize\/[\w-]{1,64}$/.test(pathname)
        ? as(pathname)
        : undefined;
  }
}

/** Codes go back in the query alone: oidc-provider's own pages, which send them otherwise, have scripts. */
function queryMode(search: string): string {
  const params = new URLSearchParams(search);
  const mode = params.get('response_mode');
  if (mode === null || mode === 'query') return search;
  // As any other that it does not know.
  params.set('response_mode', 'unsupported');
  return `?${params.toString()}`;
}

async function metadataAnswer(answered: Response): Promise<Response> {
  const fields = (await answered.json()) as Record<string, unknown>;
  return Response.json({ ...fields, response_modes_supported: ['query'] });
}

/** RFC 8628: the page is at the same path; no link brings the code along, so that nobody is lured into entering another's. */
async function deviceAnswer(answered: Response, issuer: string): Promise<Response> {
  const fields = (await answered.json()) as Record<string, unknown>;
  return Response.json(
    {
      ...fields,
      verification_uri_complete: undefined,
      verification_uri: `${issuer}/auth/device`,
      interval: pollInterval,
    },
    { headers: { 'Cache-Control': 'no-store' } },
  );
}

const pathOf = (request: Request): string => {
  const { pathname } = new URL(request.url);
  return pathname.startsWith(interactionPath) ? pathname : interactionPath;
};

const isExpired = (error: unknown): boolean =>
  error instanceof Error && error.name === 'SessionNotFound';

/** Letters in upper case, without what people put between them. */
const normalized = (code: string): string => code.toUpperCase().replace(/[^A-Z]/g, '');

const scopesOf = (text: string): readonly Scope[] => {
  const names = text.split(' ');
  return allScopes.filter((scope) => names.includes(scope));
};

const forDevices = (scopes: readonly Scope[]): readonly Scope[] =>
  scopes.filter((scope) => !notForDevices.includes(scope));
