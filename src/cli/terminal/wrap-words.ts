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

/** Words with the spaces before them; spaces at the end would each be tried as such. Words in single quotes, such as `'0 9 * * 1'`, and around a no-break space are one word. */
const wordPattern = / *(?:'[^']*'[^ ]*|[^ ]+)/g;

function wrapLine(line: string, columns: number, hang: number): string {
  const indent = /^ */.exec(line)?.[0] ?? '';
  const further = indent + ' '.repeat(hang);
  const [first = '', ...words] = line.trimEnd().match(wordPattern) ?? [];
  const lines = [first];
  for (const word of words) {
    const last = lines.at(-1) ?? '';
    if (widthOf(last + word) <= columns) lines[lines.length - 1] = last + word;
    else lines.push(further + word.trimStart());
  }
  return lines.join('\n');
}

/** Joins the lines of each paragraph and breaks them anew; indented lines stay as they are. */
export const fillLines = (text: string, columns: number): string =>
  text
    .replace(/^(\S.*)\n(?=\S)/gm, '$1 ')
    .split('\n')
    .map((line) => (line.startsWith(' ') ? line : wrapWords(line, columns, 0)))
    .join('\n');

/** Lines for people, as they come: broken where a terminal is too narrow, whole in a pipe. */
export const writeLines = (
  { stdout, stdoutIsTty, columns }: Terminal,
  text: string,
): Promise<void> => stdout.write(stdoutIsTty ? wrapWords(text, columns) : text);
