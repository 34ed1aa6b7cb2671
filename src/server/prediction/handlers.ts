import { GovctlError } from '../../contract/errors.ts';
import type {
  PredictionMethod,
  PredictiveAlert,
  predictionSortFields,
} from '../../contract/predictions.ts';
import type { Deps } from '../deps.ts';
import type { Evaluation } from '../evaluation/evaluation.ts';
import { askerOf } from '../evaluation/thread/threads.ts';
import type { Call, Handlers } from '../http/call.ts';
import { toJson } from '../json.ts';
import { policies } from '../policies/collection.ts';
import { resources } from '../resources/collection.ts';
import { findAlert, gravityOf } from './alerts.ts';
import { flips } from './collection.ts';
import type { Alerts } from './service.ts';

const day = 86_400_000;
const longestHorizon = 366 * day;

/** Alerts of one list: nobody reads on. */
const mostAlerts = 10_000;

type SortField = (typeof predictionSortFields)[number];

/** @param alerts the next first */
function sorted(
  alerts: readonly PredictiveAlert[],
  by: SortField,
  order: 'asc' | 'desc',
): readonly PredictiveAlert[] {
  const valueOf = {
    at: ({ at }: PredictiveAlert) => Date.parse(at),
    severity: gravityOf,
    confidence: ({ confidence }: PredictiveAlert) => confidence,
  }[by];
  const sign = order === 'asc' ? 1 : -1;
  return alerts
    .map((alert) => ({ alert, value: valueOf(alert) }))
    .sort((a, b) => sign * (a.value - b.value))
    .map(({ alert }) => alert);
}

export function predictionHandlers(
  deps: Deps,
  evaluation: Evaluation,
  { alerts, on }: { readonly alerts: Alerts; readonly on: ReadonlySet<PredictionMethod> },
): Handlers['predictions'] {
  const stateOf = (method: PredictionMethod) => (on.has(method) ? 'on' : 'off');
  const methods = {
    date_certain: stateOf('date_certain'),
    exemption_expiry: stateOf('exemption_expiry'),
    trend: stateOf('trend'),
    recurrence: stateOf('recurrence'),
  } as const;

  /** What makes a verdict change, found out again. */
  async function comparisonsOf(call: Call, alert: PredictiveAlert, now: number) {
    const policy = await deps.store.get(policies, alert.policy_id);
    const stored = await deps.store.get(resources, alert.resource_id);
    if (!policy || !stored || alert.method !== 'date_certain') return [];
    const { resource } = stored.doc;
    const subjects = [{ resource, policies: [policy] }];
    const asked = { now, subjects, request: true, flips: true };
    const verdicts = await evaluation.ofStored(askerOf(call), asked);
    const flip = verdicts.of(policy.doc, resource)?.flip;
    return typeof flip === 'object' ? [...flip.because] : [];
  }

  return {
    list: async ({ query }, call) => {
      const { limit, offset = 0, horizon_days: days, sort_by: by, order, ...filter } = query;
      const found = await alerts.coming(call, days, filter, mostAlerts);
      const page = sorted(found, by, order).slice(offset, offset + limit);
      const hasMore = offset + page.length < found.length;
      return {
        body: toJson({
          predictive_alerts: page,
          pagination: { total: found.length, limit, offset, has_more: hasMore },
          methods,
        }),
      };
    },

    get: async ({ params: { id } }, call) => {
      const now = deps.clock.now();
      const until = now + longestHorizon;
      const alert = await alerts.inTurn(call, (asked) => findAlert(asked, { id, until }));
      if (!alert) {
        throw new GovctlError(
          'prediction_not_found',
          `There is no prediction ${id.slice(0, 100)}`,
          {
            hint: 'The violation may have occurred, or may no longer be predicted; use `govctl predict list` to see current predictions.',
          },
        );
      }
      const counts = (await deps.store.get(flips, id))?.doc;
      return {
        body: toJson({
          ...alert,
          comparisons: await comparisonsOf(call, alert, now),
          renewed: counts?.renewed ?? 0,
          missed: counts?.missed ?? 0,
        }),
      };
    },
  };
}
