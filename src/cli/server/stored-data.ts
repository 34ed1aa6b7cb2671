import { stat } from 'node:fs/promises';
import path from 'node:path';
import { defined } from '../../contract/defined.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes, reword } from '../../contract/errors.ts';
import { utcMinute } from '../../contract/utc-time.ts';
import type { Context, World } from '../context.ts';
import { notReadable } from '../flags/input-file.ts';
import { openBytes } from '../flags/open-bytes.ts';
import { showSize } from '../download/sizes.ts';
import { placeToWrite, writesFrom } from '../flags/place-to-write.ts';
import { openReplacement } from '../../project/write/replace-file.ts';
import type { Replacement } from '../../project/write/replace-file.ts';
import { whyFileFailed } from '../../project/read/file-failure.ts';
import type { ApprovalOptions } from '../flags/approval.ts';
import { isApproved, notApproved } from '../flags/approval.ts';
import { count, printableLine } from '../terminal/printable.ts';
import type { RecordCounts } from './record-counts.ts';
import { countLines, total } from './record-counts.ts';
import { withLocalServer } from './with-local.ts';

export async function takeSnapshot(
  context: Context,
  { args: [file] }: { readonly args: readonly [string] },
): Promise<ExitCode> {
  const place = placeToWrite(writesFrom(context), file);
  // Before anything is asked for: nobody would read the answer.
  const replacement = await openReplacement(place, { mode: 0o600 }).catch(notWritten(file));
  const { size, documents } = await withLocalServer(
    context,
    'Taking the snapshot',
    async (client, update) => {
      const { body } = await client.local.snapshot({});
      const written = await writeSnapshot(replacement, body, update);
      await replacement.finish();
      return written;
    },
  )
    .catch(notWritten(file))
    .finally(() => replacement.close());
  await context.show({
    value: { file, bytes: size, documents },
    human: (style) =>
      `${style.green('Saved')} ${count(documents, 'record')} in ${printableLine(file)}, ${showSize(size)}\n`,
  });
  return exitCodes.ok;
}

/** @throws GovctlError file_error for what the file system says */
const notWritten =
  (file: string) =>
  (cause: Error): never => {
    if (cause instanceof GovctlError) throw cause;
    throw new GovctlError(
      'file_error',
      `The snapshot could not be written to ${file}: ${whyFileFailed(cause)}`,
      { cause },
    );
  };

/** Writes it as it comes. @returns its bytes, and the documents in it */
async function writeSnapshot(
  replacement: Replacement,
  body: AsyncIterable<Uint8Array>,
  update: (text: string) => void,
): Promise<{ readonly size: number; readonly documents: number }> {
  let [size, documents] = [0, 0];
  // What may be the beginning of a match at the end of a chunk.
  let end = Buffer.alloc(0);
  for await (const chunk of body) {
    await replacement.write(chunk);
    size += chunk.length;
    update(`Taking the snapshot: ${showSize(size)}`);
    const searched = Buffer.concat([end, chunk]);
    for (let at = searched.indexOf(document); at >= 0; at = searched.indexOf(document, at + 1)) {
      documents += 1;
    }
    end = searched.subarray(Math.max(0, searched.length - document.length + 1));
  }
  return { size, documents };
}

/** How the line of a document begins. */
const document = '\n{"in":';

export interface RestoreOptions extends ApprovalOptions {
  readonly args: readonly [string];
  readonly newSecrets?: boolean;
  readonly withClock?: boolean;
  /** Of a backup. */
  readonly dataDir?: string;
  readonly force?: boolean;
}

/** A snapshot is a file, a backup a directory. @throws GovctlError usage_error for flags of the other */
export async function restore(context: Context, options: RestoreOptions): Promise<ExitCode> {
  const { args, dataDir, force, newSecrets, withClock } = options;
  const [from] = args;
  const stats = await stat(path.resolve(context.world.cwd, from)).catch(() => undefined);
  if (!stats?.isDirectory()) {
    if (dataDir === undefined && !force) return restoreSnapshot(context, options);
    throw new GovctlError(
      'usage_error',
      `${from} ${stats ? 'is not a backup: it is not a directory' : 'does not exist'}`,
      {
        hint: 'Pass a backup directory. To restore a snapshot file into a running server, omit --data-dir and --force.',
      },
    );
  }
  if (newSecrets || withClock) {
    const flag = newSecrets ? '--new-secrets' : '--with-clock';
    throw new GovctlError(
      'usage_error',
      `${flag} is only for snapshots, but ${from} is a directory`,
    );
  }
  if (dataDir === undefined) {
    throw new GovctlError('usage_error', `${from} is a directory: --data-dir is missing`, {
      hint: `To restore a backup, run \`govctl server restore ${from} --data-dir NEW-DIRECTORY\`.`,
    });
  }
  const { runRestoreBackup } = await import('./backup.ts');
  return runRestoreBackup(context, { args, dataDir, ...defined({ force }) });
}

