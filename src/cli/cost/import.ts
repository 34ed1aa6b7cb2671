import type { Client } from '../../client/client.ts';
import type { CostImport, CostImportInput } from '../../contract/cost-imports.ts';
import { defined } from '../../contract/defined.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes, GovctlError } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { showSize } from '../download/sizes.ts';
import { connectToRemove } from '../objects/connect.ts';
import { withOurServer } from '../objects/our-server.ts';
import { waitUntilEnded } from '../objects/wait.ts';
import { count, inThrees } from '../terminal/printable.ts';
import { tableColumns } from '../terminal/table.ts';
import { findCostFiles } from './import-files.ts';
import type { CostFile } from './import-files.ts';
import { costImportView, importError } from './import-view.ts';

interface ImportOptions {
  readonly args: readonly [string[]];
  readonly dryRun?: boolean;
  readonly skipRejected?: boolean;
  readonly dateFormat?: CostImportInput['date_format'];
  readonly name?: string;
  /** False with --no-wait. */
  readonly wait: boolean;
}

/** Milliseconds: an import of any size ends before. */
const longestWait = 24 * 3_600_000;
/** Characters of a name that is sent. */
const longestName = 256;

/** Sends files, and waits until their billing periods are replaced. */
export async function runImport(context: Context, options: ImportOptions): Promise<ExitCode> {
  const { world } = context;
  const files = await findCostFiles(world, options.args[0]);
  const ended = await withOurServer(context, 'cost', 'Uploading files', async (client, update) => {
    const { data: opened } = await client.costImports.create({
      body: {
        dry_run: options.dryRun ?? false,
        skip_rejected: options.skipRejected ?? false,
        ...defined({ date_format: options.dateFormat, name: options.name }),
      },
    });
    const { id } = opened;
    const committed = await sendAll(context, client, id, files, update);
    if (!options.wait) return committed;
    const progress = progressOf(committed.bytes);
    return waitUntilEnded<CostImport>(world, committed, {
      timeoutMs: longestWait,
      isUnderway: ({ status }) => status === 'pending' || status === 'running',
      lookLater: lookLater(id),
      look: async () => {
        const { data } = await client.costImports.get({ params: { id } });
        const { bytes = 0, rows = 0 } = data.progress ?? {};
        update(`Reading: ${inThrees(rows)} rows, ${progress(bytes)}`);
        return data;
      },
    });
  });
  await context.show(costImportView(ended, tableColumns(world.terminal)));
  if (ended.status === 'completed') return exitCodes.ok;
  if (ended.status === 'failed') throw importError(ended);
  await context.say(lookLater(ended.id));
  return exitCodes.pending;
}

const lookLater = (id: string): string =>
  `Use \`govctl cost imports get ${id}\` to see its progress.`;

/** Sends files to an open import and commits it; of one that fails before, nothing stays on the server. */
async function sendAll(
  context: Context,
  client: Client,
  id: string,
  files: readonly CostFile[],
  update: (text: string) => void,
): Promise<CostImport> {
  try {
    await sendFiles(client, id, files, update, context.world.signal);
    const { data } = await client.costImports.commit({ params: { id } });
    return data;
  } catch (error) {
    const isRemoved = await removeIfOpen(context, id);
    if (!isRemoved || !(error instanceof GovctlError) || error.error !== 'interrupted') throw error;
    throw new GovctlError('interrupted', 'Interrupted; nothing was imported', { cause: error });
  }
}

/** A user can have few open imports. @returns false: it was committed, or may still be there */
async function removeIfOpen(context: Context, id: string): Promise<boolean> {
  try {
    const { costImports } = await connectToRemove(context);
    const params = { id };
    const { data, etag } = await costImports.get({ params });
    if (data.status !== 'open') return false;
    await costImports.delete({ params }, defined({ ifMatch: etag }));
    return true;
  } catch (error) {
    await context.warn(
      `the open import could not be deleted: ${(error as Error).message}. Run \`govctl cost imports delete ${id}\`, or wait until the import expires after 24 hours.`,
    );
    return false;
  }
}

async function sendFiles(
  client: Client,
  id: string,
  files: readonly CostFile[],
  update: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const isKnown = files.every(({ size }) => size !== undefined);
  const all = files.reduce((sum, { size = 0 }) => sum + size, 0);
  const progress = isKnown ? progressOf(all) : showSize;
  let before = 0;
  for (const [at, file] of files.entries()) {
    const counted = async function* (): AsyncGenerator<Uint8Array> {
      let sent = 0;
      for await (const chunk of file.open()) {
        yield chunk;
        sent += chunk.length;
        const which = files.length > 1 ? ` ${at + 1} of ${count(files.length, 'file')}` : '';
        update(`Uploading${which}: ${progress(before + sent)}`);
      }
    };
    await client.costImports.put(
      {
        params: { id, n: String(at + 1) },
        query: { name: file.name.slice(-longestName) },
        body: { open: counted, isOnce: file.size === undefined },
      },
      { signal },
    );
    before += file.size ?? 0;
  }
}

/** `45 MB of 120 MB, 12 s left` */
function progressOf(all: number): (done: number) => string {
  const started = performance.now();
  return (done) => {
    const seconds = ((performance.now() - started) / 1_000) * (all / done - 1);
    const left = done > 0 && seconds >= 1 ? `, ${leftText(seconds)} left` : '';
    return `${showSize(done)} of ${showSize(all)}${left}`;
  };
}

const leftText = (seconds: number): string =>
  seconds < 90 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
