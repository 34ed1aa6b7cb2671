import type { UsesQuery } from '../../contract/uses.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { nextTurn } from '../next-turn.ts';
import type { Observe } from '../observe/request-event.ts';
import { nodeFiles } from '../store/lowdb/file-layer.ts';
import { UseCounts, minute } from './counts.ts';
import type { CountLimits } from './counts.ts';
import { appendLines, removeBefore } from './files.ts';
import type { UseFiles } from './files.ts';
import { readUses } from './read.ts';
import type { UsesPage } from './read.ts';

/** The record of every use of credentials: counted in memory by minute, then in a file for each day. */
export interface UseRecord {
  readonly add: Observe;
  /** Writes the minutes that are over. Call it every second. */
  save(): Promise<void>;
  /** Writes all, and counts nothing more. */
  stop(): Promise<void>;
  /** Removes the files of days that are too old. */
  removeOld(): Promise<void>;
  list(query: UsesQuery, signal: AbortSignal): Promise<UsesPage>;
}

export interface UseOptions extends Pick<UseFiles, 'dir'> {
  /** For tests. */
  readonly files?: UseFiles['files'];
  readonly keptDays?: number | undefined;
  readonly limits?: Partial<CountLimits> & { readonly unknownADay?: number };
}

const defaultKeptDays = 30;
const day = 86_400_000;
/** What waits to be written has at most as many lines as so many full minutes: beyond it, the disk is too slow. */
const fullMinutesWaiting = 2;
/** Lines that are put together in one turn: a millisecond or two. */
const perTurn = 1_000;

export function createUseRecord(
  { clock, log }: Pick<Deps, 'clock' | 'log'>,
  { dir, files = nodeFiles, keptDays = defaultKeptDays, limits: given = {} }: UseOptions,
): UseRecord {
  const limits = { lines: 100_000, unknown: 10_000, unknownADay: 500_000, ...given };
  const where = { dir, files };
  const waiting: UseCounts[] = [];
  const startOf = (now: number): number => now - (now % minute);
  /** Lines without a known credential that this day may still have: they must not fill the disk. */
  let unknownLeft = limits.unknownADay;
  const begin = (start: number): UseCounts =>
    new UseCounts(start, { lines: limits.lines, unknown: Math.min(limits.unknown, unknownLeft) });
  let current = begin(startOf(clock.now()));

  const linesWaiting = (): number => waiting.reduce((sum, { lines }) => sum + lines, 0);

  /** Goes on to the minute that it is now. */
  const turn = (start: number): void => {
    unknownLeft -= current.unknown;
    if (Math.floor(start / day) !== Math.floor(current.start / day)) {
      unknownLeft = limits.unknownADay;
    }
    if (current.lines > 0) {
      waiting.push(current);
      while (linesWaiting() > fullMinutesWaiting * limits.lines && waiting.length > 1) {
        waiting.shift();
        log.error({}, 'one minute of credential usage was not recorded: the disk is too slow');
      }
    }
    current = begin(start);
  };
  const writeWaiting = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      try {
        const lines = await linesOf(next);
        await appendLines(where, timestamp(next.start).slice(0, 10), lines);
      } catch (error) {
        log.error({ err: error }, 'one minute of credential usage was not recorded');
      }
    }
  };
  let writing = Promise.resolve();
  const write = (): Promise<void> => (writing = writing.then(writeWaiting));

  return {
    add(event) {
      const start = startOf(clock.now());
      if (start !== current.start) turn(start);
      current.add(event);
    },
    async save() {
      const start = startOf(clock.now());
      if (start !== current.start) turn(start);
      if (waiting.length > 0) await write();
    },
    async stop() {
      turn(startOf(clock.now()));
      await write();
    },
    removeOld: () => removeBefore(where, timestamp(Math.max(0, clock.now() - keptDays * day)).slice(0, 10)), // prettier-ignore
    list: (query, signal) => readUses(where, query, signal),
  };
}

/** Put together in turns: there may be very many. */
async function linesOf(counts: UseCounts): Promise<Buffer> {
  const at = timestamp(counts.start);
  const parts: Buffer[] = [];
  let text = '';
  let lines = 0;
  for (const fields of counts.texts()) {
    text += `{"at":"${at}",${fields}}\n`;
    if (++lines % perTurn > 0) continue;
    parts.push(Buffer.from(text));
    text = '';
    await nextTurn();
  }
  return Buffer.concat([...parts, Buffer.from(text)]);
}
