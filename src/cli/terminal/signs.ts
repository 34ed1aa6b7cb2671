import type { Terminal } from './terminal.ts';

/** ASCII for every other character that the program prints. Table cells are cut with one character: see `ellipsisFor`. */
const asciiOf: Readonly<Record<string, string>> = {
  '✓': '+',
  '✗': 'x',
  '×': 'x',
  '→': '->',
  '…': '...',
  '·': '-',
  '—': '-',
  '’': "'",
  '█': '#',
  '▒': ':',
  '░': '.',
};

const signs = new RegExp(`[${Object.keys(asciiOf).join('')}]`, 'g');

/**
 * Whether the terminal shows more than ASCII: not in a locale that has another encoding than UTF-8, and not on the
 * console of Linux, whose font lacks most signs. Without a locale, it does.
 */
export function showsUnicode({ LC_ALL, LC_CTYPE, LANG, TERM }: NodeJS.ProcessEnv): boolean {
  const locale = [LC_ALL, LC_CTYPE, LANG].find((one) => one !== undefined && one !== '');
  return TERM !== 'linux' && TERM !== 'dumb' && (locale === undefined || /utf-?8/i.test(locale));
}

/** The end of a cut table cell, one cell wide. */
export const ellipsisFor = (isTty: boolean, env: NodeJS.ProcessEnv): string =>
  isTty && !showsUnicode(env) ? '~' : '…';

/** A terminal that gets ASCII where it shows nothing else. Bytes are data and pass as they are, as does text into a pipe. */
export function withSigns(terminal: Terminal, env: NodeJS.ProcessEnv): Terminal {
  if (showsUnicode(env)) return terminal;
  const plain = (name: 'stdout' | 'stderr', isTty: boolean): Terminal['stdout'] =>
    isTty
      ? {
          get isClosed() {
            return terminal[name].isClosed === true;
          },
          write: (data) => terminal[name].write(typeof data === 'string' ? toAscii(data) : data),
        }
      : terminal[name];
  return {
    ...terminal,
    stdout: plain('stdout', terminal.stdoutIsTty),
    stderr: plain('stderr', terminal.stderrIsTty),
  };
}

const toAscii = (text: string): string => text.replace(signs, (sign) => asciiOf[sign] ?? sign);
