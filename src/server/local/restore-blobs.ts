import { createHash } from 'node:crypto';
import { GovctlError } from '../../contract/errors.ts';
import type { Deps } from '../deps.ts';
import type { Blobs, BlobWriter } from '../store/store.ts';
import type { Snapshot } from './read-snapshot.ts';

export async function idsOf(blobs: Blobs): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const id of blobs.list()) ids.push(id);
  return ids;
}

/**
 * Writes the blobs of a snapshot, before its documents name them.
 * @param there ids that are taken: an id always has the same bytes
 * @returns ids of those that were not there
 * @throws GovctlError malformed_request where one has other bytes; StoreUnavailable; nothing of it is left then
 */
export async function putBlobs(
  blobs: Blobs,
  given: Pick<Snapshot, 'blobs' | 'parts'>,
  there: readonly string[],
): Promise<readonly string[]> {
  const written: string[] = [];
  const known = new Set(there);
  for (const [id, sha256] of given.blobs) {
    if (!known.has(id) || (await sumOf(blobs, id)) === sha256) continue;
    throw new GovctlError(
      'malformed_request',
      `The snapshot cannot be restored: the file ${id} differs from the file with this ID on this server`,
    );
  }
  let writer: BlobWriter | undefined;
  try {
    let current: string | undefined;
    for await (const { blob, bytes } of given.parts()) {
      if (known.has(blob)) continue;
      if (blob !== current) {
        await writer?.finish();
        written.push(blob);
        writer = await blobs.create(blob);
        current = blob;
      }
      await writer?.write(bytes);
    }
    await writer?.finish();
    return written;
  } catch (error) {
    await writer?.abandon().catch(() => undefined);
    for (const id of written) await blobs.remove(id).catch(() => undefined);
    throw error;
  }
}

async function sumOf(blobs: Blobs, id: string): Promise<string> {
  const digest = createHash('sha256');
  for await (const chunk of blobs.read(id)) digest.update(chunk);
  return digest.digest('hex');
}

/**
 * What is there and named, or named by nothing any more. What is being written is named later, or removed by whoever
 * writes it.
 */
export async function settledBlobs(
  blobs: Blobs,
  isBeingWritten: (blob: string) => boolean,
): Promise<readonly string[]> {
  const ids = await idsOf(blobs);
  return ids.filter((id) => !isBeingWritten(id));
}

/** Best effort: the next start removes what is left. */
export async function removeBlobs({ store, log }: Deps, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    await store.blobs.remove(id).catch((error: unknown) => {
      log.warn({ blob: id, err: error }, 'a file of a report could not be removed');
    });
  }
}
