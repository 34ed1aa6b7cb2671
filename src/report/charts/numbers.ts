const plain = new Intl.NumberFormat('en-US', { maximumFractionDigits: 2 });
const compact = new Intl.NumberFormat('en-US', {
  notation: 'compact',
  maximumSignificantDigits: 3,
});

/** As it is written beside a bar: `1,234`, `0.25`, `12.3M`, `2.5e+20`. */
export function formatNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e15) return value.toExponential(1);
  if (size >= 1e6) return compact.format(value);
  if (size > 0 && size < 0.01) return String(Number(value.toPrecision(2)));
  return plain.format(value === 0 ? 0 : value);
}

export const formatValue = (value: number | null, percent: boolean): string =>
  value === null ? '–' : `${formatNumber(value)}${percent ? '%' : ''}`;

/** The share of a whole that is over 0: nothing looks like nothing, or like all, that isn't. */
export function formatShare(part: number, whole: number): string {
  const percent = (part / whole) * 100;
  if (part > 0 && percent < 1) return '<1%';
  if (part < whole && percent > 99) return '>99%';
  return `${Math.round(percent)}%`;
}
