import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { GovctlError } from '../../contract/errors.ts';
import { whyFileFailed } from '../../project/read/file-failure.ts';

/**
 * The text of a file that the command line names.
 * @param name how it was named: `--data @body.json`
 * @throws GovctlError invalid_file
 */
export const readInputFile = (cwd: string, file: string, name = file): Promise<string> =>
  readFile(path.resolve(cwd, file), 'utf8').catch((cause: unknown) => {
    throw notReadable(name, cause);
  });

/** The same for every command, whatever it wanted of the file. */
export const notReadable = (name: string, cause: unknown): GovctlError =>
  new GovctlError('invalid_file', `${name} could not be read: ${whyFileFailed(cause)}`, { cause });
