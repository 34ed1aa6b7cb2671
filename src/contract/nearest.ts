/**
 * The candidate nearest to what was written, or undefined when nothing is near: at most a third of its
 * characters (and at least one edit) away, by optimal string alignment distance (Damerau 1964).
 */
export function nearestWord(written: string, candidates: Iterable<string>): string | undefined {
  const word = written.toLowerCase();
  if (word.length > longest) return undefined;
  let best: string | undefined;
  let bestDistance = Infinity;
  for (const candidate of candidates) {
    if (candidate.length > longest || Math.abs(candidate.length - word.length) > 8) continue;
    const allowed = Math.max(1, Math.floor(Math.max(word.length, candidate.length) / 3));
    const most = Math.min(allowed, bestDistance - 1);
    const distance = editDistance(word, candidate.toLowerCase(), most);
    if (distance <= most) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Characters of words that are compared. */
const longest = 64;

/** Pairs of characters that are compared: a tenth of a second of them. */
const mostComparisons = 20_000_000;

/**
 * Gives `nearestWord` for many words that somebody else wrote, among as many: beyond a bound of comparisons, words have
 * no suggestion.
 */
export function createSuggester(
  candidates: ReadonlySet<string>,
): (written: string) => string | undefined {
  let left = mostComparisons;
  let length = 0;
  for (const candidate of candidates) length += Math.min(candidate.length, longest);
  return (written) => {
    if (left <= 0) return undefined;
    left -= length * Math.min(written.length, longest);
    return nearestWord(written, candidates);
  };
}

/** One more than `most` where it is more. Only what can come to `most` is looked at: as many cells beside the diagonal. */
function editDistance(a: string, b: string, most: number): number {
  const tooMany = most + 1;
  if (Math.abs(a.length - b.length) > most) return tooMany;
  let before = new Uint8Array(b.length + 1);
  let above = new Uint8Array(b.length + 1).fill(tooMany);
  let row = new Uint8Array(b.length + 1).fill(tooMany);
  for (let j = 0; j <= Math.min(b.length, most); j++) above[j] = j;
  for (let i = 1; i <= a.length; i++) {
    const from = Math.max(1, i - most);
    const to = Math.min(b.length, i + most);
    row.fill(tooMany);
    if (i <= most) row[0] = i;
    let least = row[0] ?? tooMany;
    for (let j = from; j <= to; j++) {
      const isSame = a.charCodeAt(i - 1) === b.charCodeAt(j - 1);
      const cost = isSame ? 0 : 1;
      let value = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + cost);
      const isSwapped =
        i > 1 &&
        j > 1 &&
        a.charCodeAt(i - 1) === b.charCodeAt(j - 2) &&
        a.charCodeAt(i - 2) === b.charCodeAt(j - 1);
      if (isSwapped) value = Math.min(value, (before[j - 2] ?? 0) + 1);
      row[j] = Math.min(value, tooMany);
      least = Math.min(least, value);
    }
    // A swap reaches back by two rows.
    if (least > most && Math.min(...above) > most) return tooMany;
    [before, above, row] = [above, row, before];
  }
  return above[b.length] ?? tooMany;
}
