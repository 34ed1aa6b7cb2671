import { StoreRefusal } from '../store.ts';

/** The list of what a backup consists of; a directory that has one is no server's to write. */
export const backupList = 'backup.json';

/** Who makes a backup, or restores one, in a directory that is not complete yet. */
export const unfinished = 'unfinished';

/** @throws StoreRefusal where a directory is a backup, or part of one */
export function refuseBackup(dir: string, names: readonly string[]): void {
  if (names.includes(unfinished)) {
    throw new StoreRefusal(
      `${dir} is not complete: \`govctl server backup\` or \`server restore\` was interrupted there.\n` +
        'Fix: run that command again, or remove the directory.',
    );
  }
  if (!names.includes(backupList)) return;
  throw new StoreRefusal(
    `${dir} is a backup, which a server must not change.\n` +
      `Fix: govctl server restore ${dir} --data-dir NEW-DIRECTORY`,
  );
}
