import { showsUnicode } from './signs.ts';

/** What charts of text are drawn with. */
export interface Glyphs {
  /** From the lowest to the highest. */
  readonly heights: string;
  /** A whole cell of a bar, and the part of one, from the smallest. */
  readonly full: string;
  readonly parts: string;
  /** What is expected, and the ranges of 80 and 95 % around it. */
  readonly fan: { readonly mean: string; readonly inner: string; readonly outer: string };
  /** At its left, in its corner, under it, and under where the future begins. */
  readonly axis: readonly [side: string, corner: string, line: string, now: string];
}

const blocks: Glyphs = {
  heights: '▁▂▃▄▅▆▇█',
  full: '█',
  parts: '▏▎▍▌▋▊▉',
  fan: { mean: '━', inner: '▒', outer: '░' },
  axis: ['│', '└', '─', '┴'],
};
const plain: Glyphs = {
  heights: '_.-~=+*#',
  full: '#',
  parts: '',
  fan: { mean: '=', inner: ':', outer: '.' },
  axis: ['|', '+', '-', '+'],
};

export const glyphsFor = (env: NodeJS.ProcessEnv): Glyphs => (showsUnicode(env) ? blocks : plain);

/** Values as bars of eight heights. @param lowest what the lowest bar stands for, unless a value is less */
export function sparkline(
  values: readonly number[],
  { lowest, glyphs = blocks }: { readonly lowest: number; readonly glyphs?: Glyphs },
): string {
  const { heights } = glyphs;
  const least = Math.min(lowest, ...values);
  const span = Math.max(lowest, ...values) - least;
  return values
    .map(
      (one) => heights[span === 0 ? 0 : Math.round(((one - least) / span) * (heights.length - 1))],
    )
    .join('');
}

/** A share from 0 to 1 of a bar of `width` cells; what is more than nothing shows. */
export function bar(share: number, width: number, glyphs: Glyphs): string {
  const { full, parts } = glyphs;
  const steps = parts.length + 1;
  const filled = Math.round(Math.min(1, Math.max(0, share)) * width * steps);
  const least = share > 0 ? Math.max(1, filled) : 0;
  const rest = least % steps;
  return full.repeat(Math.floor(least / steps)) + (rest === 0 ? '' : (parts[rest - 1] ?? ''));
}

/** At most `width` values: neighbors are added together. */
export function binned(values: readonly number[], width: number): readonly number[] {
  if (values.length <= width) return values;
  const bins = Array.from({ length: width }, () => 0);
  for (const [at, value] of values.entries()) {
    const bin = Math.floor((at * width) / values.length);
    bins[bin] = (bins[bin] ?? 0) + value;
  }
  // Bins of one value more than others would show as peaks.
  const counts = bins.map((_, bin) => Math.ceil(((bin + 1) * values.length) / width) - Math.ceil((bin * values.length) / width)); // prettier-ignore
  return bins.map((sum, bin) => sum / (counts[bin] ?? 1));
}
