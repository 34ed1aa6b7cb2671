const units = [
  [1_000_000_000, 'GB'],
  [1_000_000, 'MB'],
  [1_000, 'kB'],
] as const;

/** `640 bytes`, `12 kB`, `1.2 MB`: two digits say enough. */
export function showSize(bytes: number): string {
  if (bytes === 1) return '1 byte';
  const [size, unit] = units.find(([least]) => bytes >= least) ?? [1, 'bytes'];
  const amount = bytes / size;
  return `${size > 1 && amount < 10 ? amount.toFixed(1) : Math.round(amount)} ${unit}`;
}
