import { createHash } from 'node:crypto';
import { GovctlError } from '../../contract/errors.ts';
import type { Deps } from '../deps.ts';
import type { Blobs } from '../store/store.ts';
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
  given: Snapshot['blobs'],
  there: readonly string[],
): Promise<readonly string[]> {
  const written: string[] = [];
  const known = new Set(there);
  try {
    for (const [id, parts] of given) {
      if (known.has(id)) {
        if (await isSame(blobs, id, parts)) continue;
        throw new GovctlError(
          'malformed_request',
          `The snapshot cannot be restored: its file ${id} is another one than this server has`,
        );
      }
      const writer = await blobs.create(id);
      for (const part of parts) await writer.write(part);
      await writer.finish();
      written.push(id);
    }
    return written;
  } catch (error) {
    for (const id of written) await blobs.remove(id).catch(() => undefined);
    throw error;
  }
}

async function isSame(blobs: Blobs, id: string, parts: readonly Buffer[]): Promise<boolean> {
  const [here, given] = [createHash('sha256'), createHash('sha256')];
  for await (const chunk of blobs.read(id)) here.update(chunk);
  for (const part of parts) given.update(part);
  return here.digest('hex') === given.digest('hex');
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
