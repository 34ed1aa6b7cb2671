import type { Stats } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { defined } from '../../contract/defined.ts';
import { GovctlError } from '../../contract/errors.ts';
import { timestamp } from '../deps.ts';
import type { Module } from '../module.ts';
import { isMissing, openCheckpoint } from '../store/lowdb/checkpoint.ts';
import { nodeFiles } from '../store/lowdb/file-layer.ts';
import { backupList, unfinished } from '../store/lowdb/kinds.ts';
import { pinFolder } from '../store/lowdb/pin.ts';
import type { Pinned } from '../store/lowdb/pin.ts';
import { messageOf } from '../store/lowdb/refusal.ts';
import { segmentsIn } from '../store/lowdb/segments.ts';
import { StoreRefusal } from '../store/store.ts';
import { measureFile, namesIn } from './copy.ts';
import type { Told } from './copy.ts';
import { readList } from './list.ts';
import { isOfFiles } from './place.ts';
import type { BackupList } from './list.ts';
import { readMoment } from './read.ts';
import type { AuditRange, Moment, NamedFile } from './read.ts';

export interface VerifyOptions {
  /** A backup, or a data directory. A server may run in it. */
  readonly dir: string;
  readonly signal: AbortSignal;
  /** Told of what is done, and of the bytes so far. */
  readonly progress: (doing: string, bytes: number) => void;
}

interface Damage {
  /** Path in the directory. */
  readonly file: string;
  readonly line?: number;
  readonly what: string;
  readonly lost: string;
  readonly way_out: string;
}

export interface Verified {
  readonly kind: 'backup' | 'data_directory';
  readonly intact: boolean;
  readonly damage: readonly Damage[];
  /** What a start of the server puts right by itself. */
  readonly notes: readonly string[];
  /** Of a backup. */
  readonly taken_at?: string;
  readonly version?: string;
  /** Absent where so much is damaged that it is not known. */
  readonly last_commit?: number;
  readonly last_commit_at?: string;
  readonly records?: Moment['records'];
  readonly waiting?: Moment['waiting'];
  readonly audit_log?: AuditRange;
  /** Of reports, evidence and imports. */
  readonly files?: { readonly count: number; readonly bytes: number; readonly unused: number };
  readonly secret_key: boolean;
  /** Read, of all files. */
  readonly bytes: number;
}

interface Checked {
  readonly dir: string;
  readonly list: BackupList | undefined;
  readonly told: Told;
  readonly damage: Damage[];
}

/** How often what a server removed meanwhile is looked for anew. */
const mostRounds = 20;

/**
 * Reads everything in a backup or a data directory, and checks it; changes nothing, not even a time of a file.
 * @throws Error what the file system says
 */
export async function verifyDirectory(
  { dir, signal, progress }: VerifyOptions,
  modules: readonly Module[],
): Promise<Verified> {
  let bytes = 0;
  const told: Told = (count) => {
    signal.throwIfAborted();
    bytes += count;
    progress('Verifying', bytes);
  };
  await refuseOtherThanFiles(dir);
  const names = await readdir(dir);
  if (
    !names.some((name) => ['store.json', backupList].includes(name)) &&
    segmentsIn(names).length === 0
  ) {
    throw new GovctlError('file_error', `${dir} is neither a backup nor a data directory`, {
      hint: 'Pass a directory created by `govctl server backup`, or the --data-dir of a server.',
    });
  }
  const damage: Damage[] = [];
  if (names.includes(unfinished)) {
    damage.push({
      file: unfinished,
      what: 'a backup or restore to this directory has not finished',
      lost: 'everything',
      way_out: 'Run that command again, or use another backup.',
    });
  }
  const list = await readList(nodeFiles, dir).catch((error: unknown) => {
    damage.push(damageOf(error, dir, true));
    return undefined;
  });
  const isBackup = list !== undefined || names.includes(backupList);
  const checked: Checked = { dir, list, told, damage };
  const found = await checkState(checked, modules, isBackup);
  const extra = list ? await checkListed(checked, list) : [];
  const hasKey = names.includes('secret.key');
  if (hasKey && !list) await checkKey(checked);
  return {
    kind: isBackup ? 'backup' : 'data_directory',
    intact: damage.length === 0,
    damage,
    ...found,
    notes: [...found.notes, ...extra],
    ...(list ? { taken_at: list.taken_at, version: list.version } : {}),
    ...(list ? { last_commit_at: list.last_commit_at } : {}),
    secret_key: hasKey,
    bytes,
  };
}

/**
 * Whoever opens a pipe waits, not even Ctrl-C ends that, and a device may have no end: nothing is opened where there is one.
 * @throws GovctlError file_error
 */
