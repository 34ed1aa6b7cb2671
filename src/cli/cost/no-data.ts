import type { CostAnalysis } from '../../contract/cost.ts';
import type { Context } from '../context.ts';
import { lastDay } from './days.ts';

/** Says why there is nothing to see, and what to do. */
export async function sayIfEmpty(
  context: Context,
  { data_until: until, totals, start, end }: Pick<CostAnalysis, 'data_until' | 'totals' | 'start' | 'end'>, // prettier-ignore
): Promise<void> {
  if (totals.length > 0) return;
  await context.say(
    until === null
      ? 'No cost data yet. To import an export from your provider, run `govctl cost import FILE`.'
      : `No costs match from ${start} to ${lastDay(end)}. Cost data is available until ${until}.`,
  );
}
