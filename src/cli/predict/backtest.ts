import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import { noReplay, replay } from '../../engine/predict/backtest.ts';
import type { Context } from '../context.ts';
import { parseMoment } from '../flags/moment.ts';
import { parseDays } from '../flags/parse-days.ts';
import { withOurServer } from '../objects/our-server.ts';
import { backtestView } from './backtest-view.ts';
import { readDataset } from './read-dataset.ts';
import { readStored } from './stored-history.ts';

interface BacktestOptions {
  readonly since?: string;
  readonly horizon?: string;
  readonly dataset?: string;
}

/** Replays a history day by day, and compares what each method would have predicted with what happened. */
export async function runBacktest(context: Context, options: BacktestOptions): Promise<ExitCode> {
  const { world } = context;
  const { since, dataset } = options;
  const horizon = parseDays('--horizon', options.horizon ?? '30');
  const start = since === undefined ? -Infinity : Date.parse(parseMoment('--since', since, world.now())); // prettier-ignore
  const histories =
    dataset === undefined
      ? [await withOurServer(context, 'predictions', 'Loading history', (client) => readStored(client, world.now()))] // prettier-ignore
      : await readDataset(world, dataset);
  const replays = histories.map(({ series, until }) => {
    const first = series.reduce((soonest, { history: [one] }) => Math.min(soonest, one?.[0] ?? until), until); // prettier-ignore
    return { series, from: Math.max(start, first), until, horizon };
  });
  const total = noReplay();
  await context.progress('Replaying history', async () => {
    for (const { series, ...period } of replays) {
      const days = replay(series, period, total);
      while (!days.next().done) {
        await nextTurn();
        if (world.signal.aborted) throw new GovctlError('interrupted', 'Interrupted');
      }
    }
  });
  await context.show(
    backtestView({
      total,
      sources: replays.length,
      horizon,
      from: Math.min(...replays.map(({ from }) => from)),
      until: Math.max(...replays.map(({ until }) => until)),
      dataset,
      isCut: histories.some(({ isCut }) => isCut === true),
    }),
  );
  return exitCodes.ok;
}
