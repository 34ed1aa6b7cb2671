import { setTimeout as sleep } from 'node:timers/promises';
import { createListBound } from '../../client/list-all.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import type { PageOf, PageQuery } from './collect-pages.ts';
import { howMany } from './collect-pages.ts';
import type { Context } from '../context.ts';
import { openRows } from '../terminal/row-writer.ts';
import type { Style } from '../terminal/terminal.ts';
import { writeLines } from '../terminal/wrap-words.ts';

/** Milliseconds between polls. */
const lookEvery = 1_000;
const pageSize = 100;
/** Maximum number of remembered row states; many times the size of a page. */
const mostRemembered = 10_000;

export interface Followed<Row> {
  readonly plural: string;
  /** A page, latest change first. */
  readonly fetchPage: (place: PageQuery) => Promise<PageOf<Row>>;
  /** The order of the pages. */
  readonly rank: (row: Row) => number;
  /** Whether this row and all after it are older than requested. */
  readonly isOld: (row: Row) => boolean;
  /** Changes whenever the row should be shown again. */
  readonly stateOf: (row: Row) => string;
  readonly line: (row: Row, style: Style) => string;
}

/**
 * Shows the last rows of a list and then each new or changed row, oldest first, until Ctrl-C or until the reader closes
 * the output. Retries while the server is unreachable.
 */
export async function follow<Row>(
  context: Context,
  flags: { readonly limit: string; readonly all?: boolean },
  followed: Followed<Row>,
): Promise<ExitCode> {
  const { signal, terminal } = context.world;
  const targets = followFormats(context);
  const next = createReader(followed, howMany(flags));
  const rows = await openRows(targets, terminal);
  const toPeople = targets.every(({ file, format }) => file !== undefined || format === 'table');
  try {
    for (let looks = 0, failed = false; !signal.aborted && !terminal.stdout.isClosed; looks++) {
      try {
        for (const row of await next()) {
          rows?.write(row);
          if (toPeople) await writeLines(terminal, followed.line(row, context.style));
        }
        failed = false;
        await rows?.flush();
      } catch (error) {
        if (signal.aborted) break;
        if (!isPassing(error) || looks === 0) throw error;
        if (!failed) await context.warn(`${error.message}; retrying until the server responds`);
        failed = true;
      }
      await sleep(lookEvery, undefined, { signal }).catch(() => undefined);
    }
    await rows?.finish();
  } finally {
    await rows?.close();
  }
  return exitCodes.ok;
}

/** @throws GovctlError usage_error for a format that can only be written at the end */
function followFormats({ flags }: Context): Context['flags']['output'] {
  const other = flags.output.find(({ format }) => format !== 'ndjson' && format !== 'table');
  if (!other) return flags.output;
  throw new GovctlError('usage_error', `-o ${other.format} cannot be used with --follow`, {
    hint: 'Use -o ndjson: one JSON document per line.',
  });
}

const isPassing = (error: unknown): error is GovctlError =>
  error instanceof GovctlError &&
  ['unreachable', 'unavailable', 'internal_error', 'rate_limit_exceeded'].includes(error.error);

/**
 * Returns a function that gives the last `most` rows at the first call, and the new rows at each later one, oldest first.
 * Reads whole pages until one contains a known row: rows of the same moment may come in any order.
 */
function createReader<Row>(
  { plural, fetchPage, rank, isOld, stateOf }: Followed<Row>,
  most: number,
): () => Promise<Row[]> {
  const known = new Set<string>();
  // Older rows move into the first page when others no longer match the filter: they are not new.
  let floor = -Infinity;
  let isFirst = true;
  return async () => {
    const fresh = new Map<string, Row>();
    const bound = createListBound(plural);
    let cursor: string | undefined;
    for (let offset = 0, more = true; more && !(isFirst && fresh.size >= most);) {
      const place = cursor === undefined ? { offset } : { cursor };
      const { rows, pagination, characters } = await fetchPage({ limit: pageSize, ...place });
      const wanted = rows.filter((row) => !isOld(row) && rank(row) >= floor);
      const unknown = wanted.filter((row) => !known.has(stateOf(row)));
      for (const row of unknown) fresh.set(stateOf(row), row);
      bound(characters, fresh.size);
      offset += rows.length;
      cursor = pagination?.next_cursor ?? undefined;
      more = unknown.length === rows.length && rows.length > 0 && pagination?.has_more === true;
    }
    const found = [...fresh.values()].slice(0, isFirst ? most : undefined).reverse();
    if (isFirst && found[0] !== undefined) floor = rank(found[0]);
    isFirst = false;
    for (const state of [...fresh.keys()].reverse()) known.add(state);
    for (const state of known) {
      if (known.size <= mostRemembered) break;
      known.delete(state);
    }
    return found;
  };
}
