/**
 * The candidate nearest to what was written, or undefined when nothing is near: at most a third of its
 * characters (and at least one edit) away, by optimal string alignment distance (Damerau 1964).
 */
export function nearestWord(written: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Infinity;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - written.length) > 8) continue;
    const distance = editDistance(written.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  const allowed = Math.max(1, Math.floor(Math.max(written.length, best?.length ?? 0) / 3));
  return bestDistance <= allowed ? best : undefined;
}

/** Comparisons of words: about a second of them. */
const mostComparisons = 100_000;

/**
 * Gives `nearestWord` for many words that somebody else wrote, among as many: beyond a bound of comparisons, words have
 * no suggestion.
 */
export function createSuggester(
  candidates: ReadonlySet<string>,
): (written: string) => string | undefined {
  let left = mostComparisons;
  return (written) => {
    if (left <= 0) return undefined;
    left -= candidates.size;
    return nearestWord(written, candidates);
  };
}

function editDistance(a: string, b: string): number {
  if (a.length > 64 || b.length > 64) return Infinity;
  const width = b.length + 1;
  const cells = new Uint16Array((a.length + 1) * width);
  const at = (i: number, j: number): number => cells[i * width + j] ?? 0;
  for (let i = 0; i <= a.length; i++) cells[i * width] = i;
  for (let j = 0; j <= b.length; j++) cells[j] = j;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let value = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        value = Math.min(value, at(i - 2, j - 2) + 1);
      }
      cells[i * width + j] = value;
    }
  }
  return at(a.length, b.length);
}
