import { contract } from '../../contract/contract.ts';
import { permits } from '../../contract/endpoint.ts';
import { defined } from '../../contract/defined.ts';
import type { BlockList } from 'node:net';
import type { Context } from 'hono';
import type { Endpoint, HandlerInput, Scope } from '../../contract/endpoint.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { SignableRequest } from '../../contract/request-signature.ts';
import { settle, whenKnown } from '../awaitable.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Answer, AnyBody, Call, Caller, Principal, PublicCall } from './call.ts';
import type { Deps } from '../deps.ts';
import { streamBytes } from './byte-body.ts';
import { etagOf, isKnown } from './conditional.ts';
import { asKnownError, errorAnswer } from './error-answer.ts';
import { createQueryParser } from './parse-input.ts';
import { readBody, streamBody } from './body.ts';
import { isLoopback } from './address.ts';
import type { BodyChecks } from './bodies/body-checks.ts';
import type { LargeBodies } from './bodies/large-bodies.ts';
import type { Peer } from './peer.ts';
import { isForwarded } from './proxies.ts';
import { checkSigned, heldUntilSigned } from './signed-body.ts';
import type { Observe } from '../observe/request-event.ts';
import type { LocalHooks } from './local-hooks.ts';
import { insufficientScope } from './insufficient-scope.ts';
import { oneTime } from './idempotency.ts';
import type { KeysUnderWay } from './idempotency.ts';
import type { RateLimiter } from './limits.ts';
import { AuthorisedCall, RequestCall } from './request-call.ts';
import type { TurnShare } from './turn-share.ts';

/**
 * Who sends a request.
 * @param mayBeGuessed false: a token that could be guessed, and was not seen before, is refused unlooked at
 * @throws GovctlError invalid_token or expired_token; address_not_allowed or country_not_allowed; signature_required or
 * signature_invalid
 */
type Authenticate = (caller: Caller, mayBeGuessed: boolean) => Awaitable<Principal>;

export interface RouteOptions {
  readonly authenticate: Authenticate;
  readonly limiter: RateLimiter;
  readonly bodies: BodyChecks;
  readonly observe: Observe;
  /** Milliseconds in which a body must come, and of a streamed one every next part; for tests. */
  readonly bodyWithin?: number;
  /** Bytes of a streamed body; default 2 GiB. */
  readonly maxImportBytes?: number;
  /** What requests are signed for, without a trailing slash. Default: the address that they name. */
  readonly publicUrl?: string | undefined;
  /** Their word is taken for the addresses of clients. */
  readonly trustedProxies?: BlockList | undefined;
  /** Faults, and what is to be seen of it, of a local server. */
  readonly local?: LocalHooks | undefined;
}

/** An endpoint, and all that answers it. */
interface Route extends RouteOptions {
  readonly deps: Deps;
  readonly noun: string;
  readonly verb: string;
  readonly endpoint: Endpoint;
  readonly handler: AnyHandler;
  readonly keys: KeysUnderWay;
  readonly large: LargeBodies;
  readonly turns: TurnShare;
  readonly bodyTurns: TurnShare;
}

type PreparedRoute = Route & { readonly parseQuery: ReturnType<typeof createQueryParser> };

/** One request on its way. */
interface Visit {
  readonly context: Context<{ Bindings: Peer }>;
  readonly request: Request;
  readonly requestId: string;
  /** By the monotonic clock. */
  readonly started: number;
  /** From this machine, to a server that only this machine can reach. */
  readonly isLocal: boolean;
  readonly fault: ReturnType<LocalHooks['faults']['take']>;
  /** Once it is known whose request it is; and what its answer says of limits. */
  principal?: Principal;
  /** Whose credential it is, also where it lets nobody in. */
  sender?: { readonly via: string; readonly userId: string };
  rate: Readonly<Record<string, string>>;
}

interface ReadBody {
  readonly body: unknown;
  /** What tells it apart from others; of a streamed one once it has been read. */
  readonly text: () => string;
}

