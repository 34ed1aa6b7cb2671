/** Lists and maps in each other. Far beyond real documents, and far from the end of the stack of what recurses. */
export const maxDepth = 100;

export const tooDeep = `lists and maps are nested more than ${maxDepth} levels deep here`;

/** The path to the first place where a value nests too deep; undefined where none does. */
export function findTooDeep(value: unknown, left = maxDepth): (string | number)[] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (left === 0) return [];
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const item: unknown = value[index];
      const found = typeof item === 'object' ? findTooDeep(item, left - 1) : undefined;
      if (found) return [index, ...found];
    }
    return undefined;
  }
  const fields = value as Readonly<Record<string, unknown>>; // parsed, so that `in` gives its own keys only
  for (const key in fields) {
    const item = fields[key];
    const found = typeof item === 'object' ? findTooDeep(item, left - 1) : undefined;
    if (found) return [key, ...found];
  }
  return undefined;
}
