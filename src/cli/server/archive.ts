import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, readFile, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import * as z from 'zod';
import type { Client } from '../../client/client.ts';
import { fillPath } from '../../client/client.ts';
import type { ArchivedRecord } from '../../contract/archive.ts';
import { contract } from '../../contract/contract.ts';
import { defined } from '../../contract/defined.ts';
import { durationForms, parseDuration } from '../../contract/duration.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import type { Lock } from '../../lock/lock.ts';
import { takeLock } from '../../lock/lock.ts';
import { whyFileFailed } from '../../project/read/file-failure.ts';
import type { Context, Run } from '../context.ts';
import { fetchFile } from '../download/fetch-file.ts';
import { showSize } from '../download/sizes.ts';
import { placeToWrite, writesFrom } from '../flags/place-to-write.ts';
import { withOurServer } from '../objects/our-server.ts';
import { count, inThrees, printableLine } from '../terminal/printable.ts';

interface ArchiveOptions {
  readonly args: readonly [directory: string];
  readonly within: string;
}

const manifestName = 'manifest.json';
const runName = /^\d{8}T\d{9}Z$/;
const draftName = /^\.archive-[0-9a-f]{16}\.part$/;
const lockName = '.archive.lock';

const File = z.looseObject({ path: z.string(), bytes: z.number(), sha256: z.string() });
type File = z.infer<typeof File>;
/** `until`: the next archive goes on from there. */
const Manifest = z.looseObject({
  format_version: z.literal(1),
  kind: z.literal('govctl-archive'),
  base_url: z.string(),
  at: z.string(),
  collections: z.record(
    z.string(),
    z.looseObject({ until: z.string(), records: z.record(z.string(), z.number()) }),
  ),
  files: z.array(File),
  /** Files that were gone when they were downloaded. */
  missing: z.array(z.string()),
});
type Manifest = z.infer<typeof Manifest>;

/**
 * Writes what retention removes soon, and earlier archives in the directory do not have, to a directory of its own, which
 * has its name once all of it is on disk.
 */
export const runArchive: Run<ArchiveOptions> = async (context, { args: [named], within }) => {
  if (parseDuration(within) === undefined) {
    throw new GovctlError('usage_error', `--within must be a duration ${durationForms}`);
  }
  const directory = placeToWrite(writesFrom(context), named);
  const writing = <T>(work: Promise<T>): Promise<T> =>
    work.catch((cause: unknown) => {
      if (cause instanceof GovctlError || context.world.signal.aborted) throw cause;
      throw new GovctlError(
        'file_error',
        `The archive could not be written to ${named}: ${whyFileFailed(cause)}`,
        { cause },
      );
    });
  await writing(mkdir(directory, { recursive: true, mode: 0o700 }));
  const lock = await writing(lockDirectory(directory, named));
  const draft = path.join(directory, `.archive-${randomBytes(8).toString('hex')}.part`);
  try {
    await writing(removeOldDrafts(directory));
    const { manifest, name } = await withOurServer(
      context,
      'archives',
      'Reading records that expire soon',
      async (client) => {
        const before = await newestIn(directory, client.baseUrl);
        return writing(writeDraft(context, client, { draft, before, within }));
      },
    );
    const records = Object.values(manifest.collections)
      .flatMap((one) => Object.values(one.records))
      .reduce((sum, one) => sum + one, 0);
    const target = path.join(directory, name);
    if (records > 0) await writing(finish(draft, target, manifest));
    const place = path.join(named, name);
    await context.show({
      value: { directory: records > 0 ? place : null, records, ...manifest },
      human: (style) =>
        records === 0
          ? `Nothing to archive: all records that expire within ${within} are already in ${printableLine(named)}.\n`
          : `${style.green('Archived')} ${inThrees(records)} ${records === 1 ? 'record' : 'records'} and ${count(filesIn(manifest), 'file')} (${showSize(bytesOf(manifest))}) to ${printableLine(place)}\n`,
    });
    if (manifest.missing.length > 0) {
      await context.warn(
        `${count(manifest.missing.length, 'file')} removed before being archived. Run \`govctl server archive\` more often, or with a longer --within`,
      );
    }
    return exitCodes.ok;
  } finally {
    await rm(draft, { recursive: true, force: true });
    await lock.release();
  }
};

const filesIn = ({ files }: Manifest): number =>
  files.filter(({ path: file }) => file.startsWith('files/')).length;
const bytesOf = ({ files }: Manifest): number => files.reduce((sum, { bytes }) => sum + bytes, 0);

/** Two runs at once would archive the same records. @throws GovctlError file_error while another run has the directory */
async function lockDirectory(directory: string, named: string): Promise<Lock> {
  const taken = await takeLock(path.join(directory, lockName));
  if ('release' in taken) return taken;
  throw new GovctlError('file_error', `Process ${taken.pid} is writing an archive to ${named}`, {
    hint: 'Wait until that process ends, or use another directory.',
  });
}

/** What runs left that were killed. */
async function removeOldDrafts(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (draftName.test(name))
      await rm(path.join(directory, name), { recursive: true, force: true });
  }
}

