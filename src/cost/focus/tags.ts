/** Maximum length of a value; longer ones are useless for grouping. */
const longestValue = 256;

/**
 * The chosen tags of a cell: a JSON object, one without its braces, or a JSON list of `{key, value}`, as exports write maps.
 * @param chosen lower-case keys
 * @returns by lower-case key; undefined: the cell has another form
 */
export function readTags(
  text: string,
  chosen: ReadonlySet<string>,
): ReadonlyMap<string, string> | undefined {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed === 'null') return none;
  const parsed = parse(trimmed) ?? parse(`{${trimmed}}`);
  return parsed === undefined ? undefined : tagsOf(parsed, chosen);
}

const none: ReadonlyMap<string, string> = new Map();

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** @param tags an object, or a list of `{key, value}` or of pairs; undefined: it is neither */
function tagsOf(
  tags: unknown,
  chosen: ReadonlySet<string>,
): ReadonlyMap<string, string> | undefined {
  if (typeof tags !== 'object' || tags === null) return undefined;
  const found = new Map<string, string>();
  for (const [key, value] of Array.isArray(tags) ? pairsOf(tags) : Object.entries(tags)) {
    // AWS exports write user:Owner, and CUR 2.0 user_owner.
    const name = key
      .trim()
      .toLowerCase()
      .replace(/^user[:_]/, '');
    if (!chosen.has(name) || found.has(name)) continue;
    if (value === null || value === undefined || typeof value === 'object') continue;
    const shown = String(value as string | number | boolean);
    if (shown !== '') found.set(name, shown.slice(0, longestValue));
  }
  return found;
}

const pairsOf = (list: readonly unknown[]): [string, unknown][] =>
  list.flatMap((one): [string, unknown][] => {
    if (Array.isArray(one)) return [[String(one[0]), one[1]]];
    if (typeof one !== 'object' || one === null || !('key' in one)) return [];
    return [[String(one.key), 'value' in one ? one.value : undefined]];
  });
