import { checkLine, sealLine } from './checked-line.ts';
import { isMissing } from './checkpoint.ts';
import type { FileLayer } from './file-layer.ts';
import { readLines } from './lines.ts';
import { markPath } from './refusal.ts';

/** Within one sector of a disk, so that it is written as one. */
const LENGTH = 128;

export const sealMark = (commit: number): Buffer => {
  const { bytes } = sealLine(`{"synced":${commit}`, '}');
  return Buffer.from(`${bytes.toString('latin1').padEnd(LENGTH - 1)}\n`, 'latin1');
};

/**
 * Says beside the journal up to which commit it was synced, after each flush. This itself is not synced: after a power
 * cut it may say less than is true, never more. So a journal that ends before it has lost something that was answered, while
 * one that ends behind it may have been cut off by a crash.
 */
export interface SyncedMark {
  /** Commits up to this one are on disk. Does not wait for the mark to say so. */
  reach(commit: number): void;
  close(): Promise<void>;
}

export const openMark = async (
  files: FileLayer,
  dir: string,
  warn: (reason: unknown) => void,
): Promise<SyncedMark> => {
  const file = await files.open(markPath(dir), 'overwrite');
  let reached = 0;
  let said = 0;
  let hasFailed = false;
  let writing: Promise<void> | undefined;
  const write = async (): Promise<void> => {
    while (said < reached) {
      said = reached;
      await file.write(sealMark(said));
    }
  };
  return {
    reach(commit) {
      reached = Math.max(reached, commit);
      writing ??= write()
        .catch((error: unknown) => {
          if (!hasFailed) warn(error);
          hasFailed = true;
        })
        .finally(() => (writing = undefined));
    },
    async close() {
      await writing;
      await file.close();
    },
  };
};

/** @returns 0 where nothing says how far the journal was synced */
export const readMark = async (files: FileLayer, dir: string): Promise<number> => {
  try {
    for await (const [line] of readLines(files, markPath(dir))) {
      const text = Buffer.from(line?.bytes.toString('latin1').trimEnd() ?? '', 'latin1');
      if (checkLine(text, ['}']) === undefined) return 0;
      return (JSON.parse(text.toString('latin1')) as { synced: number }).synced;
    }
    return 0;
  } catch (error) {
    if (isMissing(error)) return 0;
    throw error;
  }
};
