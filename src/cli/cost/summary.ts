import type { Client } from '../../client/client.ts';
import type { CostAnalysis } from '../../contract/cost.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import { showMoney } from '../../contract/money.ts';
import type { Context } from '../context.ts';
import { withOurServer } from '../objects/our-server.ts';
import { glyphsFor } from '../terminal/sparkline.ts';
import { tableColumns } from '../terminal/table.ts';
import { analysisView } from './analysis-view.ts';
import { dayText, dayAfter, daysOf } from './days.ts';
import { sayIfEmpty } from './no-data.ts';

interface SummaryOptions {
  readonly metric: CostAnalysis['metric'];
}

const services = '10';

/** The month so far, or the last one with data, beside the same days of the month before. */
export async function runSummary(context: Context, { metric }: SummaryOptions): Promise<ExitCode> {
  const { found, credits } = await withOurServer(context, 'cost', 'Loading costs', (client) =>
    readSummary(client, metric, dayText(context.world.now())),
  );
  const amounts = credits.map(({ currency, amount }) => ({ currency, amount }));
  const { env, terminal } = context.world;
  const view = analysisView(found, {
    glyphs: glyphsFor(env),
    room: tableColumns(terminal),
    isShort: true,
    notes: amounts.map(
      ({ currency, amount }) => `Included credits: ${showMoney(amount, currency)}`,
    ),
  });
  await context.show({ ...view, value: { ...found, credits: amounts } });
  await sayIfEmpty(context, found);
  return exitCodes.ok;
}

async function readSummary(client: Client, metric: CostAnalysis['metric'], today: string) {
  const analyze = async (query: Readonly<Record<string, string>>) =>
    (await client.cost.analysis({ query: { metric, ...query } })).data;
  const thisMonth = { start: firstOf(today), end: dayAfter(today) };
  const { data_until: until } = await analyze(thisMonth);
  const last = until === null || until > today ? today : until;
  const range = { start: firstOf(last), end: dayAfter(last) };
  const found = await analyze({
    ...range,
    ...sameDaysBefore(range),
    group_by: 'service',
    granularity: 'day',
    limit: services,
  });
  const credits = await analyze({ ...range, category: 'Credit' });
  return { found, credits: credits.totals };
}

const firstOf = (day: string): string => `${day.slice(0, 7)}-01`;

/** As many days of the month before; all of it beside a whole month. */
function sameDaysBefore({ start, end }: { readonly start: string; readonly end: string }) {
  const before = firstOf(dayText(Date.parse(start) - 1));
  const [first, last] = [daysOf(before), daysOf(start)];
  const isWhole = end.endsWith('-01');
  const to = isWhole ? last : Math.min(last, first + daysOf(end) - daysOf(start));
  return { compare_start: before, compare_end: dayText(to * 86_400_000) };
}
