import type { UsesQuery } from '../../contract/uses.ts';
import { timestamp } from '../deps.ts';
import { nextTurn } from '../next-turn.ts';
import { daysOf, fileOf } from './files.ts';
import type { UseFiles } from './files.ts';

/** Bytes that are read in one go; a longer line is no line of ours. */
const chunk = 1 << 18;
/** Bytes that are looked through for a page, however few of the uses in them match. */
const mostLooked = 64 << 20;

/** A line of the record, and its place. */
interface Line {
  readonly day: string;
  /** Bytes before it in its file. */
  readonly offset: number;
  readonly text: string;
}

export interface UsesPage {
  /** JSON of each, the latest first. */
  readonly uses: readonly string[];
  readonly hasMore: boolean;
  /** For the next page. */
  readonly cursor?: string | undefined;
}

const placeOf = ({ day, offset }: Omit<Line, 'text'>): string => `${day}.${offset}`;

/** A page of uses, read from the end of the record on, some lines in each turn. @throws the reason of the signal */
export async function readUses(
  files: UseFiles,
  query: UsesQuery,
  signal: AbortSignal,
): Promise<UsesPage> {
  const isWanted = filterOf(query);
  const uses: string[] = [];
  let looked = 0;
  let place: string | undefined;
  for await (const lines of chunksOf(files, query)) {
    signal.throwIfAborted();
    for (const line of lines) {
      looked += line.text.length;
      const use = isWanted(line.text) ? asUse(line) : undefined;
      if (use !== undefined && uses.length >= query.limit) {
        return { uses, hasMore: true, cursor: place };
      }
      place = placeOf(line);
      if (use !== undefined) uses.push(use);
    }
    if (looked >= mostLooked) return { uses, hasMore: true, cursor: place };
    await nextTurn();
  }
  return { uses, hasMore: false };
}

const timeStart = '{"at":"'.length;
const timeEnd = timeStart + '2026-01-31T09:30:00.000Z'.length;

/** Whether a line, as it was written, is of what is asked for. */
function filterOf(query: UsesQuery): (line: string) => boolean {
  const since = query.since === undefined ? '' : timestamp(Date.parse(query.since));
  const until = query.until === undefined ? '~' : timestamp(Date.parse(query.until));
  const fields = (['credential', 'actor', 'address', 'outcome'] as const).flatMap((field) =>
    query[field] === undefined ? [] : [`"${field}":${JSON.stringify(query[field])}`],
  );
  const { endpoint } = query;
  if (endpoint !== undefined) {
    const value = JSON.stringify(endpoint);
    // A path by itself is one with any method.
    fields.push(endpoint.includes(' ') ? `"endpoint":${value}` : ` ${value.slice(1)}`);
  }
  return (line) => {
    const at = line.slice(timeStart, timeEnd);
    return at >= since && at < until && fields.every((field) => line.includes(field));
  };
}

/** Undefined: half a line, which a crash has left. */
function asUse(line: Line): string | undefined {
  try {
    JSON.parse(line.text);
  } catch {
    return undefined;
  }
  return `{"id":"${placeOf(line)}",${line.text.slice(1)}`;
}

/** The lines of the days that are asked for, the latest first, as many at once as are read in one go. */
async function* chunksOf(files: UseFiles, query: UsesQuery): AsyncGenerator<readonly Line[]> {
  const dayOf = (time: string): string => timestamp(Date.parse(time)).slice(0, 10);
  const first = query.since === undefined ? '' : dayOf(query.since);
  const last = query.until === undefined ? '~' : dayOf(query.until);
  const [from = '~', offset = ''] = query.cursor?.split('.') ?? [];
  for (const day of await daysOf(files)) {
    if (day < first || day > last || day > from) continue;
    yield* linesOf(files, day, day === from ? Number(offset) : Infinity);
  }
}

/** @param before where the last of them ends at most */
async function* linesOf(
  uses: UseFiles,
  day: string,
  before: number,
): AsyncGenerator<readonly Line[]> {
  const path = fileOf(uses, day);
  const file = await uses.files.open(path, 'read');
  try {
    /** Of the first line in what was read, whose beginning is in what is read next. */
    let rest = Buffer.alloc(0);
    for (let end = Math.min(before, await uses.files.size(path)); end > 0;) {
      const start = Math.max(0, end - chunk);
      const bytes = Buffer.alloc(end - start);
      const read = await file.read(bytes, start);
      const text = Buffer.concat([bytes.subarray(0, read), rest]).toString('latin1');
      const first = start === 0 ? 0 : text.indexOf('\n') + 1;
      yield splitBackwards(text, first).map(({ at, line }) => ({
        day,
        offset: start + at,
        text: line,
      }));
      rest = Buffer.from(text.slice(0, Math.min(first, chunk)), 'latin1');
      end = start;
    }
  } finally {
    await file.close();
  }
}

/** The lines of a text from a place on, the last first. */
function splitBackwards(text: string, from: number): { at: number; line: string }[] {
  const lines: { at: number; line: string }[] = [];
  let end = text.endsWith('\n') ? text.length - 1 : text.length;
  while (end > from) {
    const at = Math.max(from, text.lastIndexOf('\n', end - 1) + 1);
    if (end > at) lines.push({ at, line: text.slice(at, end) });
    end = at - 1;
  }
  return lines;
}
