/** Whole days, both included. */
export interface AgeRange {
  readonly from: number;
  readonly to: number;
}

/** Reads `<7d`, `7d..30d` or `>30d`. Undefined: it is none of them, or nothing is that old. */
export function readAge(text: string): AgeRange | undefined {
  const one = /^([<>])(\d{1,5})d$/.exec(text);
  const two = /^(\d{1,5})d\.\.(\d{1,5})d$/.exec(text);
  const range = one
    ? one[1] === '<'
      ? { from: 0, to: Number(one[2]) - 1 }
      : { from: Number(one[2]) + 1, to: Infinity }
    : { from: Number(two?.[1] ?? NaN), to: Number(two?.[2] ?? NaN) };
  return range.from <= range.to ? range : undefined;
}
