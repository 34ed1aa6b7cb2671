import { defined } from '../../../contract/defined.ts';
import { GovctlError } from '../../../contract/errors.ts';
import { predictionMethods } from '../../../contract/predictions.ts';
import type { PredictionMethod, PredictiveAlert } from '../../../contract/predictions.ts';
import type { Severity } from '../../../contract/policies.ts';
import { predictedWithin } from '../../../report/content/about-to-fail.ts';
import type { PredictionFact, PredictionFacts } from '../../../report/content/facts.ts';
import type { Scope } from '../../../report/content/scope.ts';
import { brief } from '../../../report/content/text.ts';
import { collectAlerts } from '../../prediction/service.ts';
import type { Reader } from '../../store/store.ts';

const most = 1_000;
const day = 24 * 3_600_000;

export interface PredictionOptions {
  /** Of the policies in scope. */
  readonly policies: readonly string[];
  /** That are on. */
  readonly methods: ReadonlySet<PredictionMethod>;
  readonly signal: AbortSignal;
}

/** What is predicted from the moment of the report on, the soonest first; undefined for a range that is over. */
export async function gatherPredictions(
  reader: Reader,
  scope: Scope,
  { policies, methods, signal }: PredictionOptions,
): Promise<PredictionFacts | undefined> {
  if (scope.isPast) return undefined;
  const on = predictionMethods.filter((method) => methods.has(method));
  const filter = {
    until: scope.at + predictedWithin * day,
    ...(scope.framework ? { policy_id: policies } : {}),
    ...(scope.environments ? { environments: [...scope.environments] } : {}),
    ...(scope.providers ? { cloud_providers: [...scope.providers] } : {}),
  };
  const asked = { reader, now: scope.at, signal, methods };
  try {
    const found = scope.framework && policies.length === 0 ? [] : await collectAlerts(asked, filter, most + 1); // prettier-ignore
    return { on, alerts: found.slice(0, most).map(factOf), isCut: found.length > most };
  } catch (error) {
    // More dates than are looked at: a report tells all else.
    if (!(error instanceof GovctlError && error.error === 'malformed_request')) throw error;
    return { on, alerts: [], isCut: true };
  }
}

const factOf = (alert: PredictiveAlert): PredictionFact => ({
  id: alert.id,
  method: alert.method,
  severity: alert.severity.toUpperCase() as Severity,
  policy: alert.predicted_violation,
  resource: alert.resource,
  resource_type: alert.resource_type,
  provider: alert.provider,
  ...defined({ environment: alert.environment, account_id: alert.account_id }),
  at: Date.parse(alert.at),
  confidence: alert.confidence,
  advice: brief(alert.recommendation),
});