const nothing = new Uint8Array();
const noBody: ReadBody = { body: undefined, text: () => '' };

type AnyAnswer = Answer<AnyBody>;

export type AnyHandler = (
  input: HandlerInput<Endpoint>,
  call: Call | PublicCall,
) => Awaitable<AnyAnswer>;

/** Answers the requests to an endpoint: who asks, what they send, what the handler says to it, and the answer. */
export function createRoute(
  given: Route,
): (context: Context<{ Bindings: Peer }>) => Awaitable<Response> {
  const route = { ...given, parseQuery: createQueryParser(given.endpoint) };
  return (context) => {
    const visit = begin(route, context);
    const work = (): Awaitable<AnyAnswer> =>
      whenKnown(admit(route, visit), () =>
        whenKnown(route.turns.next(callerOf(route, visit)), () => readAndHandle(route, visit)),
      );
    return settle(
      () => (visit.fault ? visit.fault.befall().then(work) : work()),
      (answer) => succeed(route, visit, answer),
      (thrown) => fail(route, visit, thrown),
    );
  };
}

/** Who shares turns: what anybody may ask for is shared by all who do. */
const callerOf = ({ endpoint }: Route, { principal }: Visit): string =>
  principal?.countedAs ?? endpoint.path;

function begin({ deps, endpoint, local }: Route, context: Visit['context']): Visit {
  const request = context.req.raw;
  return {
    context,
    request,
    started: deps.clock.monotonic(),
    requestId: requestIdOf(deps, request),
    isLocal: local !== undefined && !isForwarded(request.headers),
    fault: local?.faults.take(request.method, endpoint.path, context.req.path),
    rate: {},
  };
}

/**
 * Who asks, and whether they may: the token, the limit of its owner, the scope.
 * @throws GovctlError as `authenticate`; rate_limit_exceeded or insufficient_scope
 */
function admit(
  { endpoint, limiter, authenticate, publicUrl }: Route,
  visit: Visit,
): Awaitable<void> {
  const { context, request, isLocal } = visit;
  const { scope, openWhereLocal } = endpoint;
  const isOpen = openWhereLocal === true && isLocal && namesThisMachine(request.url);
  if (scope === null || isOpen) return undefined;
  const mayBeGuessed = !limiter.failedTooOften(context.env.remoteAddress, isLocal);
  const caller = callerIn(visit, () => signable(request, publicUrl));
  const known = context.env.principal ?? authenticate(caller, mayBeGuessed);
  return whenKnown(known, (bearer) => {
    visit.principal = bearer;
    context.env.trust?.(bearer.countedAs);
    visit.rate = limiter.take(bearer.countedAs, isLocal);
    checkScope(bearer, scope, endpoint);
  });
}

/**
 * Why a request for a path that does not exist is refused before it is told so: who has no token learns of no path.
 * Undefined: its token is good.
 */
export async function whyNotAdmitted(
  { authenticate, limiter, publicUrl, local }: RouteOptions,
  request: Request,
  { principal, remoteAddress: address }: Peer,
): Promise<unknown> {
  const isLocal = local !== undefined && !isForwarded(request.headers);
  const authorization = request.headers.get('authorization');
  const signed = () => signable(request, publicUrl);
  try {
    const mayBeGuessed = !limiter.failedTooOften(address, isLocal);
    const caller = { authorization, address, signed, identified: () => undefined };
    const bearer = principal ?? (await authenticate(caller, mayBeGuessed));
    limiter.take(bearer.countedAs, isLocal);
    return undefined;
  } catch (error) {
    return limiter.failed(error, address, isLocal);
  }
}

const callerIn = (visit: Visit, signed: Caller['signed']): Caller => ({
  authorization: visit.request.headers.get('authorization'),
  address: visit.context.env.remoteAddress,
  signed,
  identified: (via, userId) => (visit.sender = { via, userId }),
});

