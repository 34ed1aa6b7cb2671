import { createHash } from 'node:crypto';
import type { Endpoint } from '../../contract/endpoint.ts';
import { defaultMaxBodyBytes } from '../../contract/endpoint.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { Awaitable } from '../awaitable.ts';

/** `type` is the media type alone, in lower case. */
export interface SentBody {
  readonly bytes: Buffer;
  readonly type: string;
}

/**
 * Reads a request's body, up to the endpoint's limit, also where no length was announced.
 * @throws GovctlError unsupported_media_type, body_too_large or malformed_request
 */
export async function readBody(
  request: Request,
  endpoint: Pick<Endpoint, 'bodyTypes' | 'maxBodyBytes'>,
  within = bodyWithin,
): Promise<SentBody> {
  const { bodyTypes = ['application/json'], maxBodyBytes = defaultMaxBodyBytes } = endpoint;
  const type = mediaTypeOf(request.headers, bodyTypes);
  const reading = readBytes(request, maxBodyBytes);
  const bytes = await inTime(reading, within, 'The request body did not arrive').catch(
    (error: unknown) => {
      if (error instanceof GovctlError) throw error;
      throw cutOff(error);
    },
  );
  return { bytes, type };
}

/** Milliseconds in which a body must come, and of a streamed one every next part. */
const bodyWithin = 30_000;

/** @throws GovctlError malformed_request (408) where the sender takes longer */
async function inTime<T>(reading: Promise<T>, ms: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const said = `${what} within ${ms / 1_000} seconds`;
      reject(new GovctlError('malformed_request', said, { status: 408 }));
    }, ms);
    // A server that has stopped does not wait for it.
    timer.unref();
  });
  try {
    return await Promise.race([reading, late]);
  } finally {
    clearTimeout(timer);
  }
}

const cutOff = (cause: unknown): GovctlError =>
  new GovctlError('malformed_request', 'The request body ended early', { cause });

/**
 * A request's body, to be read as it comes: from here on a cut is an error of its own.
 * @throws GovctlError malformed_request where the sender is gone already: the body would seem to be empty
 */
function bodyOf(request: Request): ReadableStream<Uint8Array> | null {
  if (request.signal.aborted) throw cutOff(request.signal.reason);
  return request.body;
}

/** @throws GovctlError unsupported_media_type */
function mediaTypeOf(headers: Headers, types: readonly string[]): string {
  const [first = '', ...parameters] = (headers.get('content-type') ?? '').toLowerCase().split(';');
  const type = first.trim();
  const accepted = types.join(' or ');
  if (!types.includes(type)) {
    const sent = type === '' ? 'no Content-Type' : `Content-Type ${type.slice(0, 100)}`;
    throw new GovctlError(
      'unsupported_media_type',
      `The request has ${sent}; this endpoint accepts ${accepted}`,
    );
  }
  const charset = parameters.map((part) => part.trim()).find((part) => part.startsWith('charset='));
  if (charset && !/^charset="?utf-?8"?$/.test(charset)) {
    throw new GovctlError(
      'unsupported_media_type',
      `The body must be UTF-8, not ${charset.slice(0, 100)}`,
    );
  }
  const encoding = headers.get('content-encoding');
  if (encoding && encoding.toLowerCase() !== 'identity') {
    throw new GovctlError(
      'unsupported_media_type',
      `The body's Content-Encoding ${encoding.slice(0, 100)} is not supported; send the body without one`,
    );
  }
  return type;
}

function tooLarge(limit: number, hint = 'Split the body into several requests.'): GovctlError {
  const said = limit >= 1 << 20 ? `${limit / (1 << 20)} MiB` : `${limit / 1024} KiB`;
  return new GovctlError('body_too_large', `The body is larger than the maximum of ${said}`, {
    hint,
  });
}

/** Bytes of a body that is read in one go. That copies it three times in one turn of the event loop. */
const readInOneGo = 1 << 18;

async function readBytes(request: Request, limit: number): Promise<Buffer> {
  const announced = request.headers.get('content-length');
  if (announced !== null && Number(announced) > limit) throw tooLarge(limit);
  if (announced !== null && Number(announced) <= readInOneGo) {
    // HTTP framing holds a body to the announced length; a request made in this process is held to it here.
    const bytes = Buffer.from(await request.arrayBuffer());
    if (bytes.length > limit) throw tooLarge(limit);
    return bytes;
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = bodyOf(request)?.getReader();
  for (;;) {
    const chunk = await reader?.read();
    if (chunk === undefined || chunk.done) break;
    size += chunk.value.length;
    if (size > limit) {
      await reader?.cancel();
      throw tooLarge(limit);
    }
    chunks.push(chunk.value);
  }
  return Buffer.concat(chunks);
}

/** A body that is read while it is worked on. */
interface StreamedBody {
  readonly body: AsyncIterable<Uint8Array>;
  /** The digest of what has been read. */
  readonly text: () => string;
}

interface StreamLimits {
  /** Milliseconds for every next part. */
  readonly within?: number | undefined;
  /** Bytes in all. */
  readonly limit?: number | undefined;
  /** Asked for each part, before anything is done with it; throws once the sender may send no more. */
  readonly checkSender?: (() => Awaitable<unknown>) | undefined;
}

const hintOfImport =
  'Import in several parts, or ask the operator for a higher `govctl server --max-import`.';

/** Bytes of an import. */
const defaultMaxStreamBytes = 2 * 1024 ** 3;

/**
 * @throws GovctlError unsupported_media_type, body_too_large; malformed_request where the sender is gone already. What
 * `checkSender` throws is thrown as the body is read.
 */
export function streamBody(
  request: Request,
  type: string,
  { within = bodyWithin, limit = defaultMaxStreamBytes, checkSender }: StreamLimits = {},
): StreamedBody {
  mediaTypeOf(request.headers, [type]);
  if (Number(request.headers.get('content-length') ?? 0) > limit) {
    throw tooLarge(limit, hintOfImport);
  }
  const digest = createHash('sha256');
  let sum: string | undefined;
  const body = tap(bodyOf(request), digest, { within, limit, checkSender });
  return { body, text: () => (sum ??= digest.digest('base64url')) };
}

async function* tap(
  body: ReadableStream<Uint8Array> | null,
  digest: { update(chunk: Uint8Array): unknown },
  {
    within,
    limit,
    checkSender,
  }: Pick<StreamLimits, 'checkSender'> & { readonly within: number; readonly limit: number },
): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader();
  const read = async () => {
    const next = await inTime(reader.read(), within, 'The rest of the request body did not arrive');
    await checkSender?.();
    return next;
  };
  try {
    let size = 0;
    for (let next = await read(); !next.done; next = await read()) {
      size += next.value.length;
      if (size > limit) throw tooLarge(limit, hintOfImport);
      digest.update(next.value);
      yield next.value;
    }
  } finally {
    // Whoever stops early wants no more of it.
    await reader.cancel().catch(() => undefined);
  }
}
