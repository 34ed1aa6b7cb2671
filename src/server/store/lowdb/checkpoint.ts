import { basename, dirname } from 'node:path';
import { Low } from 'lowdb';
import type { Adapter } from 'lowdb';
import type { Document, Versioned } from '../store.ts';
import { knownJson } from '../../json.ts';
import { checkLine, sealLine } from './checked-line.ts';
import { writeWhole } from './file-layer.ts';
import type { FileLayer, OpenFile } from './file-layer.ts';
import { readLines } from './lines.ts';
import { refuseCheckpoint, refuseFormat } from './refusal.ts';

export const FORMAT = 'govctl-store/2';
/** Had other checksums, and no groups in the journal. */
export const FIRST_FORMAT = 'govctl-store/1';

/** A collection as it was after a commit. */
export interface Checkpoint {
  readonly commit: number;
  /** Of its documents; absent: 1. */
  readonly version?: number;
  readonly rows: readonly Versioned<Document>[];
}

/** What of a document of a version is kept in memory when it is read. */
type Keep = (doc: Document, version: number) => Document;

/** Slices small enough that requests are answered in between. */
const SLICE_BYTES = 128 << 10;

export const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

export const removeIfThere = async (files: FileLayer, path: string): Promise<void> => {
  try {
    await files.remove(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
};

const copyDurably = async (files: FileLayer, from: string, to: string): Promise<void> => {
  try {
    await files.copy(from, to);
    const file = await files.open(to, 'append');
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    await files.remove(to).catch(() => undefined);
    throw error;
  }
};

/** Gives the file a second name `.bak`, in one step, so that its own name never points nowhere. */
const keepBackup = async (files: FileLayer, path: string): Promise<void> => {
  const spare = `${path}.bak.tmp`;
  await removeIfThere(files, spare);
  try {
    // Some file systems have no hard links.
    await files.link(path, spare).catch(() => copyDurably(files, path, spare));
  } catch (error) {
    // There is no previous one yet.
    if (isMissing(error)) return;
    throw error;
  }
  await files.rename(spare, `${path}.bak`);
};

/** Creates a file with what `write` writes, durably; of one that fails, nothing is left to fill the disk. */
export const createDurably = async (
  files: FileLayer,
  path: string,
  write: (file: OpenFile) => Promise<void>,
): Promise<void> => {
  await removeIfThere(files, path);
  const file = await files.open(path, 'create');
  try {
    await write(file);
    await file.sync();
  } catch (error) {
    await files.remove(path).catch(() => undefined);
    throw error;
  } finally {
    await file.close();
  }
};

/** Replaces a file by what `write` writes, durably and in one step; the previous one becomes `.bak`. */
export const replaceFile = async (
  files: FileLayer,
  path: string,
  write: (file: OpenFile) => Promise<void>,
): Promise<void> => {
  const temp = `${path}.tmp`;
  await createDurably(files, temp, write);
  await keepBackup(files, path);
  await files.rename(temp, path);
  await files.syncFolder(dirname(path));
};

/**
 * The lines of a checkpoint, which together are one JSON value: a head, a line per record, an end.
 * Each checksum goes on from the one before it.
 */
function* linesOf(collection: string, checkpoint: Checkpoint): Generator<Buffer> {
  const { commit, version = 1, rows } = checkpoint;
  const head = JSON.stringify({
    format: FORMAT,
    collection,
    commit,
    version: version > 1 ? version : undefined,
  });
  let { bytes, crc } = sealLine(head.slice(0, -1), ',"records":[\n');
  yield bytes;
  for (const [at, { doc, revision }] of rows.entries()) {
    const end = at + 1 < rows.length ? '},\n' : '}\n';
    ({ bytes, crc } = sealLine(`{"revision":${revision},"doc":${knownJson(doc)}`, end, crc));
    yield bytes;
  }
  yield sealLine(`],"end":{"count":${rows.length}`, '}}\n', crc).bytes;
}

const writeLines = async (file: OpenFile, lines: Iterable<Buffer>): Promise<void> => {
  let slice: Buffer[] = [];
  let bytes = 0;
  for (const line of lines) {
    slice.push(line);
    bytes += line.length;
    if (bytes < SLICE_BYTES) continue;
    await writeWhole(file, Buffer.concat(slice));
    slice = [];
    bytes = 0;
  }
  await writeWhole(file, Buffer.concat(slice));
};

// The casts below are what the checksum vouches for: we wrote these lines ourselves.
const readCheckpoint = async (
  files: FileLayer,
  path: string,
  hasBackup: boolean,
  keep: Keep,
): Promise<Checkpoint> => {
  const rows: Versioned<Document>[] = [];
  let commit: number | undefined;
  let version = 1;
  let crc: number | undefined = 0;
  let ended = false;
  let number = 0;
  const damaged = (what: string): Error =>
    refuseCheckpoint(path, `${path}:${number}: ${what}`, hasBackup);

  for await (const lines of readLines(files, path)) {
    for (const { number: at, bytes } of lines) {
      number = at;
      if (ended) throw damaged('text after the end of the data');
      const isEnd: boolean = commit !== undefined && bytes[0] === 0x5d; // ]
      const ends = commit === undefined ? [',"records":['] : isEnd ? ['}}'] : ['},', '}'];
      crc = checkLine(bytes, ends, crc);
      if (crc === undefined) {
        throw damaged('this line is damaged or was edited: its checksum does not match');
      }
      const text = bytes.toString('utf8');
      if (commit === undefined) {
        const head = JSON.parse(`${text}]}`) as {
          format: string;
          commit: number;
          version?: number;
        };
        const { format } = head;
        if (format !== FORMAT && format !== FIRST_FORMAT) {
          throw refuseFormat(path, `${path}:${number}`, { format, known: FORMAT, hasBackup });
        }
        ({ commit, version = 1 } = head);
      } else if (isEnd) {
        ended = true;
      } else {
        const row = JSON.parse(
          text.endsWith(',') ? text.slice(0, -1) : text,
        ) as Versioned<Document>;
        rows.push({ doc: keep(row.doc, version), revision: row.revision });
      }
    }
  }
  if (commit === undefined || !ended) throw damaged('the file is truncated');
  return { commit, version, rows };
};

/** A collection's file as lowdb sees it. lowdb's own adapter never syncs and builds one huge string. */
const checkpointAdapter = (
  files: FileLayer,
  path: string,
  hasBackup: () => Promise<boolean>,
  keep: Keep,
): Adapter<Checkpoint> => ({
  async read() {
    try {
      return await readCheckpoint(files, path, await hasBackup(), keep);
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  },
  write: (checkpoint) =>
    replaceFile(files, path, (file) =>
      writeLines(file, linesOf(basename(path, '.json'), checkpoint)),
    ),
});

/** The lowdb file of a collection. Its `commit` is -1 until it was read or written. */
export const openCheckpoint = (
  files: FileLayer,
  path: string,
  keep: Keep = (doc) => doc,
): Low<Checkpoint> => {
  const hasBackup = async (): Promise<boolean> =>
    (await files.list(dirname(path))).includes(`${basename(path)}.bak`);
  return new Low(checkpointAdapter(files, path, hasBackup, keep), {
    commit: -1,
    rows: [],
  });
};
