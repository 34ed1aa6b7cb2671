import { defined } from '../../contract/defined.ts';
import { Hono } from 'hono';
import type { Context } from 'hono';
import { contract } from '../../contract/contract.ts';
import type { Contract, Endpoint, HandlerInput } from '../../contract/endpoint.ts';
import { GovctlError } from '../../contract/errors.ts';
import { settle, whenKnown } from '../awaitable.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Answer, AnyBody, Call, Handlers, Principal, PublicCall } from './call.ts';
import type { Deps } from '../deps.ts';
import { streamBytes } from './byte-body.ts';
import { etagOf, isKnown } from './conditional.ts';
import { asKnownError, errorAnswer } from './error-answer.ts';
import { createQueryParser } from './parse-input.ts';
import { readBody, streamBody } from './body.ts';
import { isLoopback } from './address.ts';
import type { BodyChecks } from './bodies/body-checks.ts';
import { createLargeBodies } from './bodies/large-bodies.ts';
import type { LargeBodies } from './bodies/large-bodies.ts';
import type { Peer } from './peer.ts';
import type { Observe } from '../observe/request-event.ts';
import type { LocalHooks } from './local-hooks.ts';
import { createKeysUnderWay, oneTime } from './idempotency.ts';
import type { KeysUnderWay } from './idempotency.ts';
import type { RateLimiter } from './limits.ts';
import { AuthorisedCall, RequestCall } from './request-call.ts';

/**
 * Who the bearer of an Authorization header is.
 * @param mayBeGuessed false: a token that could be guessed, and was not seen before, is refused unlooked at
 * @throws GovctlError invalid_token or expired_token */
type Authenticate = (authorization: string | null, mayBeGuessed: boolean) => Awaitable<Principal>;

export interface AppOptions {
  readonly authenticate: Authenticate;
  readonly limiter: RateLimiter;
  readonly bodies: BodyChecks;
  readonly observe: Observe;
  /** Milliseconds in which a body must come, and of a streamed one every next part; for tests. */
  readonly bodyWithin?: number;
  /** Bytes of a streamed body; default 2 GiB. */
  readonly maxImportBytes?: number;
  /** Faults, and what is to be seen of it, of a local server. */
  readonly local?: LocalHooks | undefined;
}

export interface App {
  fetch(request: Request, peer: Peer): Response | Promise<Response>;
}

/** Contract + handlers → one fetch-style app. Paths, scopes and shapes come from the contract alone. */
export function createApp(deps: Deps, handlers: Handlers, options: AppOptions): App {
  const hono = new Hono<{ Bindings: Peer }>();
  const nouns: Contract = contract;
  // Handlers' type says that both tables have the same nouns and verbs, with inputs that fit.
  const verbsOf = handlers as unknown as Record<string, Record<string, AnyHandler>>;
  const endpoints: Endpoint[] = [];
  const keys = createKeysUnderWay();
  const large = createLargeBodies();
  for (const [noun, verbs] of Object.entries(nouns)) {
    for (const [verb, endpoint] of Object.entries(verbs)) {
      const handler = verbsOf[noun]?.[verb];
      if (!handler) throw new Error(`no handler for ${noun}.${verb}`);
      const route = createRoute(deps, endpoint, handler, { ...options, keys, large, noun, verb });
      hono.on(endpoint.method, [endpoint.path], route);
      endpoints.push(endpoint);
    }
  }
  hono.onError((error, context) => {
    const requestId = requestIdOf(deps, context.req.raw);
    return errorAnswer(asKnownError(error, deps, requestId), undefined, deps, requestId);
  });
  hono.notFound((context) => answerUnmatched(deps, endpoints, context.req.raw, options.observe));
  const { local } = options;
  if (!local) return hono;
  return {
    fetch: (request, peer) =>
      whenKnown(hono.fetch(request, peer), (response) => marked(response, local.mark())),
  };
}

/** Says of an answer what was changed for tests. */
function marked(response: Response, mark: string | undefined): Response {
  if (mark !== undefined) response.headers.append('X-Govctl-Local', mark);
  return response;
}

interface ReadBody {
  readonly body: unknown;
  /** What tells it apart from others; of a streamed one once it has been read. */
  readonly text: () => string;
}

const noBody: ReadBody = { body: undefined, text: () => '' };

type AnyAnswer = Answer<AnyBody>;

type AnyHandler = (input: HandlerInput<Endpoint>, call: Call | PublicCall) => Awaitable<AnyAnswer>;

