import { createHash } from 'node:crypto';
import { bodyOf, mediaTypeOf } from './body.ts';

/** A body that is read while it is worked on. */
interface StreamedBody {
  readonly body: AsyncIterable<Uint8Array>;
  /** The digest of what has been read. */
  readonly text: () => string;
}

/** @throws GovctlError unsupported_media_type; malformed_request where the sender is gone already */
export function streamBody(request: Request, type: string): StreamedBody {
  mediaTypeOf(request.headers, [type]);
  const digest = createHash('sha256');
  let sum: string | undefined;
  return { body: tap(bodyOf(request), digest), text: () => (sum ??= digest.digest('base64url')) };
}

async function* tap(
  body: ReadableStream<Uint8Array> | null,
  digest: { update(chunk: Uint8Array): unknown },
): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  const reader = body.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      digest.update(next.value);
      yield next.value;
    }
  } finally {
    // Whoever stops early wants no more of it.
    await reader.cancel().catch(() => undefined);
  }
}
