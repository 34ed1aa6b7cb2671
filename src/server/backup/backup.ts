import { rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { GovctlError } from '../../contract/errors.ts';
import { timestamp } from '../deps.ts';
import type { Module } from '../module.ts';
import { nodeFiles } from '../store/lowdb/file-layer.ts';
import { blobId } from '../store/store.ts';
import { pinFolder } from '../store/lowdb/pin.ts';
import type { Pinned } from '../store/lowdb/pin.ts';
import { isMissing } from '../store/lowdb/checkpoint.ts';
import { markPath } from '../store/lowdb/refusal.ts';
import { segmentName } from '../store/lowdb/segments.ts';
import { sealMark } from '../store/lowdb/synced-mark.ts';
import { bytesOf, namesIn, writeFile } from './copy.ts';
import type { Told } from './copy.ts';
import { writeList } from './list.ts';
import type { BackupList, ListedFile } from './list.ts';
import { checkApart, inDraft, isFree } from './place.ts';
import { readMoment } from './read.ts';
import type { Moment } from './read.ts';

export interface BackupOptions {
  /** The data directory. A server may run in it. */
  readonly source: string;
  /** What is made. */
  readonly target: string;
  readonly withSecretKey: boolean;
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly signal: AbortSignal;
  /** Told of what is done, and of the bytes so far. */
  readonly progress: (doing: string, bytes: number) => void;
}

export interface Backup extends Omit<BackupList, 'files'> {
  readonly records: Moment['records'];
  readonly files: number;
  readonly bytes: number;
  readonly secret_key: boolean;
  /** What is wrong in the data directory: the copy is no better. */
  readonly damage: readonly string[];
}

/** How often what a server removed meanwhile is looked for anew. */
const mostRounds = 20;
/** Files that are copied at once. */
const atOnce = 8;

/**
 * Copies a data directory as it is at one moment, while a server writes it: files of documents first, which never change;
 * then checkpoints and journal, held open; then the files that came meanwhile. Where one has gone, its document has, too, and
 * a later moment does without it.
 * @throws GovctlError usage_error, file_error; StoreRefusal where the data directory is damaged
 */
export async function makeBackup(
  options: BackupOptions,
  modules: readonly Module[],
): Promise<Backup> {
  const { source, target, withSecretKey, version, now, signal, progress } = options;
  if (!(await isFree(target))) {
    throw new GovctlError('file_error', `${target} already exists`, {
      hint: 'Backups never overwrite files. Use a new name, for example with the date.',
    });
  }
  await checkApart(source, target);
  let bytes = 0;
  const toldOf =
    (doing: string): Told =>
    (count) => {
      signal.throwIfAborted();
      bytes += count;
      progress(doing, bytes);
    };
  return inDraft(target, 'The backup', async (draft) => {
    const { dir } = draft;
    const blobs = await copyBlobs(source, dir, toldOf('Copying files'));
    let missing: readonly string[] = [];
    for (let round = 1; ; round += 1) {
      const taken_at = timestamp(now());
      const pinned = await pinFolder(source, toldOf('Reading'));
      try {
        const moment = await readMoment(pinned, source, modules);
        const gone = await copyNamed(source, dir, { moment, blobs }, toldOf('Copying files'));
        // A document that is there still, after its file had gone, has lost it.
        const lost = gone.filter((id) => missing.includes(id));
        if (lost.length < gone.length && round < mostRounds) {
          missing = gone;
          continue;
        }
        const files = await copyState(pinned, moment, { source, dir }, toldOf('Copying'));
        if ((await pinned.wasCut()) && round < mostRounds) {
          for (const name of files.keys()) await rm(join(dir, name));
          continue;
        }
        await copyUses(source, dir, files, toldOf('Copying'));
        const hasKey = withSecretKey && (await copyKey(source, dir, files));
        for (const [id, file] of blobs) {
          if (moment.named.has(id)) files.set(`blobs/${id}`, file);
          else await rm(join(dir, 'blobs', id));
        }
        const list: BackupList = {
          commit: moment.commit,
          version,
          taken_at,
          last_commit_at: timestamp(pinned.writtenAt),
          files,
        };
        for (const folder of ['blobs', 'uses']) await syncIfThere(join(dir, folder));
        await writeList(dir, list);
        signal.throwIfAborted();
        await draft.finish();
        const total = [...files.values()].reduce((sum, { size }) => sum + size, 0);
        return {
          ...list,
          records: moment.records,
          files: files.size,
          bytes: total,
          secret_key: hasKey,
          damage: [
            ...gone.map((id) => `blobs/${id}: missing`),
            ...differing(moment, blobs).map((id) => `blobs/${id}: does not match its checksum`),
            ...moment.contradictions.map(({ file, what: why }) => `${file}: ${why}`),
          ],
        };
      } finally {
        await pinned.close();
      }
    }
  });
}

/** Blobs whose bytes are not those that their document names. */
const differing = ({ named }: Moment, blobs: ReadonlyMap<string, ListedFile>): string[] =>
  Array.from(named.values()).flatMap(({ blob, size, sha256 }) => {
    const copied = blobs.get(blob);
    if (!copied) return [];
    const isSame =
      (size ?? copied.size) === copied.size && (sha256 ?? copied.sha256) === copied.sha256;
    return isSame ? [] : [blob];
  });

async function copyBlobs(
  source: string,
  dir: string,
  told: Told,
): Promise<Map<string, ListedFile>> {
  const copied = new Map<string, ListedFile>();
  const names = await namesIn(join(source, 'blobs'));
  await copyThose(
    source,
    dir,
    names.filter((name) => blobId.test(name)),
    { copied, told },
  );
  return copied;
}

/** Copies what is named and not yet there. @returns what cannot be: it has gone */
async function copyNamed(
  source: string,
  dir: string,
  { moment, blobs }: { readonly moment: Moment; readonly blobs: Map<string, ListedFile> },
  told: Told,
): Promise<string[]> {
  const wanted = [...moment.named.keys()].filter((id) => !blobs.has(id));
  await copyThose(source, dir, wanted, { copied: blobs, told });
  return wanted.filter((id) => !blobs.has(id));
}

async function copyThose(
  source: string,
  dir: string,
  ids: readonly string[],
  { copied, told }: { readonly copied: Map<string, ListedFile>; readonly told: Told },
): Promise<void> {
  if (ids.length > 0) await nodeFiles.makeFolder(join(dir, 'blobs'));
  for (let from = 0; from < ids.length; from += atOnce) {
    await Promise.all(
      ids.slice(from, from + atOnce).map(async (id) => {
        const [path, to] = [join(source, 'blobs', id), join(dir, 'blobs', id)];
        try {
          const changedAt = await changedAtOf(path);
          copied.set(id, await writeFile(to, bytesOf(nodeFiles, path, told), changedAt));
        } catch (error) {
          if (!isMissing(error)) throw error;
          await rm(to, { force: true });
        }
      }),
    );
  }
}

/** Checkpoints, and of the journal what belongs to whole groups. */
async function copyState(
  pinned: Pinned,
  { read, commit }: Moment,
  { source, dir }: { readonly source: string; readonly dir: string },
  told: Told,
): Promise<Map<string, ListedFile>> {
  const { files } = pinned;
  const copied = new Map<string, ListedFile>();
  const take = async (name: string, to: string, most?: number): Promise<void> => {
    const path = join(source, name);
    const chunks = bytesOf(files, path, told, most);
    copied.set(to, await writeFile(join(dir, to), chunks, pinned.changedAt(path)));
  };
  const { collections, lanes = [] } = read.manifest;
  const known = new Set([...collections, ...lanes.map((name) => `${name}.lanes`), 'store']);
  for (const name of await files.list(source)) {
    // Also of what is new to this version, though the manifest does not list it yet.
    const isKnown = known.has(basename(name, '.json')) || read.draft.heldUpTo.has(basename(name, '.json')); // prettier-ignore
    if (name.endsWith('.json') && isKnown) await take(name, name);
  }
  for (const { name, from, size } of read.journal.needed) await take(name, segmentName(from), size);
  const mark = basename(markPath(dir));
  const bytes = [sealMark(commit)];
  copied.set(mark, await writeFile(join(dir, mark), chunksOf(bytes), pinned.writtenAt));
  return copied;
}

async function* chunksOf(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks;
}

/** The record of uses of credentials, up to the last whole line of each day. */
async function copyUses(
  source: string,
  dir: string,
  files: Map<string, ListedFile>,
  told: Told,
): Promise<void> {
  const names = (await namesIn(join(source, 'uses'))).filter((name) => name.endsWith('.ndjson'));
  if (names.length > 0) await nodeFiles.makeFolder(join(dir, 'uses'));
  for (const name of names) {
    const path = join(source, 'uses', name);
    const to = join(dir, 'uses', name);
    try {
      const changedAt = await changedAtOf(path);
      files.set(
        `uses/${name}`,
        await writeFile(to, wholeLines(bytesOf(nodeFiles, path, told)), changedAt),
      );
    } catch (error) {
      // Its day was too long ago.
      if (!isMissing(error)) throw error;
      await rm(to, { force: true });
    }
  }
}

async function* wholeLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(0x0a) + 1;
    if (end > 0) {
      yield* rest;
      yield chunk.subarray(0, end);
      rest = [];
    }
    if (end < chunk.length) rest.push(Buffer.from(chunk.subarray(end)));
  }
}

async function copyKey(
  source: string,
  dir: string,
  files: Map<string, ListedFile>,
): Promise<boolean> {
  const [path, to] = [join(source, 'secret.key'), join(dir, 'secret.key')];
  try {
    const changedAt = await changedAtOf(path);
    files.set(
      'secret.key',
      await writeFile(
        to,
        bytesOf(nodeFiles, path, () => undefined),
        changedAt,
      ),
    );
    return true;
  } catch (error) {
    // It is given to the server in its environment.
    if (!isMissing(error)) throw error;
    await rm(to, { force: true });
    return false;
  }
}

const changedAtOf = async (path: string): Promise<number> => (await stat(path)).mtimeMs;

async function syncIfThere(dir: string): Promise<void> {
  await nodeFiles.syncFolder(dir).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
}
