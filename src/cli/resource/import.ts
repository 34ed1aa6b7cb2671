import { causeCode } from '../../client/unreachable.ts';
import { defined } from '../../contract/defined.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes, reword } from '../../contract/errors.ts';
import { maxLinesShown } from '../../contract/resources.ts';
import type { ImportAnswer } from '../../contract/resources.ts';
import type { InputProblem, ReadOptions, ReadResource } from '../../inventory/model.ts';
import { searchHint } from '../../project/check/discover-inputs.ts';
import type { FoundInputs, InputFile } from '../../project/check/discover-inputs.ts';
import { loadConfig } from '../../project/config.ts';
import { deleteLimit } from '../../project/plan/guards.ts';
import { unreadable } from '../../project/read/read-text.ts';
import { begin, chain, isFileError, isResourceStream, readAll } from '../check/check-inputs.ts';
import { placeLeftOut } from '../../project/check/left-out.ts';
import { interrupted } from '../check/check-run.ts';
import { createDocuments, largestDocument } from '../check/documents.ts';
import type { DocumentRead, Documents } from '../check/documents.ts';
import { LineTooLongError, cutAtLineEnds } from '../check/line-chunks.ts';
import { readParameters } from '../check/options.ts';
import { findInputs } from '../check/prepare.ts';
import { readingOf } from '../project/reading.ts';
import type { Context } from '../context.ts';
import { mayHaveBegun, withOurServer } from '../objects/our-server.ts';
import { waitUntilEvaluated } from '../objects/pending.ts';
import { parseTimeout } from '../objects/wait.ts';
import { count, inThrees } from '../terminal/printable.ts';
import { showImport } from './import-report.ts';
import { createLacking, warnOfDeleted } from './import-warnings.ts';
import type { Lacking, PlacedDeleted } from './import-warnings.ts';
import type { ImportReport, Rejected } from './import-report.ts';
import { resourceLines } from './resource-lines.ts';
import { askToPrune, checkPruneFlags, deleteGone, describePruned, findGone } from './prune.ts';
import type { Missing, PruneOptions } from './prune.ts';
import { createSent } from './sent-ids.ts';
import type { Sent } from './sent-ids.ts';

export interface ImportOptions extends PruneOptions {
  readonly args: readonly [string[]];
  readonly format?: ReadOptions['format'];
  readonly parameters?: readonly string[];
  readonly parametersFile?: string;
  readonly allConditions?: boolean;
  readonly wait?: boolean;
  readonly timeout: string;
}

/** Sends the resources of files to the inventory, a piece at a time: memory holds no more of a stream of them. */
export async function runImport(context: Context, options: ImportOptions): Promise<ExitCode> {
  checkPruneFlags(context, options);
  const timeoutMs = parseTimeout(options.timeout);
  const found = await findInputs(readingOf(context), options.args[0]);
  const { files, unreadable: failed, unread } = found;
  if (files.length + failed.length + unread.length === 0) {
    throw new GovctlError('usage_error', `Nothing to import in ${options.args[0].join(', ')}`, {
      hint: searchHint,
    });
  }
  const reading: ReadOptions = {
    format: options.format,
    parameters: await readParameters(context.world, options),
    allConditions: options.allConditions,
  };
  const report = emptyReport();
  const sent = createSent();
  let isSending = false;
  const isDry = options.dryRun === true;
  const documents = createDocuments(reading, context.world.holding, files.length);
  const lacking = createLacking();
  const pages: string[] = [];
  const deleted: PlacedDeleted[] = [];
  const untold = new Set<string>();
  for (const { file, message } of failed) report.rejected_lines.push({ file, reason: message });
  await withOurServer(
    context,
    'a resource inventory',
    'Importing resources',
    async (client, update) => {
      const sendTo =
        (file: string): Send =>
        async (body, place) => {
          if (isDry) return;
          isSending = true;
          const { data } = await client.resources.import({ body });
          checkRead(body, data);
          isSending = false;
          addCounts(report, file, data, place);
          update(`Importing ${file}: ${inThrees(resourcesIn(report))} resources`);
        };
      const importing: Importing = {
        format: options.format,
        isComplete: options.complete === true,
        sent,
        documents,
        lacking,
        pages,
        deleted,
        untold,
        report,
      };
      for (const input of files) {
        const { file } = input;
        await importFile(context, input, importing, sendTo(file)).catch((error: unknown) => {
          if (context.world.signal.aborted) throw interrupted();
          if (!isFileError(error) && !(error instanceof LineTooLongError)) throw error;
          const reason =
            error instanceof LineTooLongError ? error.message : unreadable(error).message;
          report.rejected_lines.push({ file, reason });
        });
      }
      for (const document of documents.waiting())
        await importDocument(document, importing, sendTo(document.inputs[0].file));
      if (options.wait) {
        report.pending = await waitUntilEvaluated(context, client, report.pending, { timeoutMs, update }); // prettier-ignore
      }
    },
  ).catch((error: unknown) => {
    throw afterSome(error, report, isSending);
  });
  for (const warning of [documents.notMerged(), lacking.warning()])
    if (warning) report.warnings.unshift(warning);
  const isNothing =
    resourcesIn(report) + report.rejected_lines.length === 0 && deleted.length === 0;
  for (const { file, message } of unread) {
    if (isNothing) report.rejected_lines.push({ file, reason: message });
    else report.warnings.push({ file, message });
  }
  const notDeleted = options.prune ? undefined : warnOfDeleted(deleted);
  if (notDeleted) report.warnings.unshift(notDeleted);
  if (options.prune)
    await prune(context, options, report, { sent, pages, deleted, untold, unread });
  else await showImport(context, report);
  if (report.rejected_lines.length > 0) return exitCodes.usage;
  return options.wait && report.pending ? exitCodes.pending : exitCodes.ok;
}

