import type { BlobWriter, Blobs } from '../../store/store.ts';

/** The blobs that one attempt writes, so that nothing of it is left where it comes to nothing. */
export interface Scratch extends Pick<Blobs, 'create'> {
  /** Removes all of them. */
  discard(): Promise<void>;
}

export function createScratch(blobs: Blobs): Scratch {
  const begun: { readonly id: string; readonly writer: BlobWriter }[] = [];
  return {
    async create(id) {
      const writer = await blobs.create(id);
      begun.push({ id, writer });
      return writer;
    },
    async discard() {
      for (const { id, writer } of begun.splice(0)) {
        await writer.abandon();
        await blobs.remove(id);
      }
    },
  };
}

/**
 * The ids of an attempt's blobs begin with this: of the report, and of the attempt, so that no other has them.
 * @param attempt a `job_…` id
 */
export const blobPrefix = (reportId: string, attempt: string): string => `${reportId}.${attempt}`;

/** Of a blob's id; undefined where it is of something else. */
export function readBlobId(id: string): { report: string; attempt: string } | undefined {
  const [, report, attempt] = /^(rpt_\w+)\.(job_\w+)\./.exec(id) ?? [];
  return report !== undefined && attempt !== undefined ? { report, attempt } : undefined;
}
