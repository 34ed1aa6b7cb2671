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
  const { data } = await withOurServer(context, 'violations', 'Resolving it', (client) =>
    client.violations.resolve({ params: { id }, body: { reason } }),
  );
  await context.show(violationView(data));
  const before = data.history.at(-2);
  if (before?.status === 'RESOLVED') {
    await context.say('It was resolved already; the reason was added to its history.');
  }
  await context.say('It opens again when the next evaluation of its resource still fails.');
  return exitCodes.ok;
}
