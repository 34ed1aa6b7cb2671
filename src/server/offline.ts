import { makeBackup } from './backup/backup.ts';
import type { Backup, BackupOptions } from './backup/backup.ts';
import { restoreBackup } from './backup/restore.ts';
import type { RestoreOptions, RestoredBackup } from './backup/restore.ts';
import { verifyDirectory } from './backup/verify.ts';
import type { Verified, VerifyOptions } from './backup/verify.ts';
import { isOfFiles, whyFilesFailed } from './backup/place.ts';
import { refusing } from './refused-data.ts';
import { defined } from '../contract/defined.ts';
import { GovctlError } from '../contract/errors.ts';
import { modules } from './wiring/modules.ts';

/** What to do, by the code of an error of the file system. */
const hints: Readonly<Record<string, string>> = {
  ENOENT:
    'Check the path. Without --data-dir, a server stores its data in .govctl/data of the directory in which the server was started.',
  EACCES: 'Run the command as the user of the server.',
};

/** @throws GovctlError for what the store refuses, and what the file system says */
const telling = <T>(work: Promise<T>): Promise<T> =>
  refusing(work).catch((cause: unknown) => {
    if (!isOfFiles(cause)) throw cause;
    const hint = hints[(cause as NodeJS.ErrnoException).code ?? ''];
    throw new GovctlError('file_error', whyFilesFailed(cause), { cause, ...defined({ hint }) });
  });

/** What is done with data directories without a server, or beside one. @throws GovctlError */
export const dataDirectories = {
  backup: (options: BackupOptions): Promise<Backup> => telling(makeBackup(options, modules)),
  verify: (options: VerifyOptions): Promise<Verified> => telling(verifyDirectory(options, modules)),
  restore: (options: RestoreOptions): Promise<RestoredBackup> =>
    telling(restoreBackup(options, modules)),
};
