import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { withOurServer } from '../objects/our-server.ts';
import { scanView } from './scan-view.ts';

export interface GetOptions {
  readonly args: readonly [string];
}

export async function runGet(context: Context, { args: [id] }: GetOptions): Promise<ExitCode> {
  const { data } = await withOurServer(context, 'scans', 'Looking it up', (client) =>
    client.scans.get({ params: { id } }),
  );
  await context.show(scanView(data));
  return data.status === 'pending' || data.status === 'running' ? exitCodes.pending : exitCodes.ok;
}
