import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { withOurServer } from '../objects/our-server.ts';
import { violationView } from './violation-view.ts';

export interface ResolveOptions {
  readonly args: readonly [string];
  readonly reason: string;
}

export async function runResolve(
  context: Context,
  { args: [id], reason }: ResolveOptions,
): Promise<ExitCode> {
  const { data } = await withOurServer(context, 'violations', 'Resolving violation', (client) =>
    client.violations.resolve({ params: { id }, body: { reason } }),
  );
  await context.show(violationView(data));
  const before = data.history.at(-2);
  if (before?.status === 'RESOLVED') {
    await context.say('The violation was already resolved; the reason was added to its history.');
  }
  await context.say('The violation reopens if the next evaluation of its resource fails.');
  return exitCodes.ok;
}