/**
 * Deletes what the inventory has and the files no longer contain.
 * @throws GovctlError guard_refused, approval_required: what was imported stays
 */
async function prune(
  context: Context,
  options: ImportOptions,
  report: ImportReport,
  {
    sent,
    pages,
    deleted,
    untold,
    unread,
  }: Pick<Importing, 'sent' | 'pages' | 'deleted' | 'untold'> & Pick<FoundInputs, 'unread'>,
): Promise<void> {
  const isDry = options.dryRun === true;
  const { cwd } = context.world;
  const { config } = loadConfig(cwd, context.flags.allowOutside);
  const limits = {
    unreadable: report.rejected_lines.length,
    pages,
    skipped: [...report.skipped, ...unread.map(({ file }) => file)],
    maxDelete: deleteLimit(options.maxDelete, config.guards.max_delete),
  };
  let missing: Missing;
  try {
    missing = await findGone(context, sent, { deleted, untold }, limits);
    if (!isDry && missing.gone.length > 0) {
      await askToPrune(context, missing.gone, options);
      await deleteGone(context, missing.gone);
    }
  } catch (error) {
    // What was imported and rejected before is said all the same.
    if (!isDry || report.rejected_lines.length > 0) await showImport(context, report);
    throw error;
  }
  const { gone, newer } = missing;
  await showImport(context, report, {
    value: { dry_run: isDry, pruned: gone, newer },
    human: (style) => describePruned(context, { gone, newer, isDry }, style),
  });
}

const emptyReport = (): ImportReport => ({
  created: 0,
  updated: 0,
  unchanged: 0,
  repeated: 0,
  older: 0,
  older_lines: [],
  rejected: 0,
  rejected_lines: [],
  unknown_values: 0,
  left_out: [],
  warnings: [],
  skipped: [],
});

const resourcesIn = ({ created, updated, unchanged, older }: ImportReport): number =>
  created + updated + unchanged + older;

/** Sends lines. @param place of one of them in the files */
type Send = (body: string, place: (line: number) => Partial<Rejected>) => Promise<void>;

/** An import at work. */
interface Importing extends Pick<ReadOptions, 'format'> {
  /** Whether parts of an account count as all of it. */
  readonly isComplete: boolean;
  readonly sent: Sent;
  readonly documents: Documents;
  readonly lacking: Lacking;
  /** Files that are pages of longer lists. */
  readonly pages: string[];
  /** What the files say was deleted. */
  readonly deleted: PlacedDeleted[];
  /** Of which the files tell nothing, so that they are not missing in them. */
  readonly untold: Set<string>;
  readonly report: ImportReport;
}

