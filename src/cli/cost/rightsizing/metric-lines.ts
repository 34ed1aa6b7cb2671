import { ExportError } from '../../../cost/metrics/export.ts';
import type { ExportOptions } from '../../../cost/metrics/export.ts';
import { findFormat } from '../../../cost/metrics/read.ts';
import type { InputFile } from '../../../project/check/discover-inputs.ts';
import { begin, chain, readAll } from '../../check/check-inputs.ts';
import { largestDocument } from '../../check/documents.ts';
import { cutAtLineEnds } from '../../check/line-chunks.ts';
import type { Context } from '../../context.ts';
import type { ReadFile } from './import-view.ts';

/** A point of a file, as it is sent. */
export interface MetricLine {
  readonly point: unknown;
  readonly text: string;
  /** After the file's name: `:12`, ` Datapoints[3]`. */
  readonly place: string;
}

export class FileRefused extends Error {
  constructor(
    /** After the file's name. */
    readonly place: string,
    message: string,
  ) {
    super(message);
  }
}

const known =
  'supported formats are NDJSON with resource_id and metric in the first line, and JSON from CloudWatch (get-metric-statistics, get-metric-data), Azure Monitor (az monitor metrics list) and Google Cloud Monitoring (timeSeries.list)';
const newline = 0x0a;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The points of a file, whatever its format; `read` learns of it what is no point.
 * @throws FileRefused, LineTooLongError, or an error of the file system
 */
export async function* readMetricLines(
  { world }: Context,
  input: InputFile,
  options: ExportOptions,
  read: ReadFile,
): AsyncGenerator<MetricLine> {
  const { head, rest } = await begin(input, world.terminal, world.signal);
  if (isStream(head)) {
    read.format = 'NDJSON';
    yield* ownLines(chain(head, rest));
    return;
  }
  const bytes = await readAll(head, rest);
  if (!bytes) {
    throw new FileRefused('', `is larger than ${largestDocument >> 20} MiB; use NDJSON or several files`); // prettier-ignore
  }
  const format = findFormat(parse(bytes, '', `is not JSON; ${known}`));
  if (!format) throw new FileRefused('', `is not a supported file; ${known}`);
  read.format = format.name;
  try {
    const { points, leftOut } = format.read(options);
    for (const [name, numbers] of leftOut) {
      read.left_out[name] = (read.left_out[name] ?? 0) + numbers;
    }
    for (const { point, place } of points) {
      yield { point, text: JSON.stringify(point), place: ` ${place}` };
    }
  } catch (error) {
    if (!(error instanceof ExportError)) throw error;
    throw new FileRefused(` ${error.place}`, error.message);
  }
}

/** Whether the first line with a text is a point by itself. */
function isStream(head: Uint8Array): boolean {
  try {
    const [text = ''] = new TextDecoder().decode(head).trimStart().split('\n', 1);
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'metric' in value && 'resource_id' in value; // prettier-ignore
  } catch {
    return false;
  }
}

async function* ownLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<MetricLine> {
  let line = 0;
  for await (const piece of cutAtLineEnds(source)) {
    for (let from = 0; from < piece.length;) {
      const next = piece.indexOf(newline, from);
      const end = next < 0 ? piece.length : next;
      line += 1;
      const bytes = piece.subarray(from, end);
      from = end + 1;
      if (isBlank(bytes)) continue;
      const place = `:${line}`;
      const point = parse(bytes, place);
      yield { point, text: JSON.stringify(point), place };
    }
  }
}

const isBlank = (bytes: Uint8Array): boolean => bytes.every((byte) => byte <= 0x20);

/** @throws FileRefused */
function parse(bytes: Uint8Array, place: string, message = 'is not JSON'): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    throw new FileRefused(place, message);
  }
}