function createRoute(
  deps: Deps,
  endpoint: Endpoint,
  handler: AnyHandler,
  {
    authenticate,
    limiter,
    bodies,
    observe,
    local,
    bodyWithin,
    maxImportBytes,
    keys,
    large,
    noun,
    verb,
  }: AppOptions & {
    readonly keys: KeysUnderWay;
    readonly large: LargeBodies;
    readonly noun: string;
    readonly verb: string;
  },
): (context: Context<{ Bindings: Peer }>) => Awaitable<Response> {
  const parseQuery = createQueryParser(endpoint);
  const { scope, openWhereLocal, method, path: route } = endpoint;
  const streamed = { within: bodyWithin, limit: maxImportBytes };
  return (context) => {
    const request = context.req.raw;
    const started = deps.clock.monotonic();
    const requestId = requestIdOf(deps, request);
    let principal: Principal | undefined;
    let rate: Readonly<Record<string, string>> = {};
    const { path } = context.req;
    const isLocal = local !== undefined && !isForwarded(request.headers);
    const { remoteAddress } = context.env;
    const fault = local?.faults.take(request.method, route, path);

    const handle = (query: unknown, parsed: ReadBody): Awaitable<AnyAnswer> => {
      const key = method === 'POST' ? request.headers.get('idempotency-key') : null;
      const sent = (): string => `${method} ${path} ${parsed.text()}`;
      const once = key === null ? undefined : oneTime(key, endpoint.secret === true, sent);
      const call = principal
        ? new AuthorisedCall(deps, request, context.env, requestId, keys, once, isLocal, principal)
        : new RequestCall(deps, request, context.env, requestId, keys, once, isLocal, undefined);
      const params = endpoint.params ? context.req.param() : undefined;
      // Just parsed by its schemas.
      const input = { params, query, body: parsed.body } as HandlerInput<Endpoint>;
      return once ? call.lettingGo(() => handler(input, call)) : handler(input, call);
    };
    const asker = () => ({ owner: principal?.countedAs ?? '', signal: request.signal });
    const readAndHandle = (): Awaitable<AnyAnswer> => {
      const query = parseQuery(searchOf(request.url));
      if (endpoint.streamed !== undefined) {
        return handle(query, streamBody(request, endpoint.streamed, streamed));
      }
      if (!endpoint.body) return handle(query, noBody);
      return large.hold(request, endpoint, asker().owner, () =>
        readBody(request, endpoint, bodyWithin)
          .then((sent) => bodies.check(noun, verb, sent, asker))
          .then(({ body, text }) => handle(query, { body, text: () => text })),
      );
    };
    const work = (): Awaitable<AnyAnswer> => (fault ? fault.befall().then(whole) : whole());
    const whole = (): Awaitable<AnyAnswer> => {
      const isOpen = openWhereLocal === true && isLocal && namesThisMachine(request.url);
      if (scope === null || isOpen) return readAndHandle();
      const mayBeGuessed = !limiter.failedTooOften(remoteAddress, isLocal);
      const authorization = request.headers.get('authorization');
      return whenKnown(authenticate(authorization, mayBeGuessed), (bearer) => {
        principal = bearer;
        context.env.trust?.(bearer.countedAs);
        rate = limiter.take(bearer.countedAs, isLocal);
        checkScope(bearer, scope);
        return readAndHandle();
      });
    };
    const ended = (status: number, bytes: number | undefined, error?: string): void =>
      observe({
        method: request.method,
        path,
        route,
        status,
        durationMs: deps.clock.monotonic() - started,
        requestId,
        via: principal?.via,
        error,
        ...defined({ bytes }),
        ...(fault ? { fault: fault.id } : {}),
      });
    /** A streamed body tells by itself when it has ended. */
    const end = (response: Response, body: AnyBody, error?: string): Response => {
      if (typeof body !== 'object' || response.body === null) {
        ended(response.status, local && bytesIn(body), error);
      }
      return fault ? fault.cutShort(marked(response, `fault=${fault.id}`), context.env) : response;
    };
    return settle(
      work,
      (answer) => {
        const bytesEnded = (status: number, bytes: number, failure: unknown): void => {
          if (failure !== undefined) {
            deps.log.error({ request_id: requestId, err: failure }, 'an answer was cut off');
          }
          ended(status, bytes);
        };
        const response = answerOf(endpoint, request, answer, requestId, rate, bytesEnded);
        return end(response, answer.body);
      },
      (thrown) => {
        const error = hasLeft(request, thrown)
          ? callerLeft()
          : limiter.failed(thrown, remoteAddress, isLocal);
        const known = asKnownError(error, deps, requestId);
        return end(errorAnswer(known, endpoint, deps, requestId, rate), undefined, known.error);
      },
    );
  };
}

