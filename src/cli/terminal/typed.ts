/** What was typed for something, as a shell takes it once more. */
export const typed = (named: string): string =>
  /^[\w.:/@%+=,-]+$/.test(named) ? named : `'${named.replaceAll("'", `'\\''`)}'`;
