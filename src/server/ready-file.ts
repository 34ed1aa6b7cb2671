import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { GovctlError } from '../contract/errors.ts';

/** Takes away what an earlier server left. @throws GovctlError file_error */
export async function removeReadyFile(file: string): Promise<void> {
  await rm(file, { force: true }).catch((cause: unknown) => {
    throw unusable(file, cause);
  });
}

/**
 * Writes the file beside its place.
 * @returns what puts it there, in one step, so that nobody reads half of it
 * @throws GovctlError file_error
 */
export async function writeReadyFile(file: string, baseUrl: string): Promise<() => Promise<void>> {
  // In a folder that others can write, a name they guess could be a link to a file of ours.
  const temporary = `${file}.${randomUUID()}.tmp`;
  const orUndo = (cause: unknown): Promise<never> =>
    rm(temporary, { force: true }).then(() => {
      throw unusable(file, cause);
    });
  const text = `${JSON.stringify({ base_url: baseUrl, pid: process.pid })}\n`;
  await writeFile(temporary, text, { flag: 'wx' }).catch(orUndo);
  return () => rename(temporary, file).catch(orUndo);
}

/** Takes it away again, unless another server has put its own there meanwhile. */
export async function withdrawReadyFile(file: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => '');
  if (pidIn(text) === process.pid) await rm(file, { force: true });
}

function pidIn(text: string): unknown {
  try {
    return (JSON.parse(text) as { pid?: unknown } | null)?.pid;
  } catch {
    return undefined; // none of ours
  }
}

function unusable(file: string, cause: unknown): GovctlError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new GovctlError('file_error', `The ready file ${file} cannot be written: ${why}`, {
    cause,
    hint: 'Its directory must exist and be writable.',
  });
}
