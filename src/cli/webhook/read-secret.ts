import { randomBytes } from 'node:crypto';
import { GovctlError } from '../../contract/errors.ts';
import { minSecretLength } from '../../contract/webhooks.ts';
import type { Context } from '../context.ts';
import { count } from '../terminal/printable.ts';
import { fromEnvironment } from '../flags/from-environment.ts';

/** Ways to give a secret; none of them shows in a process list. */
export interface SecretFlags {
  readonly secretEnv?: string;
  readonly secretStdin?: boolean;
  readonly generateSecret?: boolean;
}

export interface GivenSecret {
  readonly secret: string;
  /** It was made here, and is shown once. */
  readonly generated: boolean;
}

/**
 * The secret as the flags say it is given; without any it is asked for.
 * @throws GovctlError usage_error where there is none, or it is too short to sign with
 */
export async function readSecret(context: Context, flags: SecretFlags): Promise<GivenSecret> {
  const { world } = context;
  const given = [
    flags.secretEnv !== undefined && '--secret-env',
    flags.secretStdin && '--secret-stdin',
    flags.generateSecret && '--generate-secret',
  ].filter((flag) => typeof flag === 'string');
  if (given.length > 1) {
    throw new GovctlError('usage_error', `Use only one of ${given.join(', ')}`);
  }
  if (flags.generateSecret) return { secret: newSecret(), generated: true };
  if (flags.secretEnv !== undefined) {
    return checked(fromEnvironment(world, '--secret-env', flags.secretEnv), `$${flags.secretEnv}`);
  }
  if (flags.secretStdin) {
    return checked(withoutEnd(await world.terminal.readStdin()), 'standard input');
  }
  if (context.flags.input) {
    const answer = await world.prompt.secret('Signing secret');
    return checked(answer, 'the entered secret');
  }
  throw new GovctlError('usage_error', 'No signing secret given', {
    hint: 'Use --secret-env NAME, --secret-stdin or --generate-secret.',
  });
}

/** 256 random bits, in the form that Standard Webhooks receivers take, too. */
const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** `echo` and editors end a text with a line break. */
const withoutEnd = (text: string): string => text.replace(/\r?\n$/, '');

function checked(secret: string, from: string): GivenSecret {
  const refuse = (why: string): GovctlError =>
    new GovctlError('usage_error', `${from} ${why}`, {
      hint: 'Use --generate-secret to generate a strong secret.',
    });
  if (secret.length < minSecretLength) {
    throw refuse(
      `contains ${count(secret.length, 'character')}; a secret has at least ${minSecretLength}`,
    );
  }
  if (/[\u0000-\u001f\u007f]/.test(secret)) {
    throw refuse('must not contain line breaks or other control characters');
  }
  return { secret, generated: false };
}
