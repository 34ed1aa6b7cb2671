/** The fields of a small object as people say them: `severity HIGH, CRITICAL`. */
export const sayFields = (fields: object): string[] =>
  Object.entries(fields).map(([name, value]) => `${name} ${sayValue(value)}`);

function sayValue(value: unknown): string {
  if (typeof value === 'string') return value;
  // One that holds a comma is told from two.
  const isPlain = (each: unknown): each is string =>
    typeof each === 'string' && !each.includes(',');
  return Array.isArray(value) && value.every(isPlain) ? value.join(', ') : JSON.stringify(value);
}
