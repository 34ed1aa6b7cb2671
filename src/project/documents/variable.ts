import { minSecretLength } from '../../contract/webhooks.ts';
import { valueFault } from './webhook.ts';

/** The environment, as a process has it. */
export type Environment = Readonly<Record<string, string | undefined>>;

const longest = 1_024;

/**
 * What is wrong with the value of a variable that a file names; undefined: nothing. Never says the value. A short one
 * is no secret, and could not be kept out of texts: what is none is written into the file.
 */
export function variableFault(env: Environment, name: string): string | undefined {
  const value = Object.hasOwn(env, name) ? env[name] : undefined;
  if (value === undefined) return `the environment variable ${name} is not set`;
  if (value === '') return `the environment variable ${name} is empty`;
  if (value.length < minSecretLength) {
    return `the environment variable ${name} has fewer than ${minSecretLength} characters`;
  }
  if (value.length > longest) {
    return `the environment variable ${name} has more than ${longest.toLocaleString('en')} characters`;
  }
  return valueFault(value) === undefined
    ? undefined
    : `the environment variable ${name} holds a line break, another control character or one beyond Latin-1`;
}

export const variableHint =
  'It is read at plan and at apply, and kept in neither; set it for this command, as with a secret of your CI.';