/** Milliseconds. 256 MiB took 30 s on a busy machine. */
const longestRestore = 600_000;

async function restoreSnapshot(context: Context, options: RestoreOptions): Promise<ExitCode> {
  const [file] = options.args;
  const { open, size } = await snapshotFile(context.world, file);
  await askFirst(
    context,
    (baseUrl) =>
      `Replace the data of ${baseUrl}, except keys and tokens, with ${printableLine(file)}?`,
    options,
  );
  const restored = await withLocalServer(
    context,
    'Restoring the snapshot',
    async (client, update) => {
      const query = {
        ...(options.newSecrets ? { secrets: 'new' as const } : {}),
        ...(options.withClock ? { clock: 'snapshot' as const } : {}),
      };
      const counted = async function* (): AsyncGenerator<Uint8Array> {
        let sent = 0;
        for await (const chunk of open()) {
          yield chunk;
          sent += chunk.length;
          update(
            `Sending the snapshot: ${showSize(sent)}${size === undefined ? '' : ` of ${showSize(size)}`}`,
          );
        }
        update('Restoring the snapshot');
      };
      const body = { open: counted, isOnce: size === undefined };
      const { data } = await client.local
        .restore({ query, body }, { timeoutMs: longestRestore })
        .catch((error: unknown) => {
          throw namingTheFlag(error);
        });
      return data;
    },
  );
  await context.show({
    value: restored,
    human: (style) =>
      `${style.green('Restored')} ${count(total(restored.restored), 'record')} from the snapshot of ${utcMinute(restored.taken_at)}\n${listCounts(restored.restored)}`,
  });
  if (restored.new_secrets > 0) {
    await context.warn(
      `${count(restored.new_secrets, 'webhook')} got a new secret. To set a known secret, run \`govctl webhook rotate-secret ID\``,
    );
  }
  return exitCodes.ok;
}

/** @returns `size` in bytes; undefined for a pipe. @throws GovctlError invalid_file, also while it is read */
async function snapshotFile(
  { cwd, signal }: World,
  file: string,
): Promise<{ readonly open: () => AsyncGenerator<Uint8Array>; readonly size: number | undefined }> {
  const absolute = path.resolve(cwd, file);
  const stats = await stat(absolute).catch((cause: unknown) => {
    throw notReadable(file, cause);
  });
  return {
    size: stats.isFile() ? stats.size : undefined,
    async *open() {
      try {
        yield* await openBytes(absolute, signal);
      } catch (cause) {
        if (!signal.aborted) throw notReadable(file, cause);
        // The server restores only what it received completely.
        throw new GovctlError('interrupted', 'Interrupted; nothing was changed', { cause });
      }
    },
  };
}

/** The service speaks of its own parameter. */
function namingTheFlag(error: unknown): unknown {
  if (!(error instanceof GovctlError) || !error.message.includes('secrets=new')) return error;
  return reword(error, { message: error.message.replace('secrets=new', '--new-secrets') });
}

export async function resetServer(context: Context, options: ApprovalOptions): Promise<ExitCode> {
  await askFirst(
    context,
    (baseUrl) => `Delete the data of ${baseUrl}, except keys and tokens?`,
    options,
  );
  const { removed } = await withLocalServer(context, 'Deleting data', async (client) => {
    const { data } = await client.local.reset();
    return data;
  });
  await context.show({
    value: { removed },
    human: (style) =>
      `${style.green('Deleted')} ${count(total(removed), 'record')}\n${listCounts(removed)}`,
  });
  return exitCodes.ok;
}

/**
 * Asks before stored data goes, once it is known that it may. @param question from the server's address
 * @throws GovctlError not_local, approval_required
 */
async function askFirst(
  context: Context,
  question: (baseUrl: string) => string,
  options: ApprovalOptions,
): Promise<void> {
  // Also where nobody is asked: a snapshot holds all that a server stored, and is for local ones only.
  const baseUrl = await withLocalServer(context, 'Checking the server', async (client) => {
    await client.local.get();
    return client.baseUrl;
  });
  if (isApproved(options)) return;
  if (!context.flags.input) {
    throw new GovctlError('approval_required', 'Approval required', {
      hint: 'Run with --yes, or from a terminal.',
    });
  }
  if (!(await context.world.prompt.confirm(question(baseUrl), false))) {
    throw notApproved();
  }
}

const listCounts = (counts: RecordCounts): string =>
  countLines(counts)
    .map((line) => `  ${line}\n`)
    .join('');
