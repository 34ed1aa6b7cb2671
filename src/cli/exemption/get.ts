import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { withOurServer } from '../objects/our-server.ts';
import { exemptionView } from './exemption-view.ts';

export interface GetOptions {
  readonly args: readonly [string];
}

export async function runGet(context: Context, { args: [id] }: GetOptions): Promise<ExitCode> {
  const { data } = await withOurServer(context, 'exemptions', 'Looking it up', (client) =>
    client.exemptions.get({ params: { id } }),
  );
  await context.show(exemptionView(data));
  return exitCodes.ok;
}
