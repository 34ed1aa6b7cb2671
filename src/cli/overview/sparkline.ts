const bars = '▁▂▃▄▅▆▇█';
/** Points between the lowest and the highest bar, at least: small changes look small. */
const leastSpan = 10;

/** Scores as bars of eight heights, between the lowest and the highest of them. */
export function sparkline(scores: readonly number[]): string {
  const highest = Math.max(...scores);
  const lowest = Math.min(...scores, highest - leastSpan);
  return scores
    .map((score) => bars[Math.round(((score - lowest) / (highest - lowest)) * (bars.length - 1))])
    .join('');
}