/** A request as its sender signed it: by the public address, where the server has one. */
function signable(
  { method, url, headers }: Request,
  publicUrl: string | undefined,
): SignableRequest {
  const { origin } = new URL(url);
  const path = url.slice(url.indexOf('/', url.indexOf('://') + 3));
  return { method, url: (publicUrl ?? origin) + path, header: (name) => headers.get(name) };
}

/** What they send, as the contract says it is; then the handler. */
function readAndHandle(route: PreparedRoute, visit: Visit): Awaitable<AnyAnswer> {
  const { endpoint, bodies, bodyTurns, large, noun, verb } = route;
  const { bodyWithin, maxImportBytes, authenticate } = route;
  const { request, principal } = visit;
  const signed = principal?.signedBody;
  const query = route.parseQuery(searchOf(request.url));
  if (endpoint.streamed !== undefined) {
    const isImport =
      endpoint === contract.resources.import || endpoint === contract.costImports.put;
    const limits = { within: bodyWithin, limit: isImport ? maxImportBytes : undefined };
    // It may go on for an hour: longer than the key or the token is good for.
    const checkSender = () => principal && authenticate(callerIn(visit, 'checked'), true);
    const streamed = streamBody(request, endpoint.streamed, { ...limits, checkSender });
    const { body, text } = streamed;
    const sent = signed ? { body: heldUntilSigned(body, text, signed), text } : streamed;
    return handle(route, visit, query, sent);
  }
  if (!endpoint.body) {
    // Whatever else was sent is not read.
    checkSigned(nothing, signed);
    return handle(route, visit, query, noBody);
  }
  const owner = principal?.countedAs ?? '';
  const caller = callerOf(route, visit);
  return large.hold(request, endpoint, owner, () =>
    readBody(request, endpoint, bodyWithin)
      .then((sent) =>
        whenKnown(bodyTurns.next(caller), () => {
          bodyTurns.made(caller, sent.bytes.length);
          checkSigned(sent.bytes, signed);
          return bodies.check(noun, verb, sent, () => ({ owner, signal: request.signal }));
        }),
      )
      .then(({ body, text }) => handle(route, visit, query, { body, text: () => text })),
  );
}

function handle(
  { deps, endpoint, handler, keys }: Route,
  { context, request, requestId, isLocal, principal }: Visit,
  query: unknown,
  { body, text }: ReadBody,
): Awaitable<AnyAnswer> {
  const { method } = endpoint;
  const key = method === 'POST' ? request.headers.get('idempotency-key') : null;
  const sent = (): string => `${method} ${context.req.path} ${text()}`;
  const once = key === null ? undefined : oneTime(key, endpoint.secret === true, sent);
  const call = principal
    ? new AuthorisedCall(deps, request, context.env, requestId, keys, once, isLocal, principal)
    : new RequestCall(deps, request, context.env, requestId, keys, once, isLocal, undefined);
  const params = endpoint.params ? context.req.param() : undefined;
  // Just parsed by its schemas.
  const input = { params, query, body } as HandlerInput<Endpoint>;
  if (!once) return handler(input, call);
  const work = (): Awaitable<AnyAnswer> => call.lettingGo(() => handler(input, call));
  // The text of a stream is known at its end only.
  if (endpoint.streamed !== undefined) return work();
  return whenKnown(call.storedAnswer(), (answer): Awaitable<AnyAnswer> => answer ?? work());
}

function succeed(route: Route, visit: Visit, answer: AnyAnswer): Response {
  const { deps, endpoint, turns } = route;
  if (typeof answer.body === 'string') turns.made(callerOf(route, visit), answer.body.length);
  const bytesEnded = (status: number, bytes: number, failure: unknown): void => {
    if (failure !== undefined) {
      deps.log.error({ request_id: visit.requestId, err: failure }, 'a response was truncated');
    }
    tell(route, visit, { status, bytes });
  };
  return end(route, visit, answerOf(endpoint, visit, answer, bytesEnded), answer.body);
}

