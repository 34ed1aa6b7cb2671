import { makeBackup } from './backup/backup.ts';
import type { Backup, BackupOptions } from './backup/backup.ts';
import { restoreBackup } from './backup/restore.ts';
import type { RestoreOptions, RestoredBackup } from './backup/restore.ts';
import { verifyDirectory } from './backup/verify.ts';
import type { Verified, VerifyOptions } from './backup/verify.ts';
import { isOfFiles, whyFilesFailed } from './backup/place.ts';
import { refusing } from './refused-data.ts';
import { GovctlError } from '../contract/errors.ts';
import { modules } from './wiring/modules.ts';

/** @throws GovctlError for what the store refuses, and what the file system says */
const telling = <T>(work: Promise<T>): Promise<T> =>
  refusing(work).catch((cause: unknown) => {
    throw isOfFiles(cause)
      ? new GovctlError('file_error', whyFilesFailed(cause), { cause })
      : cause;
  });

/** What is done with data directories without a server, or beside one. @throws GovctlError */
export const dataDirectories = {
  backup: (options: BackupOptions): Promise<Backup> => telling(makeBackup(options, modules)),
  verify: (options: VerifyOptions): Promise<Verified> => telling(verifyDirectory(options, modules)),
  restore: (options: RestoreOptions): Promise<RestoredBackup> =>
    telling(restoreBackup(options, modules)),
};
