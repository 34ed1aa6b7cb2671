import { defined } from '../../contract/defined.ts';
import type { Exchange } from '../auth/service.ts';
import type { Deps } from '../deps.ts';
import type { AppOptions } from '../http/app.ts';
import type { Principal } from '../http/call.ts';
import type { RateLimiter } from '../http/limits.ts';
import type { Peer } from '../http/peer.ts';
import { createExchanges } from '../oauth/exchange.ts';
import { createOauth } from '../oauth/service.ts';
import type { Oauth } from '../oauth/service.ts';
import type { Account } from '../oauth/provider.ts';
import { createPages } from '../pages/service.ts';
import { errorPage } from '../pages/error-page.ts';
import { pageHeaders, sessionOf } from '../pages/visit.ts';
import type { Session, SignIn } from '../sign-in/service.ts';
import { findUser } from '../users/service.ts';

export interface LoginOptions {
  readonly signIn: SignIn;
  /** Where browsers reach the service, without a trailing slash. */
  readonly baseUrl: () => string;
  readonly limiter: Pick<RateLimiter, 'loginBegun'>;
  /** Answers a request of this process. */
  readonly fetch: (request: Request, peer: Peer) => Response | Promise<Response>;
  /** Whether devices may log in by a code; default true. */
  readonly deviceLogin?: boolean | undefined;
}

/** All that lets people in: the authorization server and its pages. */
export interface Logins {
  readonly oauth: Oauth;
  readonly exchanges: Readonly<Record<string, Exchange>>;
  readonly beside: NonNullable<AppOptions['beside']>;
}

export function createLogins(
  deps: Deps,
  { signIn, baseUrl, limiter, fetch, deviceLogin: hasDevices = true }: LoginOptions,
): Logins {
  const isSecure = (): boolean => baseUrl().startsWith('https:');
  const oauth = createOauth(deps, {
    issuer: baseUrl,
    hasDevices,
    findAccount: (id) => accountOf(deps, id),
    async signedIn(cookies) {
      const session = await signIn.currentSession(sessionOf(cookies, isSecure()));
      return session && session.needs === undefined ? session.person.id : undefined;
    },
    pageHeaders: pageHeaders({}),
    errorPage,
  });
  const pages = createPages(deps, {
    signIn,
    oauth,
    issuer: baseUrl,
    hasDevices,
    callApi: async (session, method, path, body) =>
      fetch(
        new Request(baseUrl() + path, {
          method,
          ...(body === undefined
            ? {}
            : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
        }),
        { principal: principalOf(session) },
      ),
  });
  return {
    oauth,
    exchanges: createExchanges(oauth, { hasDevices, now: () => deps.clock.now() }),
    beside: (request, peer, requestId) =>
      pages.answer(request, peer, requestId) ??
      oauth.answer(request, peer, () => limiter.loginBegun(peer.remoteAddress)),
  };
}

const principalOf = ({ id, person }: Session): Principal => ({
  userId: person.id,
  kind: 'person',
  person: person.id,
  boundTo: person.id,
  via: id,
  countedAs: person.id,
  scopes: person.scopes,
});

async function accountOf({ store }: Deps, id: string): Promise<Account | undefined> {
  const user = await findUser(store, id);
  if (!user || user.disabled_at !== undefined) return undefined;
  const { email, name, roles } = user;
  return { id, email, roles, ...defined({ name }) };
}
