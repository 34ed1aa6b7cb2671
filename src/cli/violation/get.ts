import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { withOurServer } from '../objects/our-server.ts';
import { violationView } from './violation-view.ts';

export interface GetOptions {
  readonly args: readonly [string];
}

export async function runGet(context: Context, { args: [id] }: GetOptions): Promise<ExitCode> {
  const { data } = await withOurServer(context, 'violations', 'Looking it up', (client) =>
    client.violations.get({ params: { id } }),
  );
  await context.show(violationView(data));
  return exitCodes.ok;
}
