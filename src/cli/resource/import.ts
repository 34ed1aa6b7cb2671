import { defined } from '../../contract/defined.ts';
import type { Client } from '../../client/client.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { ImportAnswer } from '../../contract/resources.ts';
import type { ReadOptions, ReadResource } from '../../inventory/model.ts';
import { readInventory } from '../../inventory/read.ts';
import type { InputFile } from '../../project/check/discover-inputs.ts';
import { loadConfig } from '../../project/config.ts';
import { unreadable } from '../../project/read/read-text.ts';
import {
  begin,
  chain,
  isFileError,
  isResourceStream,
  largestDocument,
  readAll,
} from '../check/check-inputs.ts';
import { placeLeftOut } from '../../project/check/left-out.ts';
import type { Holding } from '../../project/model.ts';
import { interrupted } from '../check/check-run.ts';
import { LineTooLongError, cutAtLineEnds } from '../check/line-chunks.ts';
import { readParameters } from '../check/options.ts';
import { findInputs } from '../check/prepare.ts';
import { readingOf } from '../project/reading.ts';
import type { Context } from '../context.ts';
import { withOurServer } from '../objects/our-server.ts';
import { inThrees } from '../terminal/printable.ts';
import { showImport } from './import-report.ts';
import type { ImportReport, Rejected } from './import-report.ts';
import { resourceLines } from './resource-lines.ts';
import { askToPrune, checkPruneFlags, deleteGone, describePruned, findGone } from './prune.ts';
import type { Gone, PruneOptions } from './prune.ts';
import { createSent } from './sent-ids.ts';
import type { Sent } from './sent-ids.ts';

export interface ImportOptions extends PruneOptions {
  readonly args: readonly [string[]];
  readonly format?: ReadOptions['format'];
  readonly parameters?: readonly string[];
  readonly parametersFile?: string;
  readonly allConditions?: boolean;
}

/** Sends the resources of files to the inventory, a piece at a time: memory holds no more of a stream of them. */
export async function runImport(context: Context, options: ImportOptions): Promise<ExitCode> {
  checkPruneFlags(context, options);
  const found = await findInputs(readingOf(context), options.args[0]);
  const { files, unreadable: failed } = found;
  const reading: ReadOptions = {
    format: options.format,
    parameters: await readParameters(context.world, options),
    allConditions: options.allConditions,
  };
  const report = emptyReport();
  const sent = createSent();
  const isDry = options.dryRun === true;
  const { holding } = context.world;
  for (const { file, message } of failed) report.rejected_lines.push({ file, reason: message });
  await withOurServer(
    context,
    'a resource inventory',
    'Importing resources',
    async (client, update) => {
      for (const input of files) {
        const told = (): void =>
          update(`Importing ${input.file}: ${inThrees(resourcesIn(report))} resources`);
        await importFile(
          context,
          client,
          input,
          { ...reading, sent, isDry, holding },
          report,
          told,
        ).catch((error: unknown) => {
          if (context.world.signal.aborted) throw interrupted();
          if (!isFileError(error) && !(error instanceof LineTooLongError)) throw error;
          const reason =
            error instanceof LineTooLongError ? error.message : unreadable(error).message;
          report.rejected_lines.push({ file: input.file, reason });
        });
      }
    },
  );
  if (options.prune) await prune(context, options, report, sent);
  else await showImport(context, report);
  return report.rejected_lines.length > 0 ? exitCodes.usage : exitCodes.ok;
}

/**
 * Deletes what the inventory has and the files no longer contain.
 * @throws GovctlError guard_refused, approval_required: what was imported stays
 */
async function prune(
  context: Context,
  options: ImportOptions,
  report: ImportReport,
  sent: Sent,
): Promise<void> {
  const isDry = options.dryRun === true;
  const { cwd } = context.world;
  const { config } = loadConfig(cwd, context.flags.allowOutside);
  const limits = {
    unreadable: report.rejected_lines.length,
    maxDelete: options.maxDelete ?? config.guards.max_delete,
  };
  let gone: readonly Gone[];
  try {
    gone = await findGone(context, sent, limits);
    if (!isDry && gone.length > 0) await askToPrune(context, gone, options);
  } catch (error) {
    // What was imported and rejected before is said all the same.
    if (!isDry || report.rejected_lines.length > 0) await showImport(context, report);
    throw error;
  }
  if (!isDry) await deleteGone(context, gone);
  await showImport(context, report, {
    value: { dry_run: isDry, pruned: gone },
    human: (style) => describePruned(context, { gone, isDry }, style),
  });
}

