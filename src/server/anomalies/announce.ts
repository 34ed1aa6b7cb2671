import { showMoney } from '../../contract/money.ts';
import type { Deps } from '../deps.ts';
import { emit } from '../events/emit.ts';
import type { Tx } from '../store/store.ts';
import type { StoredAnomaly } from './collection.ts';

/** Announces an anomaly; amounts are numbers, as the service description has them in events. */
export async function announceAnomaly(deps: Deps, tx: Tx, anomaly: StoredAnomaly): Promise<void> {
  const { id, severity, provider, service, account_id, currency, start, end, days } = anomaly;
  await emit(deps, tx, 'cost.anomaly.detected', {
    anomaly_id: id,
    severity,
    ...(anomaly.scope === 'group' ? { provider, service, account_id } : {}),
    date: start,
    end_date: end,
    days,
    expected_cost: Number(anomaly.expected),
    actual_cost: Number(anomaly.actual),
    impact: Number(anomaly.impact),
    impact_percent: anomaly.impact_percent,
    currency,
    message: messageOf(anomaly),
  });
}

function messageOf({ scope, service, expected, actual, currency }: StoredAnomaly): string {
  const what = scope === 'total' ? 'All services' : service || 'Charges without a service';
  const times = Number(actual) / Number(expected);
  if (!Number.isFinite(times) || times < 0)
    return `${what} cost ${showMoney(actual, currency)}; no cost was expected`;
  return `${what} cost ${times.toFixed(1)} times the expected amount`;
}
