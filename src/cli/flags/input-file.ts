import path from 'node:path';
import { GovctlError } from '../../contract/errors.ts';
import { whyFileFailed } from '../../project/read/file-failure.ts';
import type { World } from '../context.ts';
import { openBytes } from './open-bytes.ts';

/** Bytes. Node's own limit for a file that is read at once. */
const longestFile = 2 ** 31 - 1;

type Reading = Pick<World, 'cwd' | 'signal'>;

/**
 * The bytes of a file. It may be a pipe, such as `<(jq …)`; waiting for one ends with the command.
 * @param most bytes
 * @throws GovctlError interrupted; else what the file system says, or that there is more
 */
export async function readWholeFile(
  { cwd, signal }: Reading,
  file: string,
  most = longestFile,
): Promise<Buffer> {
  return collect(signal, () => openBytes(path.resolve(cwd, file), signal), most);
}

/**
 * The bytes of a file, or of standard input for `-`.
 * @param most bytes
 * @returns also how to name the input in errors
 * @throws GovctlError invalid_file, interrupted
 */
export async function readFileOrStdin(
  world: Reading & Pick<World, 'terminal'>,
  file: string,
  most = longestFile,
): Promise<{ readonly name: string; readonly bytes: Buffer }> {
  if (file !== '-') return { name: file, bytes: await readInputBytes(world, file, file, most) };
  const { signal, terminal } = world;
  const name = 'standard input';
  try {
    return { name, bytes: await collect(signal, () => terminal.stdinBytes(signal), most) };
  } catch (cause) {
    if (signal.aborted) throw cause;
    throw notReadable(name, cause);
  }
}

/** @throws GovctlError interrupted; else what the source throws, or that there is more */
async function collect(
  signal: AbortSignal,
  open: () => AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>,
  most: number,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of await open()) {
      size += chunk.length;
      if (size > most) throw new Error(`larger than ${Math.floor(most / 1024 / 1024)} MiB`);
      chunks.push(chunk);
    }
  } catch (cause) {
    if (!signal.aborted) throw cause;
    throw new GovctlError('interrupted', 'Interrupted; nothing was changed', { cause });
  }
  return Buffer.concat(chunks);
}

/**
 * The same, for an error that every command shows alike.
 * @param name how it was named: `--data @body.json`
 * @throws GovctlError invalid_file, interrupted
 */
export async function readInputBytes(
  world: Reading,
  file: string,
  name = file,
  most = longestFile,
): Promise<Buffer> {
  try {
    return await readWholeFile(world, file, most);
  } catch (cause) {
    if (world.signal.aborted) throw cause;
    throw notReadable(name, cause);
  }
}

/** The same as text. */
export const readInputFile = async (world: Reading, file: string, name = file): Promise<string> =>
  (await readInputBytes(world, file, name)).toString('utf8');

/** The same for every command, whatever it wanted of the file. */
export const notReadable = (name: string, cause: unknown): GovctlError =>
  new GovctlError('invalid_file', `${name} could not be read: ${whyFileFailed(cause)}`, { cause });
