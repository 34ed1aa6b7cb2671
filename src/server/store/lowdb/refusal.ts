import { dirname, join } from 'node:path';
import { defined } from '../../../contract/defined.ts';
import { shellWord } from '../../../contract/shell-word.ts';
import { StoreRefusal } from '../store.ts';

/** Where it stands up to which commit the journal was on disk. */
export const markPath = (dir: string): string => join(dir, 'journal.synced');

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** Why a folder can't be opened, and what its operator can do; nothing in it has been changed. */
export const refuse = (what: string, wayOut: readonly string[], file?: string): StoreRefusal =>
  new StoreRefusal(
    [`${what}. The store was not opened and nothing was changed.`, ...wayOut].join('\n'),
    defined({ file }),
  );

/** A checkpoint that is damaged or gone, with its predecessor beside it or not. */
export const refuseCheckpoint = (path: string, what: string, hasBackup: boolean): StoreRefusal =>
  refuse(
    what,
    hasBackup
      ? [
          `Fix: keep a copy of the directory, then replace the file with the previous checkpoint:`,
          `  cp ${shellWord(`${path}.bak`)} ${shellWord(path)}`,
          'The journal still contains the later changes; the next start applies them.',
        ]
      : [
          `There is no ${path}.bak next to it.`,
          'Fix: restore the directory from a backup, or use a new, empty directory.',
        ],
    path,
  );

/** A format that is not this version's. */
export const refuseFormat = (
  path: string,
  where: string,
  {
    format,
    known,
    hasBackup,
  }: { readonly format: string; readonly known: string; readonly hasBackup: boolean },
): StoreRefusal => {
  const what = `${where}: its format is ${format}, not ${known}`;
  const [kind, number = 0] = [format.replace(/\d+$/, ''), Number(/\d+$/.exec(format)?.[0])];
  const isNewer = known.startsWith(kind) && number > Number(/\d+$/.exec(known)?.[0]);
  if (!isNewer) return refuseCheckpoint(path, what, hasBackup);
  return refuse(
    `${what}: written by a newer version of govctl`,
    ['Fix: use that version, or a newer one.'],
    path,
  );
};

/** Records that a newer version wrote. */
export const refuseVersion = (where: string, newer: string): StoreRefusal =>
  refuse(`${where}: ${newer}`, [
    'Fix: use the version of govctl that wrote the directory, or a newer one.',
  ]);

/** A journal that ends before what was saved in it. */
export const refuseShortJournal = (dir: string, commit: number, synced: number): StoreRefusal =>
  refuse(
    `the journal in ${dir} ends at commit ${commit}, but commits up to ${synced} had been saved: ` +
      'the changes in between are missing',
    [
      'Fix: restore the directory from a backup. Or, to continue without these changes, keep a copy of',
      'the directory and remove the file that marks the end of the journal:',
      `  rm ${shellWord(markPath(dir))}`,
    ],
  );

/** A journal line that doesn't check, with other lines behind it. */
export const refuseJournalLine = (
  path: string,
  line: number,
  what: string,
  later: readonly string[],
): StoreRefusal =>
  refuse(
    `${path}:${line}: ${what}`,
    [
      'Fix: restore the directory from a backup. Or, to continue with the state before that line and lose',
      'all later changes, keep a copy of the directory and truncate the journal:',
      `  head -n ${line - 1} ${shellWord(path)} > ${shellWord(`${path}.cut`)} && mv ${shellWord(`${path}.cut`)} ${shellWord(path)}`,
      ...later.map((name) => `  mv ${shellWord(name)} ${shellWord(`${name}.lost`)}`),
      `  rm -f ${shellWord(markPath(dirname(path)))}`,
    ],
    path,
  );
