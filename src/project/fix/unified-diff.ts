import { replaceCommands } from '../../contract/control-characters.ts';
import { diffSequences } from '../compare/sequence-diff.ts';

/** Lines shown around a change. */
const context = 3;

/**
 * The change of a text as `patch` and `git apply` take it; '' where there is none. `name` is the file's, with `/`, from the folder
 * where the diff is applied.
 */
export function unifiedDiff(name: string, before: string, after: string): string {
  if (before === after) return '';
  const steps = diffSequences(linesOf(before), linesOf(after));
  const changed = steps.flatMap(({ kind }, index) => (kind === 'same' ? [] : [index]));
  const hunks: [from: number, to: number][] = [];
  for (const index of changed) {
    const last = hunks.at(-1);
    const to = Math.min(steps.length, index + context + 1);
    if (last && index - context <= last[1]) last[1] = to;
    else hunks.push([Math.max(0, index - context), to]);
  }
  let [oldLine, newLine, at] = [1, 1, 0];
  const shown = hunks.map(([from, to]) => {
    oldLine += from - at;
    newLine += from - at;
    const hunk = steps.slice(from, to);
    const oldCount = hunk.filter(({ kind }) => kind !== 'added').length;
    const newCount = hunk.filter(({ kind }) => kind !== 'removed').length;
    const head = `@@ -${range(oldLine, oldCount)} +${range(newLine, newCount)} @@\n`;
    oldLine += oldCount;
    newLine += newCount;
    at = to;
    return head + hunk.map(({ kind, value }) => lineOf(signs[kind], value)).join('');
  });
  return `--- ${quoted(`a/${name}`)}\n+++ ${quoted(`b/${name}`)}\n${shown.join('')}`;
}

const short: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\',
};

/**
 * The name of a file as git writes it in a diff: in quotes where a character is special, and with a tab behind one with
 * blanks, as `patch` wants it. What would act on a terminal or in a CI log, and what can't be seen, is special too.
 */
function quoted(name: string): string {
  const written = replaceCommands(
    name.replace(/["\\\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (one) => short[one] ?? inOctal(one)),
    inOctal,
  );
  if (written !== name) return `"${written}"`;
  return name.includes(' ') ? `${name}\t` : name;
}

const inOctal = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');

const signs = { same: ' ', removed: '-', added: '+' } as const;

/** With their line breaks. */
export const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

const lineOf = (sign: string, line: string): string =>
  line.endsWith('\n') ? sign + line : `${sign}${line}\n\\ No newline at end of file\n`;

const range = (line: number, amount: number): string =>
  amount === 0 ? `${line - 1},0` : `${line},${amount}`;
