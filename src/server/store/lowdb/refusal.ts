import { StoreRefusal } from '../store.ts';

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** Why a folder can't be opened, and what its operator can do; nothing in it has been changed. */
export const refuse = (what: string, wayOut: readonly string[]): StoreRefusal =>
  new StoreRefusal(
    [`${what}. The store was not opened and nothing was changed.`, ...wayOut].join('\n'),
  );

/** A path as a shell takes it, whatever it holds. */
const quote = (path: string): string =>
  /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;

/** A checkpoint that is damaged or gone, with its predecessor beside it or not. */
export const refuseCheckpoint = (path: string, what: string, hasBackup: boolean): StoreRefusal =>
  refuse(
    what,
    hasBackup
      ? [
          `Way out: keep a copy of the folder, then put the previous checkpoint in its place:`,
          `  cp ${quote(`${path}.bak`)} ${quote(path)}`,
          'The journal still holds the changes made since, and the next start applies them.',
        ]
      : [
          `There is no ${path}.bak beside it.`,
          'Way out: restore the folder from a backup, or give a new, empty folder.',
        ],
  );

/** A journal line that doesn't check, with other lines behind it. */
export const refuseJournalLine = (
  path: string,
  line: number,
  what: string,
  later: readonly string[],
): StoreRefusal =>
  refuse(`${path}:${line}: ${what}`, [
    'Way out: restore the folder from a backup. Or, to go on with the state before that line and lose',
    'the changes from there on, keep a copy of the folder and cut the journal:',
    `  head -n ${line - 1} ${quote(path)} > ${quote(`${path}.cut`)} && mv ${quote(`${path}.cut`)} ${quote(path)}`,
    ...later.map((name) => `  mv ${quote(name)} ${quote(`${name}.lost`)}`),
  ]);
