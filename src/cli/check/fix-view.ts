import { count, inThrees, printable } from '../terminal/printable.ts';
import type { Style } from '../terminal/terminal.ts';
import { wrapWords } from '../terminal/wrap-words.ts';
import type { Fixes } from './fix.ts';

/** Findings without a fix that a screen takes. */
const mostRefused = 20;

/** The changes as diffs, and what is not changed and why. */
export function renderFixes(
  { fixes, diffs, unpatched }: Fixes,
  style: Style,
  columns: number,
): string {
  const offered = fixes.filter((fix) => fix.offered).length;
  const refused = fixes.filter((fix) => !fix.offered);
  const isWritten = diffs.some(({ written }) => written);
  const total = fixes.length + unpatched;
  const notes = [
    sayFixes(offered, total, unpatched, diffs.length, isWritten),
    ...(diffs.some(({ file }) => file.endsWith('.tf'))
      ? [
          `Verified on a copy of the plan with these changes; run terraform plan to confirm.${isWritten ? ' The findings above are for the original plan.' : ''}`,
        ]
      : []),
    ...refused
      .slice(0, mostRefused)
      .map(({ policy, resource, file, why = '' }) =>
        printable(`No fix for ${resource} (${policy}) in ${file}: ${why}.`),
      ),
    ...(refused.length > mostRefused
      ? [
          `… and ${count(refused.length - mostRefused, 'more finding')} without a fix. Use -o json to list all.`,
        ]
      : []),
  ];
  const shown = diffs.map(({ diff }) => paintDiff(diff, style)).join('');
  return `${shown}${shown === '' ? '' : '\n'}${wrapWords(notes.join('\n'), columns)}\n`;
}

const paintDiff = (diff: string, style: Style): string =>
  diff
    .split('\n')
    .map((line) => {
      const safe = printable(line.replace(/\r$/, ''));
      if (/^(?:---|\+\+\+) /.test(line)) return style.bold(safe);
      if (line.startsWith('+')) return style.green(safe);
      return line.startsWith('-') ? style.red(safe) : safe;
    })
    .join('\n');

/** As JSON has it. */
export const fixesValue = ({ fixes, diffs }: Fixes) => ({ fixes, fix_diffs: diffs });

function sayFixes(
  offered: number,
  total: number,
  unpatched: number,
  files: number,
  isWritten: boolean,
): string {
  if (total === 0) return 'No findings to fix.';
  const without = `${inThrees(unpatched)} ${unpatched === 1 ? 'has' : 'have'} no patch in the policy.`;
  if (offered === 0) return `No fixes for ${count(total, 'finding')}; ${without}`;
  const done = `${inThrees(offered)} of ${count(total, 'finding')} ${isWritten ? 'fixed' : 'can be fixed'} in ${count(files, 'file')}; ${without}`;
  return isWritten ? done : `${done} Use --write to write the changes.`;
}