export async function refuseOtherThanFiles(dir: string): Promise<void> {
  for (const name of await filesIn(dir)) {
    const there = await statIfThere(join(dir, name));
    if (!there || there.isFile() || there.isDirectory()) continue;
    throw new GovctlError('file_error', `${join(dir, name)} is not a file`, {
      hint: 'Remove it: pipes, sockets and devices are not part of a backup or a data directory.',
    });
  }
}

type Found = Pick<
  Verified,
  'notes' | 'last_commit' | 'last_commit_at' | 'records' | 'waiting' | 'audit_log' | 'files'
>;

async function checkState(
  checked: Checked,
  modules: readonly Module[],
  isBackup: boolean,
): Promise<Found> {
  const { dir, list, told, damage } = checked;
  let missing: ReadonlySet<string> = new Set();
  for (let round = 1; ; round += 1) {
    const pinned = await pinFolder(dir, told);
    try {
      const moment = await readMoment(pinned, dir, modules);
      const gone = new Set<string>();
      for (const id of moment.named.keys()) if (!(await sizeOf(dir, id))) gone.add(id);
      // A server may remove a file after its document; where the document is there still, it lost the file.
      if ([...gone].some((id) => !missing.has(id)) && round < mostRounds) {
        missing = gone;
        continue;
      }
      // After the last round, a fast server may still have removed some since this one began.
      const lost = new Set([...gone].filter((id) => missing.has(id)));
      for (const { file, what } of moment.contradictions) {
        damage.push({ file, what, lost: lostOf(file), way_out: wayOut(isBackup) });
      }
      if (list && list.commit !== moment.commit) {
        damage.push({
          file: backupList,
          what: `the backup ends at commit ${moment.commit}, but backup.json lists commit ${list.commit}`,
          lost: 'the changes in between',
          way_out: wayOut(isBackup),
        });
      }
      return {
        notes: moment.notes.map((note) => note.replaceAll(`${dir}/`, '')),
        last_commit: moment.commit,
        last_commit_at: timestamp(pinned.writtenAt),
        records: moment.records,
        waiting: moment.waiting,
        audit_log: moment.audit,
        files: await checkBlobs(checked, moment, { isBackup, gone: lost }),
      };
    } catch (error) {
      if (!(error instanceof StoreRefusal) && !isOfFiles(error)) throw error;
      damage.push(damageOf(error, dir, isBackup));
      await checkCheckpoints(checked, pinned, isBackup);
      return { notes: [] };
    } finally {
      await pinned.close();
    }
  }
}

/** What the first damage kept from being read. */
async function checkCheckpoints(
  { dir, damage }: Checked,
  { files }: Pinned,
  isBackup: boolean,
): Promise<void> {
  const known = new Set(damage.map(({ file }) => file));
  for (const name of await files.list(dir)) {
    const isCheckpoint = name.endsWith('.json') && !['store.json', backupList].includes(name);
    if (!isCheckpoint || known.has(name)) continue;
    await openCheckpoint(files, join(dir, name), ({ id }) => ({ id }))
      .read()
      .catch((error: unknown) => void damage.push(damageOf(error, dir, isBackup)));
  }
}

async function checkBlobs(
  { dir, list, told, damage }: Checked,
  { named }: Moment,
  { isBackup, gone }: { readonly isBackup: boolean; readonly gone: ReadonlySet<string> },
): Promise<NonNullable<Verified['files']>> {
  let bytes = 0;
  for (const file of named.values()) {
    const name = `blobs/${file.blob}`;
    const tell = (what: string): void =>
      void damage.push({ file: name, what, lost: ownerOf(file), way_out: wayOut(isBackup, name) });
    const size = await sizeOf(dir, file.blob);
    // One that was there a moment ago was removed by the server.
    if (size === undefined) {
      if (gone.has(file.blob)) tell('the file is missing');
    }
    // The list has the checksums of all files: each is read once.
    else if (!list) {
      const found = await orFailure(measureFile(join(dir, name), told));
      if (found instanceof Error) {
        if (!isMissing(found)) tell(messageOf(found));
      } else if (!isSame(file, found)) {
        tell('the checksum does not match');
      }
    } else {
      const listed = list.files.get(name);
      if (!listed || !isSame(file, listed)) tell('the file differs from the stored file');
    }
    bytes += size ?? 0;
  }
  const there = (await namesIn(join(dir, 'blobs'))).filter((name) => !name.endsWith('~'));
  const unused = there.filter((name) => !named.has(name)).length;
  return { count: named.size, bytes, unused };
}

const isSame = (
  { size, sha256 }: NamedFile,
  found: { readonly size: number; readonly sha256: string },
): boolean => (size ?? found.size) === found.size && (sha256 ?? found.sha256) === found.sha256;

