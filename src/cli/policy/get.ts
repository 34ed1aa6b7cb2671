import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { findPolicy } from './find-policy.ts';
import { policyView } from './policy-view.ts';

export interface GetOptions {
  readonly args: readonly [string];
}

export async function runGet(
  context: Context,
  { args: [idOrName] }: GetOptions,
): Promise<ExitCode> {
  const client = await context.client();
  const { policy } = await context.progress('Looking it up', () =>
    findPolicy(context, client, idOrName),
  );
  await context.show(policyView(policy));
  return exitCodes.ok;
}