/** @throws GovctlError where it cannot be read, or is of another server */
async function newestIn(directory: string, baseUrl: string): Promise<Manifest | undefined> {
  const newest = (await readdir(directory))
    .filter((name) => runName.test(name))
    .sort()
    .at(-1);
  if (newest === undefined) return undefined;
  const file = path.join(directory, newest, manifestName);
  let manifest: Manifest;
  try {
    manifest = Manifest.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (cause) {
    throw new GovctlError('invalid_file', `${file} is not an archive manifest`, {
      cause,
      hint: 'Restore the file, or use another directory.',
    });
  }
  if (manifest.base_url === baseUrl) return manifest;
  throw new GovctlError(
    'usage_error',
    `${directory} contains archives of ${manifest.base_url}, not of ${baseUrl}`,
    { hint: 'Use another directory for each server.' },
  );
}

interface Drafted {
  readonly draft: string;
  readonly before: Manifest | undefined;
  readonly within: string;
}

async function writeDraft(
  context: Context,
  client: Client,
  { draft, before, within }: Drafted,
): Promise<{ readonly manifest: Manifest; readonly name: string }> {
  await mkdir(draft, { mode: 0o700 });
  const { data } = await client.archive.get({ query: { within } });
  const manifest: Manifest = {
    format_version: 1,
    kind: 'govctl-archive',
    base_url: client.baseUrl,
    at: data.at,
    collections: {},
    files: [],
    missing: [],
  };
  for (const { name, until } of data.collections) {
    const since = before?.collections[name]?.until;
    const counts: Record<string, number> = {};
    // A shorter --within than before, or a longer retention.
    const isCovered = since !== undefined && since >= until;
    manifest.collections[name] = { until: isCovered ? since : until, records: counts };
    if (isCovered) continue;
    const withFiles: ArchivedRecord[] = [];
    const file = `${name}.ndjson.gz`;
    const lines = linesOf(readAll(context, client, { name, since, until }), (record) => {
      counts[record.collection] = (counts[record.collection] ?? 0) + 1;
      if (record.files) withFiles.push(record);
    });
    const written = await writeZipped(path.join(draft, file), lines);
    if (Object.keys(counts).length === 0) await rm(path.join(draft, file));
    else manifest.files.push({ path: file, ...written });
    for (const record of withFiles) await fetchFiles(context, client, { draft, record, manifest });
  }
  return { manifest, name: data.at.replaceAll(/[-:.]/g, '') };
}

interface Range {
  readonly name: string;
  readonly since: string | undefined;
  readonly until: string;
}

async function* readAll(
  context: Context,
  client: Client,
  { name, since, until }: Range,
): AsyncGenerator<readonly ArchivedRecord[]> {
  for (let after: string | undefined; ;) {
    context.world.signal.throwIfAborted();
    const { data } = await client.archive.read({
      params: { collection: name },
      query: { until, ...defined({ since, after }) },
    });
    yield data.records;
    if (data.next === undefined) return;
    if (data.records.length === 0 || data.next === after) {
      throw new GovctlError('bad_answer', `The server returned the same page of ${name} twice`, {
        hint: 'Check that --base-url points to a govctl server.',
      });
    }
    after = data.next;
  }
}

async function* linesOf(
  pages: AsyncIterable<readonly ArchivedRecord[]>,
  seen: (record: ArchivedRecord) => void,
): AsyncGenerator<string> {
  for await (const records of pages) {
    let text = '';
    for (const record of records) {
      seen(record);
      text += `${JSON.stringify(record)}\n`;
    }
    if (text !== '') yield text;
  }
}

async function writeZipped(
  file: string,
  lines: AsyncIterable<string>,
): Promise<Pick<File, 'bytes' | 'sha256'>> {
  const digest = createHash('sha256');
  let bytes = 0;
  await pipeline(
    lines,
    createGzip(),
    async function* (chunks: AsyncIterable<Buffer>) {
      for await (const chunk of chunks) {
        digest.update(chunk);
        bytes += chunk.length;
        yield chunk;
      }
    },
    createWriteStream(file, { mode: 0o600 }),
  );
  return { bytes, sha256: digest.digest('hex') };
}

async function fetchFiles(
  context: Context,
  client: Client,
  {
    draft,
    record: { collection, id, files = [] },
    manifest,
  }: { readonly draft: string; readonly record: ArchivedRecord; readonly manifest: Manifest },
): Promise<void> {
  await mkdir(path.join(draft, 'files'), { recursive: true, mode: 0o700 });
  for (const { blob, sha256: hash } of files) {
    const file = `files/${blob}`;
    try {
      const { bytes, sha256 } = await fetchFile(context, client, {
        from: fillPath(contract.archive.file.path, { collection, id, blob }),
        to: path.join(draft, file),
        ...defined({ hash }),
      });
      manifest.files.push({ path: file, bytes, sha256 });
    } catch (error) {
      if (!(error instanceof GovctlError) || error.error !== 'not_found') throw error;
      manifest.missing.push(blob);
    }
  }
}

/** Everything is on disk before the directory has its name, and the name before this returns. */
async function finish(draft: string, target: string, manifest: Manifest): Promise<void> {
  await pipeline(
    [`${JSON.stringify(manifest, null, 2)}\n`],
    createWriteStream(path.join(draft, manifestName), { mode: 0o600 }),
  );
  for (const name of [manifestName, ...manifest.files.map((file) => file.path)]) {
    await sync(path.join(draft, name));
  }
  const folders = [path.join(draft, 'files'), draft];
  for (const folder of folders) await sync(folder).catch(ignoreMissing);
  await rename(draft, target);
  await sync(path.dirname(target));
}

const ignoreMissing = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'ENOENT') throw error;
};

async function sync(file: string): Promise<void> {
  const handle = await open(file, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
