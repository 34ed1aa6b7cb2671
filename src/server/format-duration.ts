/** Milliseconds as people say them, in the two largest units: `0s`, `45s`, `30m`, `1h5m`, `2d3h`. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  const units = [
    ['d', Math.floor(seconds / 86_400)],
    ['h', Math.floor(seconds / 3_600) % 24],
    ['m', Math.floor(seconds / 60) % 60],
    ['s', seconds % 60],
  ] as const;
  const first = units.findIndex(([, amount]) => amount > 0);
  if (first < 0) return '0s';
  return units
    .slice(first, first + 2)
    .flatMap(([unit, amount]) => (amount > 0 ? [`${amount}${unit}`] : []))
    .join('');
}
