import type { Measure } from '../focus/record.ts';
import type { Numbers, Segment, TableIndex } from './format.ts';
import { kinds, magic, tailBytes } from './format.ts';

/** Reads bytes of a file, from one up to, and without, another. */
export type ReadRange = (start: number, end: number) => Promise<Uint8Array>;

/** Bytes at the end of a file that are read first: they mostly have all of the index. */
const firstRead = 65_536;
/** Bytes of a dictionary that stays in memory. */
const mostKept = 1 << 20;

/** A table that is read: its index, and what of it stays in memory for the next query. */
export class Table {
  /** About as many bytes of memory as it takes. */
  memory: number;
  private readonly dictionaries = new Map<string, readonly string[]>();
  private readonly rollUps = new Map<Segment, RangeBytes>();

  private constructor(
    private readonly index: TableIndex,
    private readonly read: ReadRange,
    indexSize: number,
  ) {
    this.memory = 4 * indexSize;
  }

  /** @throws Error the file is none of ours, or cut off */
  static async open(read: ReadRange, size: number): Promise<Table> {
    if (size < tailBytes) throw new Error('the table is truncated');
    const start = Math.max(0, size - firstRead);
    const end = await read(start, size);
    const [length = 0, mark] = new Uint32Array(copied(end.subarray(-tailBytes)));
    const indexStart = size - tailBytes - length;
    if (mark !== magic || indexStart < 0) throw new Error('the table is truncated');
    const json =
      indexStart >= start
        ? end.subarray(indexStart - start, -tailBytes)
        : await read(indexStart, size - tailBytes);
    return new Table(JSON.parse(new TextDecoder().decode(json)) as TableIndex, read, length);
  }

  get segments(): readonly Segment[] {
    return this.index.segments;
  }

  /** The segments of the fewest rows that have these columns. */
  segmentsWith(columns: readonly string[], measure: Measure): readonly Segment[] {
    // Columns that no table of this period has are empty everywhere.
    const needed = columns.filter((name) => name !== 'day' && this.textsIn(name) > 1);
    const fitting = measure === 'quantity' ? [] : this.index.rollUps.filter((one) => needed.every((name) => one.columns.includes(name))); // prettier-ignore
    const [least] = fitting.toSorted((a, b) => a.segment.rows - b.segment.rows);
    return least ? [least.segment] : this.segments;
  }

  /** How many texts a column has; 1 is the empty one alone. */
  textsIn(name: string): number {
    return Math.max(1, this.index.dictionaries[name]?.texts ?? 0);
  }

  /** The texts of a column by code; the first is the empty one. @param pause is awaited between parts of a long one */
  async texts(
    name: string,
    pause: () => Promise<void> = async () => {},
  ): Promise<readonly string[]> {
    const known = this.dictionaries.get(name);
    if (known) return known;
    const texts: string[] = [];
    let bytes = 0;
    for (const { offset, size } of this.index.dictionaries[name]?.parts ?? []) {
      if (bytes > 0) await pause();
      const part = await this.read(offset, offset + size);
      for (const text of JSON.parse(new TextDecoder().decode(part)) as string[]) texts.push(text);
      bytes += size;
    }
    if (texts.length === 0) texts.push('');
    if (bytes <= mostKept) {
      this.dictionaries.set(name, texts);
      this.memory += 4 * bytes;
    }
    return texts;
  }

  /** The numbers of a column of a segment; undefined: they are all 0. */
  async column(segment: Segment, name: string): Promise<Numbers | undefined> {
    const place = segment.columns[name];
    if (!place) return undefined;
    const Numbers = kinds[place.kind];
    const read = await this.reading(segment);
    const bytes = await read(place.offset, place.offset + segment.rows * Numbers.BYTES_PER_ELEMENT);
    return new Numbers(copied(bytes));
  }

  /** Roll-ups are read in one piece, and stay in memory. */
  private async reading(segment: Segment): Promise<ReadRange> {
    if (!this.index.rollUps.some((one) => one.segment === segment)) return this.read;
    let kept = this.rollUps.get(segment);
    if (!kept) {
      const places = Object.values(segment.columns);
      const start = Math.min(...places.map(({ offset }) => offset));
      const end = Math.max(...places.map(({ offset, kind }) => offset + segment.rows * kinds[kind].BYTES_PER_ELEMENT)); // prettier-ignore
      kept = { start, bytes: await this.read(start, end) };
      this.rollUps.set(segment, kept);
      this.memory += end - start;
    }
    const { start, bytes } = kept;
    return async (from, to) => bytes.subarray(from - start, to - start);
  }
}

interface RangeBytes {
  readonly start: number;
  readonly bytes: Uint8Array;
}

/** Bytes as a buffer of their own, which is aligned. */
const copied = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;
