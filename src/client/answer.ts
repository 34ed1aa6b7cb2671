import type { Endpoint } from '../contract/endpoint.ts';
import type { ErrorBody as ErrorBodyType } from '../contract/error-body.ts';
import { ErrorBody } from '../contract/error-body.ts';
import type { ErrorName } from '../contract/errors.ts';
import { GovctlError, errorCatalogue } from '../contract/errors.ts';
import { parseToFirstIssue } from '../contract/parse-to-first-issue.ts';
import type { HttpAnswer } from './http.ts';

/** Reads and checks a 2xx answer. @throws GovctlError bad_answer when it is not what the contract says */
export async function readAnswer(
  response: HttpAnswer,
  endpoint: Endpoint,
  what: string,
): Promise<{ readonly data: unknown; readonly characters: number }> {
  const text = await readText(response, what);
  const characters = text.length;
  const schema = endpoint.response.body;
  // A description that shows no body for this answer allows an empty one.
  if (schema === undefined || text.trim() === '') return { data: undefined, characters };
  if (!isJson(endpoint.response.type)) return { data: text, characters };
  // One problem is told: a hostile answer has millions.
  const parsed = parseToFirstIssue(schema, parseJson(text, response, what));
  if (parsed.success) return { data: parsed.data, characters };
  const issue = parsed.error.issues[0];
  throw badAnswer(
    response,
    what,
    `the field ${issue?.path.join('.') || '(whole body)'} is not valid: ${issue?.message ?? 'unknown'}`,
  );
}

/** JSON lines are none. */
const isJson = (type = 'application/json'): boolean => /[/+]json\b/.test(type);

export async function readText(response: HttpAnswer, what: string): Promise<string> {
  try {
    return await response.text();
  } catch (cause) {
    throw new GovctlError('unreachable', `The response to ${what} was truncated`, {
      cause,
      hint: 'Try again. If the request changes something, first check whether the change was made.',
    });
  }
}

/** @throws GovctlError bad_answer */
export function parseJson(text: string, response: HttpAnswer, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badAnswer(response, what, `the response is not JSON and begins with ${quoteStart(text)}`);
  }
}

const quoteStart = (text: string): string =>
  JSON.stringify(
    text
      .replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
      .trim()
      .slice(0, 60),
  );

export function badAnswer(response: HttpAnswer, what: string, why: string): GovctlError {
  return new GovctlError('bad_answer', `${what} returned ${response.status}, but ${why}`, {
    status: response.status,
    hint: 'Check that the base URL points to the governance service and not a proxy or login page in front of it.',
    ...requestId(response),
  });
}

/** Characters of a server's message that are shown: it may be anything. */
const longestMessage = 2_000;
const mostDetails = 100;

const byStatus: Readonly<Record<number, ErrorName>> = {
  400: 'malformed_request',
  401: 'invalid_token',
  403: 'insufficient_scope',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'policy_name_taken',
  412: 'precondition_failed',
  413: 'body_too_large',
  415: 'unsupported_media_type',
  429: 'rate_limit_exceeded',
  503: 'unavailable',
};

/** The GovctlError of a non-2xx answer: the server's own by name where the catalogue has it, else by status. */
export async function errorFromResponse(response: HttpAnswer, what: string): Promise<GovctlError> {
  const text = await response.text().catch(() => '');
  const body = asErrorBody(text);
  if (!body && isJustDown(response.status)) return notBehindIt(response, what);
  const name = nameOf(body, response.status);
  if (name === undefined) {
    const seen =
      response.status >= 300 && response.status < 400 ? redirect(response) : quoteStart(text);
    return badAnswer(response, what, `this API never returns this status (${seen})`);
  }
  const said =
    body?.error_description ??
    body?.message ??
    (body?.error && !isErrorName(body.error) ? body.error : undefined);
  const description =
    said?.slice(0, longestMessage) ??
    `${errorCatalogue[name].title} (${what} returned ${response.status}${text && !body ? `: ${quoteStart(text)}` : ''})`;
  return new GovctlError(name, description, {
    status: response.status,
    ...(body?.details ? { details: shorten(body.details) } : {}),
    ...(body?.request_id ? { requestId: body.request_id } : requestId(response)),
    ...(body ? { extra: body } : {}),
    ...(body?.hint === undefined ? hintFor(name) : { hint: body.hint.slice(0, longestMessage) }),
  });
}

/** What a proxy answers when the service behind it is down: a page of its own, which says nothing to people here. */
const isJustDown = (status: number): boolean => [502, 503, 504].includes(status);

const notBehindIt = (response: HttpAnswer, what: string): GovctlError =>
  new GovctlError(
    'unavailable',
    `${what} returned ${response.status} without a response from the service, which may be down behind its proxy`,
    {
      status: response.status,
      hint: 'Check that the service is running and that the proxy forwards requests to it, then try again.',
      ...requestId(response),
    },
  );

/** What is shown of the details: a server may send millions. */
const shorten = (details: NonNullable<ErrorBodyType['details']>) =>
  details.slice(0, mostDetails).map(({ field, message, ...rest }) => ({
    ...rest,
    field: field.slice(0, longestMessage),
    message: message.slice(0, longestMessage),
  }));

function redirect(response: HttpAnswer): string {
  return `a redirect to ${response.headers.get('location') ?? 'nowhere'}; redirects are not followed`;
}

function asErrorBody(text: string): ErrorBodyType | undefined {
  try {
    const parsed = parseToFirstIssue(ErrorBody, JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined; // HTML from a proxy: the status speaks then
  }
}

const isErrorName = (name: string): name is ErrorName => Object.hasOwn(errorCatalogue, name);

function nameOf(body: ErrorBodyType | undefined, status: number): ErrorName | undefined {
  if (body && isErrorName(body.error) && errorCatalogue[body.error].status !== null)
    return body.error;
  return (
    byStatus[status] ??
    (status >= 500 ? 'internal_error' : status >= 400 ? 'malformed_request' : undefined)
  );
}

function hintFor(name: ErrorName): { hint?: string } {
  if (name === 'invalid_token' || name === 'expired_token') {
    return {
      hint: 'If GOVCTL_TOKEN is set, replace or unset it. Otherwise run `govctl auth login`.',
    };
  }
  if (name === 'insufficient_scope')
    return { hint: 'Run `govctl auth status` to see your identity and scopes.' };
  if (name === 'rate_limit_exceeded') return { hint: 'Wait, then try again.' };
  if (name === 'internal_error' || name === 'unavailable') {
    const what = name === 'internal_error' ? 'This is an error in the service. ' : '';
    return { hint: `${what}Try again later, or check the log of the service.` };
  }
  return {};
}

function requestId(response: HttpAnswer): { requestId?: string } {
  const id = response.headers.get('x-request-id');
  return id ? { requestId: id } : {};
}
