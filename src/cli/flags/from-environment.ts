import { GovctlError } from '../../contract/errors.ts';
import type { World } from '../context.ts';

/** @throws GovctlError usage_error where the variable is not set */
export function fromEnvironment({ env }: World, flag: string, name: string): string {
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (value !== undefined && value !== '') return value;
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    // It may be the secret itself, which is not to be said once more.
    throw new GovctlError('usage_error', `${flag} must be the name of an environment variable`);
  }
  throw new GovctlError(
    'usage_error',
    `${flag} ${name}: environment variable is ${value === '' ? 'empty' : 'not set'}`,
    { hint: 'Pass the name of a variable, not its value.' },
  );
}
