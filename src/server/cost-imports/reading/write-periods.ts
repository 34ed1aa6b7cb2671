import { createHash } from 'node:crypto';
import { dayText } from '../../../cost/table/days.ts';
import { PeriodWriter } from '../../../cost/table/period.ts';
import { DayRows } from '../../../cost/table/rows.ts';
import { readPiece } from '../../../cost/table/spool.ts';
import type { Part } from '../../../cost/table/spool.ts';
import { nextTurn } from '../../next-turn.ts';
import { rangesOf } from '../../store/blob-ranges.ts';
import type { Charges } from './charges.ts';
import type { ReadJob, ReadPeriod, ReadingOptions } from './job.ts';

/** Rows that are added up at once: a day that has more is done in parts. */
const mostRows = 400_000;
/** Bytes that are written, and read, at once. */
const chunkSize = 1024 * 1024;

/**
 * Writes a table for each period.
 * @param spool the blob of the charges that were put aside
 * @returns the currencies, and the periods
 */
export async function writePeriods(
  { blobPrefix, dryRun }: ReadJob,
  { blobs, signal }: ReadingOptions,
  charges: Charges,
  spool: string | undefined,
): Promise<readonly [currencies: string[], periods: readonly ReadPeriod[]]> {
  if (spool === undefined) return [[], []];
  const { names, dictionaries } = charges;
  const tables = new PeriodWriter(names, dictionaries);
  const hashes = new TextHashes(dictionaries.map(({ texts }) => texts));
  const parts: Part[][] = charges.periods.map(() => []);
  for (const part of charges.spool.finished()) parts[part.period]?.push(part);
  const currencies = new Set<string>();
  const periods: ReadPeriod[] = [];
  const readRange = rangesOf(blobs, spool);
  const turn = (): Promise<void> => {
    signal.throwIfAborted();
    return nextTurn();
  };

  async function* daysOf(own: readonly Part[]): AsyncGenerator<DayRows> {
    for (const { day, rows: count, pieces } of own) {
      const shares = Math.ceil(count / mostRows);
      for (let share = 0; share < shares; share++) {
        const rows = new DayRows(day, names.length);
        for (const [start, end] of joined(pieces)) {
          const bytes = await readRange(start, end);
          readPiece(bytes, names.length, (codes, lanes) => {
            if (shares === 1 || hashes.of(codes) % shares === share) rows.add(codes, lanes);
          });
          await turn();
        }
        yield rows;
      }
    }
  }

  for (const [at, { provider, billing_account, period, rows, skipped }] of charges
    .finish()
    .entries()) {
    const own = parts[at] ?? [];
    const blob = `${blobPrefix}.${at}`;
    const hash = createHash('sha256');
    const writer = dryRun ? undefined : await blobs.create(blob);
    for await (const bytes of gathered(tables.write(daysOf(own)))) {
      hash.update(bytes);
      await writer?.write(bytes);
      await turn();
    }
    const stored = await writer?.finish();
    const totals = tables.totals();
    for (const { currency } of totals) currencies.add(currency);
    periods.push({
      provider,
      billing_account,
      period,
      rows,
      skipped,
      first_day: dayText(own[0]?.day ?? 0),
      last_day: dayText(own.at(-1)?.day ?? 0),
      totals,
      content: hash.digest('hex'),
      ...(stored ? { charges: { blob, ...stored } } : {}),
    });
  }
  return [[...currencies].sort(), periods];
}

/** Ranges that follow each other as one. */
function* joined(pieces: Part['pieces']): Generator<readonly [start: number, end: number]> {
  let open: [start: number, end: number] | undefined;
  for (const [start, end] of pieces) {
    if (open?.[1] === start && end - open[0] <= chunkSize) {
      open[1] = end;
      continue;
    }
    if (open) yield open;
    open = [start, end];
  }
  if (open) yield open;
}

/** Small pieces as larger ones. */
async function* gathered(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    waiting.push(piece);
    size += piece.length;
    if (size < chunkSize) continue;
    yield Buffer.concat(waiting);
    [waiting, size] = [[], 0];
  }
  if (size > 0) yield Buffer.concat(waiting);
}

/** Hashes of rows that depend on their texts, not on the codes that these have. */
class TextHashes {
  private readonly known: (Uint32Array | undefined)[] = [];

  constructor(private readonly texts: readonly (readonly string[])[]) {}

  of(codes: ArrayLike<number>): number {
    let hash = 0x811c9dc5;
    for (let column = 0; column < codes.length; column++) {
      hash = Math.imul(hash ^ (this.column(column)[codes[column] ?? 0] ?? 0), 0x01000193);
    }
    return (hash ^ (hash >>> 15)) >>> 0;
  }

  private column(column: number): Uint32Array {
    return (this.known[column] ??= Uint32Array.from(this.texts[column] ?? [], (text) => {
      let hash = 0x811c9dc5;
      for (let at = 0; at < text.length; at++) {
        hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
      }
      return hash >>> 0;
    }));
  }
}