/** Every file of a backup is as it was written. @returns what is there besides */
async function checkListed(
  { dir, told, damage }: Checked,
  { files }: BackupList,
): Promise<string[]> {
  const known = new Set(damage.map(({ file }) => file));
  const tell = (file: string, what: string): void =>
    void damage.push({ file, what, lost: lostOf(file), way_out: wayOut(true) });
  for (const [name, listed] of files) {
    if (known.has(name)) continue;
    const found = await orFailure(measureFile(join(dir, name), told));
    if (found instanceof Error)
      tell(name, isMissing(found) ? 'the file is missing' : messageOf(found));
    else if (found.size !== listed.size) {
      tell(name, `the file has ${found.size} bytes instead of ${listed.size}`);
    } else if (found.sha256 !== listed.sha256) {
      tell(name, 'the checksum does not match');
    }
  }
  return (await filesIn(dir))
    .filter((name) => !files.has(name) && ![backupList, unfinished].includes(name))
    .map((name) => `${name} is not part of the backup; restore ignores it`);
}

/** What the file system says; anything else that fails is thrown. */
const orFailure = <T>(work: Promise<T>): Promise<T | Error> =>
  work.catch((error: unknown) => {
    if (isOfFiles(error)) return error as Error;
    throw error;
  });

async function filesIn(dir: string): Promise<string[]> {
  const names: string[] = [];
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    const { name } = entry;
    if (!entry.isDirectory()) names.push(name);
    else for (const inner of await namesIn(join(dir, name))) names.push(`${name}/${inner}`);
  }
  return names;
}

async function checkKey({ dir, damage }: Checked): Promise<void> {
  const text = (await readFile(join(dir, 'secret.key'), 'utf8')).trim();
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === 32 && bytes.toString('base64') === text) return;
  damage.push({
    file: 'secret.key',
    what: 'the content is not 32 bytes in base64',
    lost: lostOf('secret.key'),
    way_out: wayOut(false, 'secret.key'),
  });
}

/** The first line of a refusal says what is wrong, the others what to do. */
function damageOf(error: unknown, dir: string, isBackup: boolean): Damage {
  const [first = '', ...rest] = messageOf(error).split('\n');
  const path = error instanceof StoreRefusal ? error.options.file : undefined;
  const said = first.replace('. The store was not opened and nothing was changed.', '');
  const [, line] = (path && said.startsWith(path) ? /^:(\d+): /.exec(said.slice(path.length)) : null) ?? []; // prettier-ignore
  const file = path === undefined ? '.' : relative(dir, path);
  const what = line === undefined || path === undefined ? said : said.slice(path.length + line.length + 3); // prettier-ignore
  return {
    file,
    ...defined({ line: line === undefined ? undefined : Number(line) }),
    what: what.replaceAll(`${dir}/`, ''),
    lost: lostOf(file),
    way_out: isBackup
      ? wayOut(true)
      : rest.join('\n').replaceAll(/Fix: (.)/g, (_, first: string) => first.toUpperCase()) ||
        wayOut(false),
  };
}

function lostOf(file: string): string {
  const [folder, name = ''] = file.split('/');
  if (folder === 'blobs') return 'a file of a report, evidence or an import';
  if (folder === 'uses') return `credential uses of ${basename(name, '.ndjson')}`;
  if (file === 'secret.key')
    return 'all encrypted secrets, unless you have another copy of the key';
  if (file === backupList) return 'the proof that the backup is unchanged';
  if (file === 'journal.synced') return 'the record of how much of the journal was saved';
  if (file.startsWith('journal-')) return 'all changes after this point';
  if (file === 'store.json') return 'the state of the store that the other files belong to';
  if (file.endsWith('.lanes.json')) return `waiting work: ${basename(file, '.lanes.json')}`;
  if (file.endsWith('.json')) return `records: ${basename(file, '.json').replaceAll('_', ' ')}`;
  return file === '.' ? 'all contents of the directory' : 'no data of the backup';
}

const ownerOf = ({ collection, id }: NamedFile): string =>
  `a file of ${id} (${collection.replaceAll('_', ' ')})`;

const wayOut = (isBackup: boolean, file?: string): string =>
  isBackup
    ? 'Use a different, intact backup.'
    : file === undefined
      ? 'Restore a backup: govctl server restore DIR --data-dir NEW-DIRECTORY'
      : `Stop the server and copy ${file} from a backup.`;

const sizeOf = async (dir: string, blob: string): Promise<number | undefined> =>
  (await statIfThere(join(dir, 'blobs', blob)))?.size;

/** A server may remove a file meanwhile. */
const statIfThere = (path: string): Promise<Stats | undefined> =>
  stat(path).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
