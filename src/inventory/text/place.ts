/** Where something stands in a text: both count from 1, columns in UTF-16 units as editors do. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
  /** Which of several texts that were read together; absent for one alone. */
  readonly file?: string;
}

/** Finds places by offset. The starts of lines are found once, when first asked for. */
export function createPlaces(text: string): (offset: number) => TextPlace {
  let starts: number[] | undefined;
  return (offset) => placeIn((starts ??= findLineStarts(text)), offset);
}

/** The place of an offset, by the starts of the lines. */
export function placeIn(starts: readonly number[], offset: number): TextPlace {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
}

export function findLineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
