import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type * as z from 'zod';
import { countFindings, describeIssues } from '../../../contract/describe-issues.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { maxNested, maxNestedOfBody, maxObjectBytes } from '../../../contract/endpoint.ts';
import type { WireErrorName } from '../../../contract/errors.ts';
import { GovctlError } from '../../../contract/errors.ts';
import { countNested, countValues } from '../../../inventory/count-values.ts';
import { parseForm } from './read-form.ts';
import { parseJson } from './read-json.ts';
import { inThrees } from '../../../contract/in-threes.ts';

export interface CheckedBody {
  readonly body: unknown;
  /** Identifies the body: its text, or the digest of a large body. */
  readonly text: string;
}

/** Beyond this many values a body that is too large is refused before its validation. */
const mostValues = 250_000;

/** Up to this many bytes a body is stored as sent, and parsed in the main thread. */
export const smallBody = 64 * 1024;

/**
 * Parses a body and validates it against its endpoint's schema.
 * @param type the media type alone, in lower case
 * @throws GovctlError malformed_request, body_too_large, or the endpoint's `invalid_…`
 */
export function checkBody(endpoint: Endpoint, bytes: Buffer, type: string): CheckedBody {
  if (!isUtf8(bytes)) throw new GovctlError('malformed_request', 'The body is not valid UTF-8');
  const read = bytes.toString('utf8');
  const text = read.startsWith('\ufeff') ? read.slice(1) : read;
  const given = type === 'application/x-www-form-urlencoded' ? parseForm(text) : parseJson(text);
  const isLong = bytes.length > maxObjectBytes;
  // Validating this many values could take more memory than a thread has.
  if (isLong && countValues(given) > mostValues) checkSizes(endpoint, given);
  // Each list or map takes at least two characters.
  if (bytes.length > 2 * maxNested) checkNested(endpoint, given);
  const error = invalidBodyError(endpoint);
  const body = endpoint.body && checkInput(endpoint.body, given, error, 'The body is not valid');
  if (bytes.length <= smallBody) return { body, text };
  if (isLong) checkSizes(endpoint, body);
  return { body, text: `sha256 ${createHash('sha256').update(bytes).digest('base64url')}` };
}

/** The endpoint's own `invalid_…` error if it declares one. */
const invalidBodyError = (endpoint: Endpoint): WireErrorName =>
  endpoint.errors.find((name) => name.startsWith('invalid_')) ?? 'malformed_request';

/** @throws GovctlError `error`, with details */
export function checkInput(
  schema: z.ZodType,
  given: unknown,
  error: WireErrorName,
  what: string,
): unknown {
  const parsed = schema.safeParse(given, { reportInput: true });
  if (parsed.success) return parsed.data;
  const details = describeIssues(schema, given, parsed.error.issues);
  const [first] = details;
  const said = first ? `${what}: ${first.field || 'it'} ${first.message}` : what;
  const count = countFindings(parsed.error.issues);
  const more = count > 1 ? ` (and ${count - 1} more)` : '';
  throw new GovctlError(error, said + more, { details });
}

/** Bounds the size of each object, as objects are stored and sent in one piece. @throws GovctlError body_too_large */
function checkSizes(endpoint: Endpoint, body: unknown): void {
  const { objectBytes: most = maxObjectBytes } = endpoint;
  const isLarge = (value: unknown): boolean => Buffer.byteLength(JSON.stringify(value)) > most;
  checkObjects(endpoint, body, isLarge, `is larger than ${most / (1 << 20)} MiB as JSON`);
}

/** Bounds the nesting of each object, as objects move between threads in one piece. @throws GovctlError body_too_large */
function checkNested(endpoint: Endpoint, body: unknown): void {
  const all = countNested(body);
  if (all <= maxNested) return;
  const manyNested = (value: unknown): boolean => countNested(value) > maxNested;
  checkObjects(endpoint, body, manyNested, hasMore(maxNested));
  if (all > maxNestedOfBody) throw refuse('body', hasMore(maxNestedOfBody));
}

export const hasMore = (most: number): string => `has more than ${inThrees(most)} lists and maps`;

function refuse(field: string, message: string): GovctlError {
  const what = field === '' ? 'The object' : field;
  return new GovctlError('body_too_large', `${what} ${message}`, { details: [{ field, message }] });
}

/** @throws GovctlError body_too_large that names the first object for which `isTooMuch` is true */
function checkObjects(
  { manyIn }: Endpoint,
  body: unknown,
  isTooMuch: (object: unknown) => boolean,
  message: string,
): void {
  if (!manyIn) {
    if (isTooMuch(body)) throw refuse('', message);
    return;
  }
  const fields = Object(body) as Readonly<Record<string, unknown>>;
  for (const name of manyIn) {
    const many = fields[name];
    if (!Array.isArray(many)) continue;
    const at = many.findIndex((one) => isTooMuch(one));
    if (at >= 0) throw refuse(`${name}[${at}]`, message);
  }
  const rest = Object.entries(fields).filter(([name]) => !manyIn.includes(name));
  if (isTooMuch(Object.fromEntries(rest))) throw refuse('', message);
}
