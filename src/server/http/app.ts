import { Hono } from 'hono';
import { contract } from '../../contract/contract.ts';
import { defined } from '../../contract/defined.ts';
import type { Contract, Endpoint } from '../../contract/endpoint.ts';
import { GovctlError } from '../../contract/errors.ts';
import { whenKnown } from '../awaitable.ts';
import type { Handlers } from './call.ts';
import type { Deps } from '../deps.ts';
import { asKnownError, errorAnswer } from './error-answer.ts';
import { createLargeBodies } from './bodies/large-bodies.ts';
import { createAnswerTurns, createBodyTurns } from './turn-share.ts';
import type { Peer } from './peer.ts';
import { clientOf } from './proxies.ts';
import type { Observe } from '../observe/request-event.ts';
import { createKeysUnderWay } from './idempotency.ts';
import { createRoute, marked, requestIdOf, whyNotAdmitted } from './route.ts';
import type { AnyHandler, RouteOptions } from './route.ts';

export interface App {
  fetch(request: Request, peer: Peer): Response | Promise<Response>;
}

export interface AppOptions extends RouteOptions {
  /** Answers requests for what is no endpoint of the contract: pages, the protocol of logins. Undefined: for no such thing. */
  readonly beside?: (
    request: Request,
    peer: Peer,
    requestId: string,
  ) => Promise<Response> | undefined;
}

/** Contract + handlers → one fetch-style app. Paths, scopes and shapes come from the contract alone. */
export function createApp(deps: Deps, handlers: Handlers, { beside, ...options }: AppOptions): App {
  const hono = new Hono<{ Bindings: Peer }>();
  const nouns: Contract = contract;
  // Handlers' type says that both tables have the same nouns and verbs, with inputs that fit.
  const verbsOf = handlers as unknown as Record<string, Record<string, AnyHandler>>;
  const endpoints: Endpoint[] = [];
  const keys = createKeysUnderWay();
  const large = createLargeBodies();
  const shares = { turns: createAnswerTurns(), bodyTurns: createBodyTurns() };
  for (const [noun, verbs] of Object.entries(nouns)) {
    for (const [verb, endpoint] of Object.entries(verbs)) {
      const handler = verbsOf[noun]?.[verb];
      if (!handler) throw new Error(`no handler for ${noun}.${verb}`);
      const about = { noun, verb, endpoint, handler };
      const route = createRoute({ ...options, ...about, deps, keys, large, ...shares });
      hono.on(endpoint.method, [endpoint.path], route);
      endpoints.push(endpoint);
    }
  }
  hono.onError((error, context) => {
    const requestId = requestIdOf(deps, context.req.raw);
    return errorAnswer(asKnownError(error, deps, requestId), undefined, deps, requestId);
  });
  const refuse = (request: Request, peer: Peer, error: Refused): Response =>
    answerRefused(deps, options.observe, request, peer, error);
  hono.notFound(({ req: { raw }, env }) => {
    const requestId = requestIdOf(deps, raw);
    const page = beside?.(raw, env, requestId);
    if (page) return answerBeside(deps, options.observe, raw, env, { page, requestId });
    const refused = whyUnmatched(endpoints, raw);
    const isUnknown = refused.route === undefined && new URL(raw.url).pathname.startsWith('/v1/');
    if (!isUnknown) return refuse(raw, env, refused);
    return whyNotAdmitted(options, raw, env).then((why) =>
      refuse(raw, env, why === undefined ? refused : { error: asKnownError(why, deps, requestId) }),
    );
  });
  const { local, trustedProxies } = options;
  const answer: App['fetch'] =
    trustedProxies === undefined
      ? hono.fetch
      : (request, peer) => {
          let client: Peer;
          try {
            client = clientOf(request.headers, peer, trustedProxies);
          } catch (error) {
            const known = asKnownError(error, deps, requestIdOf(deps, request));
            return refuse(request, peer, { error: known });
          }
          return hono.fetch(request, client);
        };
  if (!local) return { fetch: answer };
  return {
    fetch: (request, peer) =>
      whenKnown(answer(request, peer), (response) => marked(response, local.mark())),
  };
}

interface Beside {
  readonly page: Promise<Response>;
  readonly requestId: string;
}

/** What is logged of a path: those of pages have secrets of people in them. */
const routeOfPage = (pathname: string): string => pathname.split('/').slice(0, 3).join('/');

async function answerBeside(
  deps: Deps,
  observe: Observe,
  request: Request,
  { remoteAddress: address }: Peer,
  { page, requestId }: Beside,
): Promise<Response> {
  const started = deps.clock.monotonic();
  const route = routeOfPage(new URL(request.url).pathname);
  const response = await page.catch((error: unknown) =>
    errorAnswer(asKnownError(error, deps, requestId), undefined, deps, requestId),
  );
  response.headers.set('X-Request-Id', requestId);
  observe({
    method: request.method,
    path: route,
    route,
    status: response.status,
    durationMs: deps.clock.monotonic() - started,
    requestId,
    ...defined({ address }),
  });
  return response;
}

interface Refused {
  readonly error: ReturnType<typeof asKnownError>;
  /** Absent where it was not looked for, or there is none. */
  readonly route?: string;
}

/** What no route answers. */
function answerRefused(
  deps: Deps,
  observe: Observe,
  request: Request,
  { remoteAddress: address }: Peer,
  { error, route }: Refused,
): Response {
  const started = deps.clock.monotonic();
  const requestId = requestIdOf(deps, request);
  const response = errorAnswer(error, undefined, deps, requestId);
  observe({
    method: request.method,
    path: new URL(request.url).pathname,
    ...defined({ route, address }),
    status: response.status,
    durationMs: deps.clock.monotonic() - started,
    requestId,
    error: error.error,
  });
  return response;
}

/** 405 where the path is known with another method, else 404. */
function whyUnmatched(endpoints: readonly Endpoint[], { method, url }: Request): Refused {
  const { pathname } = new URL(url);
  const parts = pathname.split('/');
  const here = endpoints.filter(({ path }) => matchesPath(path, parts));
  const [first] = here;
  return first
    ? { error: methodNotAllowed(method, here), route: first.path }
    : { error: notFound(pathname) };
}

/** @param given the path's parts: split once for all templates, as a path may have 16,000 */
function matchesPath(template: string, given: readonly string[]): boolean {
  const expected = template.split('/');
  return (
    expected.length === given.length &&
    expected.every((part, at) => (part.startsWith(':') ? given[at] !== '' : part === given[at]))
  );
}

function methodNotAllowed(method: string, here: readonly Endpoint[]): GovctlError {
  const methods = here.flatMap((endpoint) =>
    endpoint.method === 'GET' ? ['GET', 'HEAD'] : [endpoint.method],
  );
  const allow = [...new Set(methods)].join(', ');
  return new GovctlError('method_not_allowed', `This path supports ${allow}, not ${method}`, {
    headers: { Allow: allow },
  });
}

const notFound = (pathname: string): GovctlError =>
  new GovctlError(
    'not_found',
    `There is no path ${pathname.slice(0, 200)}; GET /openapi.json lists all paths`,
  );
