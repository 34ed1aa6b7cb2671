/** Keys that are named. */
const maxKeys = 8;

/** What a parsed document is, for people: its kind and its first keys. */
export function describeDocument(document: unknown): string {
  if (document === null) return 'nothing (null)';
  if (Array.isArray(document)) {
    if (document.length === 0) return 'an empty list';
    return `a list whose first item is ${describeDocument(document[0])}`;
  }
  if (typeof document !== 'object') return `a single ${typeof document}`;
  const keys = Object.keys(document);
  if (keys.length === 0) return 'an empty map';
  const named = keys.slice(0, maxKeys).map((key) => JSON.stringify(key.slice(0, 64)));
  const more = keys.length > maxKeys ? ` and ${keys.length - maxKeys} more` : '';
  return `a map with the keys ${named.join(', ')}${more}`;
}
