import { GovctlError } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { fromEnvironment } from '../flags/from-environment.ts';
import { readInputFile } from '../flags/input-file.ts';

/** Ways to give a report's password; none of them shows in a process list. */
export interface PasswordFlags {
  readonly passwordEnv?: string;
  readonly passwordFile?: string;
  /** Ask for it. */
  readonly password?: boolean;
}

/**
 * The password that the flags name; undefined where they name none.
 * @param isNew it is asked for twice
 * @throws GovctlError usage_error
 */
export async function readPassword(
  context: Context,
  flags: PasswordFlags,
  isNew = false,
): Promise<string | undefined> {
  const { passwordEnv, passwordFile, password } = flags;
  const given = [
    passwordEnv !== undefined && '--password-env',
    passwordFile !== undefined && '--password-file',
    password && '--password',
  ].filter((flag) => typeof flag === 'string');
  if (given.length > 1) {
    throw new GovctlError('usage_error', `Use only one of ${given.join(', ')}`);
  }
  if (passwordEnv !== undefined)
    return fromEnvironment(context.world, '--password-env', passwordEnv);
  if (passwordFile !== undefined) return readFromFile(context, passwordFile);
  return password ? askPassword(context, isNew) : undefined;
}

async function readFromFile({ world }: Context, file: string): Promise<string> {
  const text =
    file === '-'
      ? await world.terminal.readStdin()
      : await readInputFile(world, file, `--password-file ${file}`);
  // `echo` and editors end a text with a line break.
  const password = text.replace(/\r?\n$/, '');
  if (password !== '' && !/[\r\n]/.test(password)) return password;
  throw new GovctlError(
    'usage_error',
    `--password-file ${file}: ${password === '' ? 'file is empty' : 'file has more than one line'}`,
  );
}

/** @throws GovctlError usage_error where nobody can be asked */
export async function askPassword({ flags, world }: Context, isNew = false): Promise<string> {
  if (!flags.input) {
    throw new GovctlError('usage_error', 'No password given, and prompts are disabled', {
      hint: 'Pass --password-env VARIABLE or --password-file FILE.',
    });
  }
  const password = await world.prompt.secret('Report password');
  if (isNew && (await world.prompt.secret('Confirm password')) !== password) {
    throw new GovctlError('usage_error', 'Passwords do not match');
  }
  return password;
}