function fail(route: Route, visit: Visit, thrown: unknown): Response {
  const { deps, endpoint, limiter } = route;
  const { request, requestId, context, isLocal, rate } = visit;
  const error = hasLeft(request, thrown)
    ? callerLeft()
    : limiter.failed(thrown, context.env.remoteAddress, isLocal);
  const known = asKnownError(error, deps, requestId);
  const response = errorAnswer(known, endpoint, deps, requestId, rate);
  return end(route, visit, response, undefined, known.error);
}

/** Tells of an answer, but for a streamed one, which tells by itself when it has ended. */
function end(
  route: Route,
  visit: Visit,
  response: Response,
  body: AnyBody,
  error?: string,
): Response {
  const { fault, context } = visit;
  if (typeof body !== 'object' || response.body === null) {
    tell(route, visit, { status: response.status, bytes: route.local && bytesIn(body), error });
  }
  return fault ? fault.cutShort(marked(response, `fault=${fault.id}`), context.env) : response;
}

interface Told {
  readonly status: number;
  readonly bytes: number | undefined;
  readonly error?: string | undefined;
}

function tell(
  { deps, endpoint, observe }: Route,
  visit: Visit,
  { status, bytes, error }: Told,
): void {
  const { context, request, started, requestId, principal: sender = visit.sender, fault } = visit;
  observe({
    method: request.method,
    path: context.req.path,
    route: endpoint.path,
    status,
    durationMs: deps.clock.monotonic() - started,
    requestId,
    address: context.env.remoteAddress,
    via: sender?.via,
    actor: sender?.userId,
    error,
    ...defined({ bytes }),
    ...(fault ? { fault: fault.id } : {}),
  });
}

/** Whether work ended because its caller closed the connection: then nobody reads the answer. */
const hasLeft = ({ signal }: Request, thrown: unknown): boolean =>
  signal.aborted && thrown === signal.reason;

const callerLeft = (): GovctlError =>
  new GovctlError('malformed_request', 'The connection was closed before the response');

const bytesIn = (body: AnyBody): number | undefined =>
  typeof body === 'string' ? Buffer.byteLength(body) : undefined;

/** A website whose name leads to this machine (DNS rebinding) asks for it by that name. */
const namesThisMachine = (url: string): boolean =>
  isLoopback(new URL(url).hostname.replace(/^\[(.*)\]$/, '$1'));

const saneId = /^[\w.:/+=-]{1,128}$/;

export function requestIdOf(deps: Deps, request: Request): string {
  const given = request.headers.get('x-request-id');
  return given !== null && saneId.test(given) ? given : deps.ids.next('req');
}

/** Says of an answer what was changed for tests. */
export function marked(response: Response, mark: string | undefined): Response {
  if (mark !== undefined) response.headers.append('X-Govctl-Local', mark);
  return response;
}

function searchOf(url: string): string {
  const start = url.indexOf('?');
  if (start < 0) return '';
  const end = url.indexOf('#', start);
  return end < 0 ? url.slice(start + 1) : url.slice(start + 1, end);
}

function checkScope(
  principal: Principal,
  scope: Scope | 'any',
  { ownForPeople }: Pick<Endpoint, 'ownForPeople'>,
): void {
  if (scope === 'any' || permits(principal.scopes, scope)) return;
  const isPerson = principal.kind === 'person' && principal.program === undefined;
  if (!ownForPeople || !isPerson) throw insufficientScope(principal, scope);
}

function answerOf(
  { response, secret, method }: Endpoint,
  { request, requestId, rate }: Visit,
  answer: AnyAnswer,
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
    const isHead = request.method === 'HEAD';
    if (isHead) body.ended?.();
    const stream = isHead
      ? null
      : streamBytes(body, (bytes, failure) => bytesEnded(status, bytes, failure));
    return new Response(stream, { status, headers: all });
  }
  all['Content-Type'] = response.type ?? 'application/json';
  if (request.method === 'HEAD') all['Content-Length'] = String(Buffer.byteLength(body));
  return new Response(body, { status, headers: all });
}
