import { createCallerTurns } from '../http/caller-turns.ts';
import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/call.ts';
import { toJson } from '../json.ts';
import { forecastCost } from './forecast.ts';

/** @param ownerTags the operator's */
export function costForecastHandlers(
  { store }: Deps,
  ownerTags: readonly string[],
): Handlers['costForecast'] {
  const turns = createCallerTurns();
  return {
    get: async ({ query }, call) => {
      const { horizon_days: horizonDays, group_by: groupBy, metric, currency, ...filters } = query;
      const { history, forecasts } = await turns(call, () =>
        forecastCost(store, {
          horizonDays,
          filters,
          measure: metric,
          ownerTags,
          ...(groupBy === undefined ? {} : { groupBy }),
          ...(currency === undefined ? {} : { currency }),
          signal: call.signal,
        }),
      );
      return {
        body: toJson({
          horizon_days: horizonDays,
          metric,
          group_by: groupBy ?? null,
          history: history && { ...history },
          forecasts,
        }),
      };
    },
  };
}
