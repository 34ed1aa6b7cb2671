import type { Numbers } from './format.ts';

/** Whole numbers up to which a double is exact, with room. */
const mostCombined = 2 ** 52;
/** Combined codes up to which a list finds a value; beyond it a map does. */
const mostListed = 1 << 22;

/** Combines the codes of several columns of a table into one number for each row. */
export class Combiner {
  private rows = 0;
  private at = 0;
  private readonly columns: readonly Column[];
  /** How many combinations there may be; those that were numbered anew count as few. */
  private readonly space: number;

  /**
   * @param sizes how many codes each column has
   * @param combined takes the numbers of the rows that were begun, of which there are at most `mostRows`
   */
  constructor(
    sizes: readonly number[],
    readonly combined: Float64Array,
  ) {
    let space = 1;
    this.columns = sizes.map((size) => {
      // More combinations than a number can tell apart: those that occur are numbered.
      const isNumbered = space * size > mostCombined;
      if (isNumbered) space = 2 ** 31;
      space *= size;
      return { size, ...(isNumbered ? { before: new Numbering() } : {}) };
    });
    this.space = space;
  }

  /** Begins with the rows of another segment. */
  begin(rows: number): void {
    this.rows = rows;
    this.at = 0;
    this.combined.fill(0, 0, rows);
  }

  /** The next column. @param offset of its values */
  add(values: Numbers | undefined, picked: Int32Array, offset: number): void {
    const { combined, rows } = this;
    const size = this.next();
    for (let at = 0; at < rows; at++) {
      combined[at] = (combined[at] ?? 0) * size + (values?.[picked[at] ?? 0] ?? 0) - offset;
    }
  }

  /** The next column: whether there is a text. */
  addHas(values: Numbers | undefined, picked: Int32Array): void {
    const { combined, rows } = this;
    const size = this.next();
    for (let at = 0; at < rows; at++) {
      const code = values?.[picked[at] ?? 0] ?? 0;
      combined[at] = (combined[at] ?? 0) * size + (code === 0 ? 0 : 1);
    }
  }

  /** The codes of a combination. */
  codes(combined: number): readonly number[] {
    const codes: number[] = [];
    let rest = combined;
    for (const { size, before } of this.columns.toReversed()) {
      const code = rest % size;
      codes.push(code);
      rest = (rest - code) / size;
      if (before) rest = before.of(rest);
    }
    return codes.reverse();
  }

  /** Asks once for each combination. @param find answers whole numbers from -1 */
  memoized(find: (combined: number) => number): (combined: number) => number {
    const listed = this.space <= mostListed ? new Int32Array(this.space) : undefined;
    const mapped = new Map<number, number>();
    return (combined) => {
      // 0 is unknown.
      const known = listed ? (listed[combined] ?? 0) : (mapped.get(combined) ?? 0);
      if (known !== 0) return known - 2;
      const found = find(combined);
      if (listed) listed[combined] = found + 2;
      else mapped.set(combined, found + 2);
      return found;
    };
  }

  private next(): number {
    const { combined, rows } = this;
    const { size, before } = this.columns[this.at++] ?? { size: 1 };
    if (before) {
      for (let at = 0; at < rows; at++) combined[at] = before.number(combined[at] ?? 0);
    }
    return size;
  }
}

interface Column {
  readonly size: number;
  /** Numbers the combinations of the columns before it. */
  readonly before?: Numbering;
}

/** Numbers values as they come. */
class Numbering {
  private readonly numbers = new Map<number, number>();
  private readonly values: number[] = [];

  number(value: number): number {
    const known = this.numbers.get(value);
    if (known !== undefined) return known;
    const number = this.values.push(value) - 1;
    this.numbers.set(value, number);
    return number;
  }

  of(number: number): number {
    return this.values[number] ?? 0;
  }
}