/** Whether work ended because its caller closed the connection: then nobody reads the answer. */
const hasLeft = ({ signal }: Request, thrown: unknown): boolean =>
  signal.aborted && thrown === signal.reason;

const callerLeft = (): GovctlError =>
  new GovctlError('malformed_request', 'The connection was closed before the answer');

const bytesIn = (body: AnyBody): number | undefined =>
  typeof body === 'string' ? Buffer.byteLength(body) : undefined;

/** A website whose name leads to this machine (DNS rebinding) asks for it by that name. */
const namesThisMachine = (url: string): boolean =>
  isLoopback(new URL(url).hostname.replace(/^\[(.*)\]$/, '$1'));

/** Whether a proxy says that a request came from elsewhere: then it is not from this machine, wherever the proxy is. */
const isForwarded = (headers: Headers): boolean =>
  headers.has('forwarded') || headers.has('x-forwarded-for');

const saneId = /^[\w.:/+=-]{1,128}$/;

function requestIdOf(deps: Deps, request: Request): string {
  const given = request.headers.get('x-request-id');
  return given !== null && saneId.test(given) ? given : deps.ids.next('req');
}

function searchOf(url: string): string {
  const start = url.indexOf('?');
  if (start < 0) return '';
  const end = url.indexOf('#', start);
  return end < 0 ? url.slice(start + 1) : url.slice(start + 1, end);
}

function checkScope(principal: Principal, scope: NonNullable<Endpoint['scope']>): void {
  if (principal.scopes.includes(scope)) return;
  const has = principal.scopes.join(' ');
  throw new GovctlError(
    'insufficient_scope',
    `This takes the scope ${scope}; the token has: ${has || 'none'}`,
    {
      headers: {
        'WWW-Authenticate': `Bearer realm="govctl", error="insufficient_scope", scope="${scope}"`,
      },
    },
  );
}

function answerOf(
  { response, secret, method }: Endpoint,
  request: Request,
  answer: AnyAnswer,
  requestId: string,
  rate: Readonly<Record<string, string>>,
  bytesEnded: (status: number, bytes: number, failure: unknown) => void,
): Response {
  const { body, revision, isMoving, headers } = answer;
  const status = answer.status ?? response.status;
  const all: Record<string, string> = { 'X-Request-Id': requestId, ...rate, ...headers };
  if (revision !== undefined) {
    all.ETag = etagOf(revision);
    const known = isMoving !== true && isKnown(request.headers.get('if-none-match'), revision);
    if (method === 'GET' && known) {
      return new Response(null, { status: 304, headers: all });
    }
  }
  if (secret) all['Cache-Control'] = 'no-store';
  if (body === undefined) return new Response(null, { status, headers: all });
  if (typeof body === 'object') {
    all['Content-Type'] = body.type;
    if (body.size !== undefined) all['Content-Length'] = String(body.size);
    const stream =
      request.method === 'HEAD'
        ? null
        : streamBytes(body, (bytes, failure) => bytesEnded(status, bytes, failure));
    return new Response(stream, { status, headers: all });
  }
  all['Content-Type'] = response.type ?? 'application/json';
  if (request.method === 'HEAD') all['Content-Length'] = String(Buffer.byteLength(body));
  return new Response(body, { status, headers: all });
}

/** 405 where the path is known with another method, else 404. */
function answerUnmatched(
  deps: Deps,
  endpoints: readonly Endpoint[],
  request: Request,
  observe: Observe,
): Response {
  const started = deps.clock.monotonic();
  const requestId = requestIdOf(deps, request);
  const { pathname } = new URL(request.url);
  const here = endpoints.filter(({ path }) => matchesPath(path, pathname));
  const error = here.length > 0 ? methodNotAllowed(request.method, here) : notFound(pathname);
  const response = errorAnswer(error, undefined, deps, requestId);
  observe({
    method: request.method,
    path: pathname,
    ...(here[0] ? { route: here[0].path } : {}),
    status: response.status,
    durationMs: deps.clock.monotonic() - started,
    requestId,
    error: error.error,
  });
  return response;
}

function matchesPath(template: string, pathname: string): boolean {
  const expected = template.split('/');
  const given = pathname.split('/');
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
  return new GovctlError('method_not_allowed', `This path takes ${allow}, not ${method}`, {
    headers: { Allow: allow },
  });
}

const notFound = (pathname: string): GovctlError =>
  new GovctlError(
    'not_found',
    `There is no ${pathname.slice(0, 200)} here; GET /openapi.json lists every path`,
  );
