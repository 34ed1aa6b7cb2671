import type { BudgetThreshold } from '../../contract/budgets.ts';
import type { Deps } from '../deps.ts';
import { emit } from '../events/emit.ts';
import type { Tx } from '../store/store.ts';
import type { BudgetEvaluation, StoredBudget } from './collection.ts';
import { percentIn, readAmount } from '../../cost/amount.ts';

/** Announces a threshold that was crossed; amounts are numbers, as the service description has them in events. */
export async function announceThreshold(
  deps: Deps,
  tx: Tx,
  { id, name, amount: text, currency }: StoredBudget,
  { percent, on }: BudgetThreshold,
  period: string,
  { spent: spentText, forecast }: BudgetEvaluation,
): Promise<void> {
  const amount = readAmount(text);
  const spent = readAmount(spentText);
  const expected = forecast && readAmount(forecast.amount);
  const isForecast = on === 'forecast' && expected !== undefined;
  const share = percentIn(isForecast ? expected : spent, amount);
  await emit(deps, tx, 'budget.threshold.exceeded', {
    budget_id: id,
    severity: !isForecast && percent >= 100 ? 'high' : 'medium',
    name,
    threshold_percent: percent,
    threshold_on: on,
    budget: Number(text),
    spent: Number(spentText),
    ...(forecast ? { forecast: Number(forecast.amount) } : {}),
    currency,
    period,
    message: isForecast
      ? `${name} is forecast to spend ${Math.floor(share)}% of its budget (threshold: ${percent}%)`
      : `${name} has spent ${Math.floor(share)}% of its budget (threshold: ${percent}%)`,
  });
}
