import { defined } from '../../contract/defined.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { parseDays } from '../flags/parse-days.ts';
import { withOurServer } from '../objects/our-server.ts';
import { glyphsFor } from '../terminal/sparkline.ts';
import { tableColumns } from '../terminal/table.ts';
import { forecastView } from './forecast-view.ts';
import { filtersOf } from './where.ts';

interface ForecastOptions {
  readonly days: string;
  readonly groupBy?: string;
  readonly metric: 'effective' | 'billed' | 'list';
  readonly where?: readonly string[];
  readonly currency?: string;
}

export async function runForecast(context: Context, options: ForecastOptions): Promise<ExitCode> {
  const { groupBy, metric, currency } = options;
  const query = {
    horizon_days: String(parseDays('--days', options.days)),
    metric,
    ...filtersOf(options.where ?? []),
    ...defined({ group_by: groupBy, currency }),
  };
  const { data } = await withOurServer(context, 'cost', 'Forecasting costs', (client) =>
    client.costForecast.get({ query }),
  );
  const { env, terminal } = context.world;
  await context.show(forecastView(data, { glyphs: glyphsFor(env), room: tableColumns(terminal) }));
  if (data.forecasts.length === 0) {
    await context.say(
      data.history === null
        ? 'No complete day of cost data yet. To import an export from your provider, run `govctl cost import FILE`.'
        : 'No usage matches the filters.',
    );
  }
  return exitCodes.ok;
}
