import { defined } from '../../contract/defined.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { withOurServer } from '../objects/our-server.ts';
import { remediationView } from './remediation-view.ts';

export interface CancelOptions {
  readonly args: readonly [string];
  readonly reason?: string;
}

export async function runCancel(
  context: Context,
  { args: [id], reason }: CancelOptions,
): Promise<ExitCode> {
  const { data } = await withOurServer(context, 'remediations', 'Canceling remediation', (client) =>
    client.remediations.cancel({ params: { id }, body: defined({ reason }) }),
  );
  await context.show(remediationView(data));
  return exitCodes.ok;
}
