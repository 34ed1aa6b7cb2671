import type { CellValue } from '../read/cells.ts';

/** What the values of a column are read as: each value is read once, as long as it is known to be the same. */
export class Memo<T> {
  constructor(private readonly read: (text: string) => T) {}

  of(value: CellValue): T {
    if (value.reader === this) return value.made as T;
    const made = this.read(value.text);
    value.reader = this;
    value.made = made;
    return made;
  }
}

/** Longer texts are rarely seen twice. */
const longest = 512;
const most = 10_000;

/** Reads texts that repeat once. Bounded. For what takes longer to read than to find. */
export function remembered<T extends object | string | number>(
  read: (text: string) => T,
): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const made = read(text);
    if (text.length > longest) return made;
    if (known.size >= most) known.clear();
    known.set(text, made);
    return made;
  };
}
