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
  return `--- a/${name}\n+++ b/${name}\n${shown.join('')}`;
}

const signs = { same: ' ', removed: '-', added: '+' } as const;

/** With their line breaks. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

const lineOf = (sign: string, line: string): string =>
  line.endsWith('\n') ? sign + line : `${sign}${line}\n\\ No newline at end of file\n`;

const range = (line: number, amount: number): string =>
  amount === 0 ? `${line - 1},0` : `${line},${amount}`;
