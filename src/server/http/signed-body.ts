import { hash, randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { signatureInvalid } from '../../contract/request-signature.ts';
import { StoreUnavailable } from '../store/store.ts';

/** @param signed the SHA-256 that was signed. @throws GovctlError signature_invalid */
export function checkSigned(bytes: Uint8Array, signed: Uint8Array | undefined): void {
  if (signed) checkSum(hash('sha256', bytes, 'base64url'), signed);
}

function checkSum(sum: string, signed: Uint8Array): void {
  if (sum === Buffer.from(signed).toString('base64url')) return;
  throw signatureInvalid('The body does not match the SHA-256 in the header content-digest');
}

const chunkSize = 1 << 17;

/**
 * A streamed body, of which nothing is handed on before all of it is known to be what was signed: meanwhile it is in a
 * file without a name, which goes with the process.
 * @param sum the SHA-256 of what was read, in base64url
 */
export async function* heldUntilSigned(
  body: AsyncIterable<Uint8Array>,
  sum: () => string,
  signed: Uint8Array,
): AsyncGenerator<Uint8Array> {
  const file = path.join(tmpdir(), `govctl-${randomUUID()}`);
  const handle = await open(file, 'wx+', 0o600).catch(refuse);
  // Windows removes no file that is open.
  const isGone = await rm(file).then(() => true, () => false); // prettier-ignore
  try {
    for await (const chunk of body) await handle.appendFile(chunk).catch(refuse);
    checkSum(sum(), signed);
    yield* chunksOf(handle);
  } finally {
    await handle.close();
    if (!isGone) await rm(file, { force: true });
  }
}

async function* chunksOf(handle: FileHandle): AsyncGenerator<Uint8Array> {
  for (let at = 0; ;) {
    const { bytesRead, buffer } = await handle.read(
      Buffer.allocUnsafe(chunkSize),
      0,
      chunkSize,
      at,
    );
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

const refuse = (error: NodeJS.ErrnoException): never => {
  throw new StoreUnavailable(`a signed upload cannot be held in ${tmpdir()}: ${error.message}`);
};
