import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { withOurServer } from '../objects/our-server.ts';
import { predictionView } from './prediction-view.ts';

export async function runExplain(
  context: Context,
  { args: [id] }: { readonly args: readonly [string] },
): Promise<ExitCode> {
  const { data } = await withOurServer(context, 'predictions', 'Loading prediction', (client) =>
    client.predictions.get({ params: { id } }),
  );
  await context.show(predictionView(data));
  return exitCodes.ok;
}
