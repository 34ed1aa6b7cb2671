import { hash } from 'node:crypto';
import { signatureInvalid } from '../../contract/request-signature.ts';
import { openNamelessFile } from '../nameless-file.ts';

/** @param signed the SHA-256 that was signed. @throws GovctlError signature_invalid */
export function checkSigned(bytes: Uint8Array, signed: Uint8Array | undefined): void {
  if (signed) checkSum(hash('sha256', bytes, 'base64url'), signed);
}

function checkSum(sum: string, signed: Uint8Array): void {
  if (sum === Buffer.from(signed).toString('base64url')) return;
  throw signatureInvalid('The body does not match the SHA-256 in the content-digest header');
}

/**
 * A streamed body, of which nothing is handed on before all of it is known to be what was signed.
 * @param sum the SHA-256 of what was read, in base64url
 */
export async function* heldUntilSigned(
  body: AsyncIterable<Uint8Array>,
  sum: () => string,
  signed: Uint8Array,
): AsyncGenerator<Uint8Array> {
  const file = await openNamelessFile('a signed upload');
  try {
    for await (const chunk of body) await file.append(chunk);
    checkSum(sum(), signed);
    yield* file.read();
  } finally {
    await file.close();
  }
}
