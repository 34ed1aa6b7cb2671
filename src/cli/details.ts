import { printableLine } from './report/printable.ts';
import type { Style } from './terminal.ts';

/** One object for people: its title, and under it the fields that have a value. */
export function formatDetails(
  title: string,
  fields: readonly (readonly [name: string, text: string | undefined])[],
  style: Style,
): string {
  const shown = fields.flatMap(([name, text]) =>
    text === undefined || text === '' ? [] : [[name, text] as const],
  );
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  const lines = shown.map(
    ([name, text]) => `  ${style.dim(name.padEnd(width))}  ${printableLine(text)}`,
  );
  return `${[style.bold(printableLine(title)), ...lines].join('\n')}\n`;
}
