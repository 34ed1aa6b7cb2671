import { GovctlError } from '../../../contract/errors.ts';

export interface AssumeMemory {
  readonly assumeMemory?: string;
}

/** Percent, from 1 to 100. @throws GovctlError usage_error */
export function parseMemory({ assumeMemory: text }: AssumeMemory): number | undefined {
  if (text === undefined) return undefined;
  const percent = Number(text.replace(/%$/, ''));
  if (Number.isInteger(percent) && percent >= 1 && percent <= 100) return percent;
  throw new GovctlError('usage_error', `--assume-memory ${text}: must be a percentage`, {
    hint: 'Use a whole number from 1 to 100.',
  });
}
