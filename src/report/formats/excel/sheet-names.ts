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

/** At the end of a word, where there is one not too far from the end; without half a character, a quote or a space. */
function cut(name: string, most: number): string {
  const start = name.slice(0, most).replace(/[\uD800-\uDBFF]$/, '');
  const word = name.length > most && name[most] !== ' ' ? start.lastIndexOf(' ') : -1;
  return (word > most / 2 ? start.slice(0, word) : start).replace(/[' ]+$/, '');
}
