import type { ExitCode } from '../../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../../contract/errors.ts';
import { describeIssues } from '../../../contract/describe-issues.ts';
import { MetricPoint } from '../../../contract/metrics.ts';
import type { MetricsAnswer } from '../../../contract/metrics.ts';
import { parseToFirstIssue } from '../../../contract/parse-to-first-issue.ts';
import type { Statistic } from '../../../cost/metrics/export.ts';
import type { InputFile } from '../../../project/check/discover-inputs.ts';
import { isFileError } from '../../check/check-inputs.ts';
import { interrupted } from '../../check/check-run.ts';
import { LineTooLongError } from '../../check/line-chunks.ts';
import { findInputs } from '../../check/prepare.ts';
import type { Context } from '../../context.ts';
import { notReadable } from '../../flags/input-file.ts';
import { withOurServer } from '../../objects/our-server.ts';
import { readingOf } from '../../project/reading.ts';
import { inThrees } from '../../terminal/printable.ts';
import { importView } from './import-view.ts';
import type { ReadFile } from './import-view.ts';
import { FileRefused, readMetricLines } from './metric-lines.ts';
import type { MetricLine } from './metric-lines.ts';

interface ImportOptions {
  readonly args: readonly [string[]];
  readonly resource?: string;
  readonly period?: string;
  readonly statistic?: Statistic;
  readonly skipUnknown?: boolean;
  readonly dryRun?: boolean;
}

/** Characters that are sent at once. The service stores all of a request, or nothing. */
const mostAtOnce = 8 << 20;
const longestPeriod = 86_400;

/** Reads all files, then sends them: what is wrong in a file is known before anything is stored. */
export async function runImportMetrics(
  context: Context,
  options: ImportOptions,
): Promise<ExitCode> {
  const { world } = context;
  const given = {
    resource: options.resource,
    period: options.period === undefined ? undefined : parsePeriod(options.period),
    statistic: options.statistic,
  };
  const { files, unreadable: failed } = await findInputs(readingOf(context), options.args[0]);
  const [first] = failed;
  if (first)
    throw new GovctlError('invalid_file', `${first.file} could not be read: ${first.message}`);
  // Standard input can be read once only.
  const kept = new Map<InputFile, MetricLine[]>();
  const linesOf = (input: InputFile, read: ReadFile): AsyncIterable<MetricLine> | MetricLine[] =>
    kept.get(input) ?? guarded(context, input, readMetricLines(context, input, given, read));
  const read = await context.progress('Reading metrics', async (update) => {
    const all: ReadFile[] = [];
    for (const input of files) {
      const one = emptyFile(input.file);
      const lines: MetricLine[] = [];
      for await (const line of linesOf(input, one)) {
        check(line, input);
        if (input.size === Infinity) lines.push(line);
        count(one, line);
        if (one.points % 10_000 === 0) update(`Reading ${input.file}: ${inThrees(one.points)} points`); // prettier-ignore
      }
      if (input.size === Infinity) kept.set(input, lines);
      all.push(one);
    }
    return all;
  });
  if (options.dryRun) {
    await context.show(importView(read));
    return exitCodes.ok;
  }
  const stored: MetricsAnswer[] = [];
  const query = options.skipUnknown ? ({ unknown: 'skip' } as const) : {};
  await withOurServer(context, 'metrics', 'Importing metrics', async (client, update) => {
    let text = '';
    let sent = 0;
    let places: string[] = [];
    const send = async (): Promise<void> => {
      if (text === '') return;
      const body = text;
      const its = places;
      [text, places] = ['', []];
      const { data } = await client.metrics.import({ body, query }).catch((error: unknown) => {
        throw placed(error, its);
      });
      stored.push(data);
      sent += its.length;
      update(`Importing: ${inThrees(sent)} points`);
    };
    for (const input of files) {
      for await (const { text: line, place } of linesOf(input, emptyFile(input.file))) {
        text += `${line}\n`;
        places.push(`${input.file}${place}`);
        if (text.length >= mostAtOnce) await send();
      }
    }
    await send();
    if (world.signal.aborted) throw interrupted();
  });
  await context.show(importView(read, stored));
  return exitCodes.ok;
}

/** @throws GovctlError usage_error */
function parsePeriod(text: string): number {
  const seconds = Number(text);
  if (/^\d+$/.test(text) && seconds >= 1 && seconds <= longestPeriod) return seconds;
  throw new GovctlError('usage_error', `--period ${text}: must be a number of seconds`, {
    hint: `Use a whole number from 1 to ${inThrees(longestPeriod)}.`,
  });
}

const emptyFile = (file: string): ReadFile => ({
  file,
  format: '',
  points: 0,
  metrics: {},
  resources: new Set(),
  left_out: {},
});

/** @throws GovctlError invalid_file, with file and place */
function check({ point, place }: MetricLine, { file }: InputFile): void {
  const parsed = parseToFirstIssue(MetricPoint, point);
  if (parsed.success) return;
  const [first] = describeIssues(MetricPoint, point, parsed.error.issues);
  const field = first?.field ? `${first.field} ` : '';
  throw new GovctlError('invalid_file', `${file}${place}: ${field}${first?.message ?? 'is not valid'}`); // prettier-ignore
}

function count(one: ReadFile, { point }: MetricLine): void {
  const { metric, resource_id: id, at } = point as MetricPoint; // just checked
  one.points += 1;
  one.metrics[metric] = (one.metrics[metric] ?? 0) + 1;
  one.resources.add(id);
  const time = new Date(at).toISOString();
  if (one.from === undefined || time < one.from) one.from = time;
  if (one.until === undefined || time > one.until) one.until = time;
}

/** What the service says of a line, by its place in the file. */
function placed(error: unknown, places: readonly string[]): unknown {
  if (!(error instanceof GovctlError) || error.error !== 'invalid_metric') return error;
  const [, line = '', rest = ''] = /^Line (\d+): (.*)$/s.exec(error.message) ?? [];
  const place = places[Number(line) - 1];
  if (place === undefined) return error;
  const { hint } = error;
  return new GovctlError('invalid_metric', `${place}: ${rest}`, {
    ...(hint === undefined ? {} : { hint }),
    cause: error,
  });
}

/** @throws GovctlError invalid_file, interrupted */
async function* guarded(
  { world }: Context,
  { file }: InputFile,
  lines: AsyncIterable<MetricLine>,
): AsyncGenerator<MetricLine> {
  try {
    yield* lines;
  } catch (error) {
    if (world.signal.aborted) throw interrupted();
    if (isFileError(error)) throw notReadable(file, error);
    const isOurs = error instanceof FileRefused || error instanceof LineTooLongError;
    if (!isOurs) throw error;
    const place = error instanceof FileRefused ? error.place : '';
    throw new GovctlError('invalid_file', `${file}${place}: ${error.message}`);
  }
}