const emptyReport = (): ImportReport => ({
  created: 0,
  updated: 0,
  unchanged: 0,
  rejected: 0,
  rejected_lines: [],
  unknown_values: 0,
  left_out: [],
  warnings: [],
  skipped: [],
});

const resourcesIn = ({ created, updated, unchanged }: ImportReport): number =>
  created + updated + unchanged;

interface Reading extends ReadOptions {
  readonly sent: Sent;
  /** Nothing is sent. */
  readonly isDry: boolean;
  readonly holding: Holding;
}

async function importFile(
  context: Context,
  client: Client,
  input: InputFile,
  reading: Reading,
  report: ImportReport,
  told: () => void,
): Promise<void> {
  const { head, rest } = await begin(input, context.world.terminal, context.world.signal);
  const send = async (body: string, place: (line: number) => Partial<Rejected>): Promise<void> => {
    if (reading.isDry) return;
    const { data } = await client.resources.import({ body });
    count(report, input.file, data, place);
    told();
  };
  if (isResourceStream(head, reading)) {
    let before = 0;
    for await (const bytes of cutAtLineEnds(chain(head, rest))) {
      const from = before;
      const lines = new TextDecoder().decode(bytes).split('\n');
      const kept = lines.map((text, index) => {
        const line = from + index + 1;
        const refused = reading.sent.refuse(text, `${input.file}:${line}`);
        if (!refused) return text;
        reject(report, { file: input.file, line, ...refused });
        return ''; // the lines after it keep their numbers
      });
      await send(kept.join('\n'), (line) => ({ line: from + line }));
      before += lines.length - 1;
    }
    return;
  }
  const bytes = await readAll(head, rest);
  if (!bytes) {
    const reason = `the file is larger than ${largestDocument / 1024 / 1024} MiB; for larger inputs, use NDJSON with one resource per line`;
    report.rejected_lines.push({ file: input.file, reason });
    return;
  }
  await importDocument(input, bytes, reading, report, send);
}

function reject(report: ImportReport, rejected: Rejected): void {
  report.rejected += 1;
  report.rejected_lines.push(rejected);
}

async function importDocument(
  input: InputFile,
  bytes: Uint8Array,
  reading: Reading,
  report: ImportReport,
  send: (body: string, place: (line: number) => Partial<Rejected>) => Promise<void>,
): Promise<void> {
  const { file } = input;
  const read = reading.holding(() => readInventory(bytes, reading));
  if (!read.ok) {
    // A folder holds other things, too.
    if (read.unknownFormat && !input.named) report.skipped.push(file);
    else report.rejected_lines.push({ file, ...placed(read.problem) });
    for (const problem of read.more ?? []) report.rejected_lines.push({ file, ...placed(problem) });
    return;
  }
  const { resources, problems, leftOut, notices, locate } = read.inventory;
  for (const problem of problems) report.rejected_lines.push({ file, ...placed(problem) });
  for (const notice of notices) report.warnings.push({ file, ...notice });
  for (const one of leftOut) report.left_out.push(placeLeftOut(one, file, locate(one.at)));
  const unknown = (values: number): void => void (report.unknown_values += values);
  const isNew = ({ at }: ReadResource, line: string): boolean => {
    const place = locate(at);
    const refused = reading.sent.refuse(line, place ? `${file}:${place.line}` : file);
    if (refused) reject(report, { file, ...place, ...refused });
    return refused === undefined;
  };
  for (const chunk of resourceLines(resources, unknown, isNew)) {
    await send(chunk.text, (line) => {
      const one = chunk.resources[line - 1];
      return (one && locate(one.at)) ?? {};
    });
  }
}

const placed = ({
  message,
  line,
  column,
}: {
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
}): Omit<Rejected, 'file'> => ({
  ...defined({ line, column }),
  reason: message,
});

/** Adds what the service says of a piece. @param place of one of its lines in the file */
function count(
  report: ImportReport,
  file: string,
  answer: ImportAnswer,
  place: (line: number) => Partial<Rejected>,
): void {
  report.created += answer.created;
  report.updated += answer.updated;
  report.unchanged += answer.unchanged;
  report.rejected += answer.rejected;
  for (const { line, id, reason } of answer.rejected_lines) {
    report.rejected_lines.push({
      file,
      ...place(line),
      ...defined({ id }),
      reason,
    });
  }
}
