import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { GovctlError } from '../../contract/errors.ts';
import { parseToFirstIssue } from '../../contract/parse-to-first-issue.ts';
import type { VerdictSeries } from '../../engine/predict/backtest.ts';
import { explainLine, tryJson } from '../../inventory/text/parse-json-list.ts';
import type { World } from '../context.ts';
import { momentOf } from '../flags/moment.ts';
import { notReadable, readInputBytes } from '../flags/input-file.ts';

/** What was stored of one service, or found in one repository. */
export interface History {
  readonly series: readonly VerdictSeries[];
  /** Milliseconds since the epoch. */
  readonly until: number;
  /** Whether there is more than was read. */
  readonly isCut?: boolean;
}

const text = z.string().min(1).max(2_048);
const Moment = z.string().max(40).refine((at) => momentOf(at) !== undefined, 'must be a time, such as 2026-01-31T09:30:00Z'); // prettier-ignore

/** A line: how one check of one resource turned out, changes only. */
const Line = z.looseObject({
  resource: text,
  check: text,
  /** Default: what stands before the first dot of `resource`, as in `aws_s3_bucket.logs`. */
  type: text.optional(),
  history: z
    .array(z.tuple([Moment, z.enum(['PASS', 'FAIL', 'gone'])]))
    .min(1)
    .max(100_000)
    .transform((changes) => changes.map(([at, state]) => [momentOf(at) ?? 0, state] as const))
    .refine((all) => all.every(([at], i) => at >= (all[i - 1]?.[0] ?? at)), 'must be in chronological order'), // prettier-ignore
});

/** Bytes. */
const largestFile = 256 * 1024 * 1024;
/** Characters: more than a line with the longest history has. */
const longestLine = 8 * 1024 * 1024;
/** Lines of all files: each stays in memory. */
const mostSeries = 1_000_000;
/** Milliseconds from the first change of a file to its last: each day of them is replayed. */
const longestHistory = 50 * 366 * 86_400_000;

/**
 * Verdict histories: a file with one on each line, or a directory of such files, each a history of its own.
 * @param most lines of all files
 * @throws GovctlError invalid_file with the line
 */
export async function readDataset(
  world: Pick<World, 'cwd' | 'signal'>,
  given: string,
  most = mostSeries,
): Promise<History[]> {
  const found: History[] = [];
  let left = most;
  for (const file of await filesOf(world.cwd, given)) {
    const history = readHistory(file, await readInputBytes(world, file, file, largestFile), left);
    left -= history.series.length;
    found.push(history);
  }
  return found;
}

async function filesOf(cwd: string, given: string): Promise<string[]> {
  const place = path.resolve(cwd, given);
  try {
    if (!(await stat(place)).isDirectory()) return [given];
    const names = await readdir(place);
    const files = names.filter((name) => /\.(?:ndjson|jsonl)$/.test(name)).sort();
    if (files.length > 0) return files.map((name) => path.join(given, name));
  } catch (cause) {
    throw notReadable(given, cause);
  }
  throw new GovctlError('invalid_file', `No .ndjson files in ${given}`, { hint });
}

const hint =
  'Each line is {"resource": "…", "check": "…", "history": [["2026-01-31T09:30:00Z", "PASS"], …]}; states are PASS, FAIL and gone.';

function readHistory(file: string, bytes: Buffer, most: number): History {
  const series: VerdictSeries[] = [];
  let from = Infinity;
  let until = -Infinity;
  let number = 0;
  const refuse = (why: string): never => {
    throw new GovctlError('invalid_file', `${file}:${number}: ${why}`, { hint });
  };
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf(newline, start);
    const end = found < 0 ? bytes.length : found;
    number += 1;
    if (end - start > longestLine) refuse(`the line is longer than ${longestLine >> 20} MiB`);
    const line = end === start ? '' : bytes.toString('utf8', start, end);
    start = end + 1;
    if (line.trim() === '') continue;
    if (series.length >= most) refuse('a dataset must not contain more than 1,000,000 lines');
    const value = tryJson(line);
    const parsed = value && parseToFirstIssue(Line, value.value);
    if (!parsed?.success) {
      const [issue] = parsed?.error.issues ?? [];
      refuse(issue ? `${issue.path.join('.') || 'the line'}: ${issue.message}` : explainLine(line).message); // prettier-ignore
      continue;
    }
    const { check, resource, type = resource.split('.')[0] ?? '', history } = parsed.data;
    series.push({ policy: check, type, history });
    from = Math.min(from, history[0]?.[0] ?? from);
    until = Math.max(until, history.at(-1)?.[0] ?? until);
    if (until - from > longestHistory) refuse('the history is longer than 50 years');
  }
  if (series.length === 0) throw new GovctlError('invalid_file', `${file} is empty`, { hint });
  return { series, until };
}

const newline = 0x0a;
