import { printableLine } from './printable.ts';
import type { Style } from './terminal.ts';
import { wrapWords } from './wrap-words.ts';

/**
 * One object for people: its title, and under it the fields that have a value, broken between words where they would be
 * wider than `columns`.
 */
export function formatDetails(
  title: string,
  fields: readonly (readonly [name: string, text: string | undefined])[],
  style: Style,
  columns = Infinity,
): string {
  const shown = fields.flatMap(([name, text]) =>
    text === undefined || text === '' ? [] : [[name, text] as const],
  );
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  const before = ' '.repeat(width + 4);
  const lines = shown.map(([name, text]) => {
    const value = wrapWords(printableLine(text), columns - before.length, 0);
    return `  ${style.dim(name.padEnd(width))}  ${value.replaceAll('\n', `\n${before}`)}`;
  });
  return `${[style.bold(printableLine(title)), ...lines].join('\n')}\n`;
}
