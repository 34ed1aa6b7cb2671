import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/call.ts';
import { createCallerTurns } from '../http/caller-turns.ts';
import { toJson } from '../json.ts';
import { analyzeCost } from './analysis.ts';
import type { AnalysisOptions } from './analysis.ts';

/** @param operator what the operator says, and what could be saved */
export function costHandlers(
  deps: Deps,
  operator: Omit<AnalysisOptions, 'signal'>,
): Handlers['cost'] {
  // Each looks at very many charges.
  const inTurn = createCallerTurns();
  return {
    analysis: ({ query }, call) =>
      inTurn(call, async () => ({
        body: toJson(await analyzeCost(deps, query, { signal: call.signal, ...operator })),
      })),
  };
}
