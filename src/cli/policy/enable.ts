import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { Context, Run } from '../context.ts';
import { printableLine } from '../terminal/printable.ts';
import { findPolicy, warnIfOwned } from './find-policy.ts';
import { changePolicy } from './update.ts';

export interface EnableOptions {
  readonly args: readonly [string];
}

export const runEnable: Run<EnableOptions> = (context, options) => switchTo(context, options, true);
export const runDisable: Run<EnableOptions> = (context, options) =>
  switchTo(context, options, false);

async function switchTo(
  context: Context,
  { args: [idOrName] }: EnableOptions,
  enabled: boolean,
): Promise<ExitCode> {
  const client = await context.client();
  const found = await context.progress('Looking it up', () =>
    findPolicy(context, client, idOrName),
  );
  const word = enabled ? 'enabled' : 'disabled';
  const same = found.policy.enabled === enabled;
  if (!same) await warnIfOwned(context, found.policy);
  const policy = same ? found.policy : await changePolicy(context, client, found, { enabled });
  await context.show({
    value: policy,
    human: (style) =>
      same
        ? `${printableLine(policy.name)} (${policy.id}) is ${word} already\n`
        : `${style.green(enabled ? 'Enabled' : 'Disabled')} ${printableLine(policy.name)} (${policy.id})\n`,
  });
  return exitCodes.ok;
}
