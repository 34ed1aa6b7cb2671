import type { BudgetStatus, BudgetThreshold } from '../../contract/budgets.ts';
import { defined } from '../../contract/defined.ts';
import type { Span } from './calendar.ts';
import type { BudgetEvaluation, StoredBudget, StoredBudgetPeriod } from './collection.ts';
import {
  compare,
  percentIn,
  percentOf,
  readAmount,
  showAmount,
  subtract,
} from '../../cost/amount.ts';
import type { Amount } from '../../cost/amount.ts';

export const isSame = (a: BudgetThreshold, b: BudgetThreshold): boolean =>
  a.percent === b.percent && a.on === b.on;

/** What a threshold is compared with; undefined: there is no forecast. */
function comparedWith({ spent, forecast }: BudgetEvaluation, on: BudgetThreshold['on']) {
  const text = on === 'actual' ? spent : forecast?.amount;
  return text === undefined ? undefined : readAmount(text);
}

/** Whether as much was spent, or is forecast, as a threshold says. */
export function isExceeded(
  amount: Amount,
  { percent, on }: BudgetThreshold,
  evaluation: BudgetEvaluation,
): boolean {
  const reached = comparedWith(evaluation, on);
  return reached !== undefined && compare(reached, percentOf(amount, percent)) >= 0;
}

/** A budget in the current period, as it is answered; undefined: it was not evaluated in it yet. */
export function statusOf(
  { amount: text, thresholds }: StoredBudget,
  { label, start, end }: Span,
  stored: StoredBudgetPeriod | undefined,
): BudgetStatus | undefined {
  if (!stored?.evaluation) return undefined;
  const { crossed, evaluation } = stored;
  const amount = readAmount(text);
  const spent = readAmount(evaluation.spent);
  const { forecast } = evaluation;
  return {
    period: label,
    start,
    end,
    spent: evaluation.spent,
    spent_percent: percentIn(spent, amount),
    remaining: showAmount(subtract(amount, spent)),
    ...defined({
      forecast: forecast && {
        ...forecast,
        percent: percentIn(readAmount(forecast.amount), amount),
      },
      forecast_note: evaluation.forecast_note,
    }),
    thresholds: thresholds.map((threshold) => ({
      ...threshold,
      amount: showAmount(percentOf(amount, threshold.percent)),
      exceeded: isExceeded(amount, threshold, evaluation),
      ...defined({ exceeded_at: crossed.find((one) => isSame(one, threshold))?.at }),
    })),
    ...defined({ data_until: evaluation.data_until }),
    incomplete: [...evaluation.incomplete],
    missing_tags: [...evaluation.missing_tags],
    other_currencies: [...evaluation.other_currencies],
    evaluated_at: evaluation.evaluated_at,
  };
}
