import { setTimeout as sleep } from 'node:timers/promises';
import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { withOurServer } from '../objects/our-server.ts';
import { warnOfPending } from '../objects/pending.ts';
import { clearScreen } from '../terminal/clear-screen.ts';
import { isWhole, nothingFurther, readFurther } from './further.ts';
import { overviewView } from './overview-view.ts';

interface OverviewOptions {
  readonly provider?: readonly string[];
  readonly account?: readonly string[];
  readonly environment?: readonly string[];
  readonly watch?: boolean;
}

/** Milliseconds between two readings of --watch. */
const lookEvery = 5_000;

export async function runOverview(context: Context, options: OverviewOptions): Promise<ExitCode> {
  const { signal, terminal } = context.world;
  const query = {
    cloud_providers: options.provider?.join(','),
    account_ids: options.account?.join(','),
    environments: options.environment?.join(','),
  };
  const isShown = context.flags.output.every(({ format }) => format === 'table');
  do {
    const { overview, ...beside } = await withOurServer(
      context,
      'an overview',
      'Loading overview',
      async (client) => {
        const { data } = await client.governance.overview({ query });
        const further = isShown ? await readFurther(client, query) : nothingFurther;
        return { overview: data.governance_overview, further, baseUrl: client.baseUrl };
      },
    );
    // The clock of a local server may have been moved.
    const now = Date.parse(overview.generated_at);
    const view = overviewView(overview, { ...beside, now, isPart: !isWhole(query) });
    if (!options.watch) {
      await context.show(view);
      await warnOfPending(context, overview.pending);
      return exitCodes.ok;
    }
    if (terminal.stdoutIsTty) await terminal.stdout.write(clearScreen);
    await context.show({ ...view, oneLine: true });
    await sleep(lookEvery, undefined, { signal }).catch(() => undefined);
  } while (!signal.aborted && !terminal.stdout.isClosed);
  return exitCodes.ok;
}
