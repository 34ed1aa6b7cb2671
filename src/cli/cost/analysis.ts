import { defined } from '../../contract/defined.ts';
import { parseDuration } from '../../contract/duration.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { listOf } from '../flags/parse-words.ts';
import { withOurServer } from '../objects/our-server.ts';
import { glyphsFor } from '../terminal/sparkline.ts';
import { tableColumns } from '../terminal/table.ts';
import { analysisView } from './analysis-view.ts';
import { dayText, daysOf } from './days.ts';
import { sayIfEmpty } from './no-data.ts';
import { filtersOf } from './where.ts';

interface AnalysisOptions {
  readonly groupBy?: readonly string[];
  readonly start?: string;
  readonly end?: string;
  readonly last?: string;
  readonly month?: string;
  readonly compareStart?: string;
  readonly compareEnd?: string;
  readonly metric: 'effective' | 'billed' | 'list';
  readonly granularity?: 'day' | 'week' | 'month';
  readonly where?: readonly string[];
  readonly currency?: string;
  readonly limit: string;
}

const msPerDay = 86_400_000;

export async function runAnalysis(context: Context, options: AnalysisOptions): Promise<ExitCode> {
  const { metric, granularity, currency, limit } = options;
  const query = {
    group_by: listOf(options.groupBy ?? ['service']).join(','),
    ...rangeOf(options, context.world.now()),
    ...defined({ compare_start: options.compareStart, compare_end: options.compareEnd }),
    metric,
    limit,
    ...filtersOf(options.where ?? []),
    ...defined({ granularity, currency }),
  };
  const { data } = await withOurServer(context, 'cost', 'Loading costs', (client) =>
    client.cost.analysis({ query }),
  );
  const { env, terminal } = context.world;
  await context.show(analysisView(data, { glyphs: glyphsFor(env), room: tableColumns(terminal) }));
  await sayIfEmpty(context, data);
  return exitCodes.ok;
}

/** @throws GovctlError usage_error */
function rangeOf({ start, end, last, month }: AnalysisOptions, now: number) {
  if (month !== undefined) {
    if (start !== undefined || end !== undefined || last !== undefined) {
      throw new GovctlError('usage_error', 'Use either --month, or --start, --end and --last');
    }
    return monthOf(month);
  }
  if (last === undefined) return defined({ start, end });
  if (start !== undefined) {
    throw new GovctlError('usage_error', 'Use either --start or --last');
  }
  const days = (parseDuration(last) ?? 0) / msPerDay;
  if (!Number.isInteger(days) || days < 1) {
    throw new GovctlError('usage_error', `--last ${last}: must be a number of days or weeks`, {
      hint: 'Use whole days or weeks, such as 30d or 12w.',
    });
  }
  const to = end === undefined ? Math.floor(now / msPerDay) + 1 : daysOf(end);
  if (!Number.isInteger(to)) {
    throw new GovctlError('usage_error', `--end ${end ?? ''}: must be a day`, {
      hint: 'Use a day such as 2026-01-31.',
    });
  }
  return { start: dayText((to - days) * msPerDay), end: dayText(to * msPerDay) };
}

/** The days of a month. @throws GovctlError usage_error */
function monthOf(month: string) {
  const start = `${month}-01`;
  const first = daysOf(start);
  if (!/^\d{4}-\d\d$/.test(month) || !Number.isInteger(first)) {
    throw new GovctlError('usage_error', `--month ${month}: must be a month`, {
      hint: 'Use a month such as 2026-01.',
    });
  }
  const next = new Date(first * msPerDay);
  next.setUTCMonth(next.getUTCMonth() + 1);
  return { start, end: dayText(next.getTime()) };
}
