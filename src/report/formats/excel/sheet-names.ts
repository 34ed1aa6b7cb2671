const longest = 31;

/**
 * Names that Excel takes, one for each title, in their order: at most 31 characters, unlike each other whatever the case,
 * without its forbidden signs.
 * @param taken names that are in use already
 */
export function sheetNames(titles: readonly string[], taken: readonly string[] = []): string[] {
  const used = new Set(taken.map(keyOf));
  return titles.map((title) => {
    const base = cleaned(title);
    for (let n = 1; ; n++) {
      const end = n === 1 ? '' : ` (${n})`;
      const name = `${cut(base, longest - end.length)}${end}`;
      if (used.has(keyOf(name))) continue;
      used.add(keyOf(name));
      return name;
    }
  });
}

const keyOf = (name: string): string => name.toLowerCase();

function cleaned(title: string): string {
  const plain = title
    .replace(/[\p{C}\s]+/gu, ' ')
    .replace(/[[\]:*?/\\]+/g, ' ')
    .replace(/\s+/g, ' ');
  const name = cut(plain.replace(/^[' ]+|[' ]+$/g, ''), longest);
  // Excel keeps `History` for itself.
  return name === '' || /^history$/i.test(name) ? `Sheet ${name}`.trim() : name;
}

/** Without half a character, a quote or a space at its end. */
const cut = (name: string, most: number): string =>
  name
    .slice(0, most)
    .replace(/[\uD800-\uDBFF]$/, '')
    .replace(/[' ]+$/, '');