async function importFile(
  context: Context,
  input: InputFile,
  importing: Importing,
  send: Send,
): Promise<void> {
  const { report, documents } = importing;
  const { head, rest } = await begin(input, context.world.terminal, context.world.signal);
  if (isResourceStream(head, importing)) {
    let before = 0;
    for await (const bytes of cutAtLineEnds(chain(head, rest))) {
      const from = before;
      const lines = new TextDecoder().decode(bytes).split('\n');
      const kept = lines.map((text, index) => {
        const line = from + index + 1;
        const isNew = take(importing, text, { file: input.file, line }, false);
        return isNew ? text : ''; // the lines after it keep their numbers
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
  const document = documents.open(input, bytes);
  if (document) await importDocument(document, importing, send);
}

/** Whether a line is to be sent. */
function take(
  { sent, report }: Importing,
  text: string,
  place: Omit<Rejected, 'reason'>,
  isPart: boolean,
): boolean {
  const { file, line } = place;
  const met = sent.add(text, line === undefined ? file : `${file}:${line}`, isPart);
  if (met === 'same') {
    report.unchanged += 1;
    report.repeated += 1;
  } else if (met !== 'new') {
    report.rejected += 1;
    report.rejected_lines.push({ ...place, ...met });
  }
  return met === 'new';
}

async function importDocument(
  document: DocumentRead,
  importing: Importing,
  send: Send,
): Promise<void> {
  const { report, lacking, pages, deleted, untold } = importing;
  const [input] = document.inputs;
  const { file } = input;
  const read = document.read();
  if (!read.ok) {
    // A folder holds other things, too.
    if (read.unknownFormat && !input.named) report.skipped.push(file);
    else report.rejected_lines.push({ file, ...placed(read.problem) });
    for (const problem of read.more ?? []) report.rejected_lines.push({ file, ...placed(problem) });
    return;
  }
  const { resources, problems, isInDoubt, leftOut, notices, locate } = read.inventory;
  for (const page of read.inventory.pages) pages.push(page.file ?? file);
  for (const problem of problems) report.rejected_lines.push({ file, ...placed(problem) });
  if (isInDoubt) return;
  // An export that failed may be empty, too.
  if (resources.length + leftOut.length + read.inventory.deleted.length === 0) {
    report.skipped.push(file);
  }
  for (const notice of notices) report.warnings.push({ file, ...notice });
  const isPart = read.inventory.isPart && !importing.isComplete;
  for (const id of read.inventory.untold) untold.add(id);
  for (const one of read.inventory.deleted) {
    deleted.push({ ...one, place: { file, ...locate(one.at) } });
  }
  for (const one of leftOut) report.left_out.push(placeLeftOut(one, file, locate(one.at)));
  const unknown = (values: number): void => void (report.unknown_values += values);
  const isNew = ({ at, lacks }: ReadResource, line: string): boolean => {
    const place = { file, ...locate(at) };
    if (!take(importing, line, place, isPart)) return false;
    if (lacks !== undefined) lacking.add(lacks, place);
    return true;
  };
  for (const chunk of resourceLines(resources, unknown, isNew)) {
    await send(chunk.text, (line) => {
      const one = chunk.resources[line - 1];
      return (one && locate(one.at)) ?? {};
    });
  }
}

const placed = ({ message, ...place }: InputProblem) => ({
  ...place,
  reason: message,
});

/** @throws GovctlError bad_answer where the service did not read all lines, as the import would be incomplete */
function checkRead(body: string, { lines }: ImportAnswer): void {
  const sent = body.split('\n').filter((line) => line.trim() !== '').length;
  if (lines === sent) return;
  throw new GovctlError(
    'bad_answer',
    `The service read ${inThrees(lines)} of ${inThrees(sent)} lines, so the import is incomplete`,
  );
}

/**
 * The error that ended an import, with what it has stored.
 * @param isSending whether lines were sent without an answer: the service stores them in batches
 */
function afterSome(error: unknown, report: ImportReport, isSending: boolean): unknown {
  if (!(error instanceof GovctlError)) return error;
  const stored = resourcesIn(report);
  // A server that is not there at all has most likely stored nothing.
  const isAway = stored === 0 && causeCode(error.cause) === 'ECONNREFUSED';
  if (isSending && mayHaveBegun(error) && !isAway) {
    const message = `${error.message}; before this, the service acknowledged ${count(stored, 'resource')}`;
    const next = 'More may be stored. To import the rest, run the command again.';
    return reword(error, { message, hint: [error.hint, next].filter(Boolean).join(' ') });
  }
  if (stored === 0) return error;
  const { hint = 'To import the rest, run the command again.' } = error;
  const message = `${error.message}; before this, ${count(stored, 'resource was', 'resources were')} imported`;
  return reword(error, { message, hint });
}

/** Adds what the service says of a piece. @param place of one of its lines in the file */
function addCounts(
  report: ImportReport,
  file: string,
  answer: ImportAnswer,
  place: (line: number) => Partial<Rejected>,
): void {
  report.created += answer.created;
  report.updated += answer.updated;
  report.unchanged += answer.unchanged;
  report.rejected += answer.rejected;
  report.pending = answer.pending;
  report.older += answer.older ?? 0;
  const room = maxLinesShown - report.older_lines.length; // any number of pieces may have some
  for (const { line, id } of answer.older_lines?.slice(0, room) ?? []) {
    report.older_lines.push({ file, ...place(line), id });
  }
  for (const { line, id, reason } of answer.rejected_lines) {
    report.rejected_lines.push({
      file,
      ...place(line),
      ...defined({ id }),
      reason,
    });
  }
}
