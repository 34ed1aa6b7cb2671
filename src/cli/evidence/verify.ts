import path from 'node:path';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import { verifyBundle } from '../../report/evidence/verify.ts';
import type { Run } from '../context.ts';
import { findTrustedKey } from '../credentials/trusted-key.ts';
import { readInputBytes } from '../flags/input-file.ts';
import { inThrees } from '../terminal/printable.ts';
import { verifyView } from './verify-view.ts';

interface VerifyOptions {
  readonly args: readonly [string];
  readonly key?: string;
}

/** Bytes. A server puts at most 256 MiB of attached files into a bundle, and much less of what it knows itself. */
const longestBundle = 1024 ** 3;

/** Asks no server. 2 where the bundle was changed, 5 where another key signed it. */
export const runVerify: Run<VerifyOptions> = async (context, { args: [file], key }) => {
  const trusted = await findTrustedKey(context, key);
  const name = path.basename(file);
  const verified = await context.progress(`Reading ${name}`, async (update) => {
    const bytes = await readInputBytes(context.world, file, file, longestBundle);
    update(`Verifying ${name}`);
    return verifyBundle(bytes, trusted ? [trusted.key] : []);
  });
  if (verified.verdict === 'unreadable') {
    const [problem] = verified.problems;
    const where = problem?.entry === undefined ? '' : ` (${problem.entry})`;
    throw new GovctlError(
      'invalid_file',
      `${file} is not a complete evidence bundle: ${problem?.message ?? 'file is empty'}${where}, at byte ${inThrees(problem?.offset ?? 0)}`,
      { hint: 'Download the bundle again with `govctl evidence export`.' },
    );
  }
  await context.show(verifyView(file, verified, trusted));
  if (verified.verdict === 'invalid') return exitCodes.verdict;
  return verified.signer === 'other' ? exitCodes.conflict : exitCodes.ok;
};
