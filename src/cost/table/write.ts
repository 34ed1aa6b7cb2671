import type { ColumnPlace, DictionaryPlace, RollUp, Segment, TableIndex } from './format.ts';
import { magic, mostRows } from './format.ts';
import { OpenSegment, compact } from './open-segment.ts';
import { GroupedDay, RollUpWriter, commonRollUps } from './roll-up.ts';
import type { DayRows } from './rows.ts';

/** Texts of a dictionary that are parsed at once. */
const mostTexts = 50_000;
const encoder = new TextEncoder();

/**
 * Writes days, in their order, as a table: columns of numbers, little-endian, in segments of up to 65,536 rows, then dictionaries
 * and roll-ups, the index as JSON, its length in bytes and a mark (4 bytes each).
 * @param texts of each text column, complete once the last day is read
 */
export async function* writeTable(
  days: AsyncIterable<DayRows> | Iterable<DayRows>,
  names: readonly string[],
  texts: () => Readonly<Record<string, readonly string[]>>,
): AsyncGenerator<Uint8Array> {
  let offset = 0;
  const place = function* (bytes: Uint8Array): Generator<Uint8Array, number> {
    const at = offset;
    offset += bytes.length;
    yield bytes;
    return at;
  };
  const flush = function* (open: OpenSegment): Generator<Uint8Array, Segment> {
    const columns: Record<string, ColumnPlace> = {};
    for (const [name, values] of open.columns()) {
      const written = compact(values);
      if (!written) continue;
      const at = yield* place(new Uint8Array(written.values.buffer));
      columns[name] = { kind: written.kind, offset: at };
    }
    return { rows: open.count, firstDay: open.firstDay, lastDay: open.lastDay, columns };
  };
  const segments: Segment[] = [];
  const sums = commonRollUps(names).map((columns) => new RollUpWriter(names, columns));
  const open = new OpenSegment(names);
  for await (const day of days) {
    day.carry();
    const grouped = new GroupedDay(day);
    for (const one of sums) one.add(grouped);
    for (let from = 0; from < day.count;) {
      from += open.take(day, from);
      if (open.count < mostRows) continue;
      segments.push(yield* flush(open));
      open.clear();
    }
  }
  if (open.count > 0) segments.push(yield* flush(open));
  const dictionaries: Record<string, DictionaryPlace> = {};
  for (const [name, all] of Object.entries(texts())) {
    const parts: { offset: number; size: number }[] = [];
    for (let from = 0; from < all.length; from += mostTexts) {
      const bytes = encoder.encode(JSON.stringify(all.slice(from, from + mostTexts)));
      parts.push({ offset: yield* place(bytes), size: bytes.length });
    }
    dictionaries[name] = { texts: all.length, parts };
  }
  const rollUps: RollUp[] = [];
  for (const { columns, segment } of sums) {
    // Too many rows are read as fast from the segments.
    if (segment) rollUps.push({ columns, segment: yield* flush(segment) });
  }
  const index: TableIndex = { version: 1, dictionaries, segments, rollUps };
  const json = encoder.encode(JSON.stringify(index));
  yield json;
  yield new Uint8Array(Uint32Array.of(json.length, magic).buffer);
}
