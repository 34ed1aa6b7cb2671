import { widthOf } from './printable.ts';
import type { Terminal } from './terminal.ts';

/**
 * Breaks each line that is wider than the terminal between words; what follows is indented two cells, or `hang`, more
 * than its line. A word that is wider alone stays whole: a URL or a path must be copied in one piece.
 */
export const wrapWords = (text: string, columns: number, hang = 2): string =>
  text
    .split('\n')
    .map((line) => (widthOf(line) <= columns ? line : wrapLine(line, columns, hang)))
    .join('\n');

function wrapLine(line: string, columns: number, hang: number): string {
  const indent = /^ */.exec(line)?.[0] ?? '';
  const further = indent + ' '.repeat(hang);
  const [first = '', ...words] = line.slice(indent.length).split(/ (?=\S)/);
  const lines = [indent + first];
  for (const word of words) {
    const last = lines.at(-1) ?? '';
    const fits = widthOf(`${last} ${word}`) <= columns;
    lines[lines.length - 1] = fits ? `${last} ${word}` : last.trimEnd();
    if (!fits) lines.push(further + word);
  }
  return lines.join('\n');
}

/** Lines for people, as they come: broken where a terminal is too narrow, whole in a pipe. */
export const writeLines = (
  { stdout, stdoutIsTty, columns }: Terminal,
  text: string,
): Promise<void> => stdout.write(stdoutIsTty ? wrapWords(text, columns) : text);
