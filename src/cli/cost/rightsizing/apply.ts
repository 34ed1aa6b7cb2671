import { defined } from '../../../contract/defined.ts';
import type { ExitCode } from '../../../contract/errors.ts';
import { exitCodes } from '../../../contract/errors.ts';
import type { Context } from '../../context.ts';
import { withOurServer } from '../../objects/our-server.ts';
import { remediationView } from '../../remediate/remediation-view.ts';
import { parseMemory } from './options.ts';
import type { AssumeMemory } from './options.ts';

interface ApplyOptions extends AssumeMemory {
  readonly args: readonly [string];
  readonly size?: string;
}

/** Plans the change of one size. */
export async function runApply(
  context: Context,
  { args: [id], size, ...options }: ApplyOptions,
): Promise<ExitCode> {
  const body = defined({ size, assume_memory: parseMemory(options) });
  const { data } = await withOurServer(context, 'rightsizing', 'Planning the resize', (client) =>
    client.rightsizing.apply({ params: { id }, body }),
  );
  await context.show(remediationView(data));
  await context.say(
    `Nothing was changed. To approve the remediation, run \`govctl remediate approve ${data.id}\`.`,
  );
  return exitCodes.ok;
}
