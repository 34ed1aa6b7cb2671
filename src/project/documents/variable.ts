import { minSecretLength } from '../../contract/webhooks.ts';
import { isHeaderValue, secretRefusal } from './webhook.ts';

/** The environment, as a process has it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Why the value of a variable that a file names can't be used; undefined: it can. Never says the value. A short one is
 * no secret, and could not be kept out of texts: what is none is written into the file.
 */
export function variableFault(env: Environment, name: string): string | undefined {
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (value === undefined) return `the environment variable ${name} is not set`;
  if (value === '') return `the environment variable ${name} is empty`;
  return value.length < minSecretLength
    ? `the environment variable ${name} is shorter than ${minSecretLength} characters`
    : undefined;
}

/** Why a usable value can't stand where a file names it: as the secret, or in a header. */
export function misplacedFault(path: string, name: string, value: string): string | undefined {
  // A line break at the end is what reading a file into a variable leaves.
  if (/[\u0000-\u001f\u007f]/.test(value)) {
    return `the environment variable ${name} contains a line break or another control character`;
  }
  if (path !== 'secret') {
    return isHeaderValue(value)
      ? undefined
      : `the environment variable ${name} is not a valid header value: too long, or not Latin-1`;
  }
  const refusal = secretRefusal(value);
  return refusal === undefined ? undefined : `the environment variable ${name} ${refusal}`;
}

export const variableHint =
  'Set the variable for both plan and apply, for example from a CI secret. Its value is not stored.';
