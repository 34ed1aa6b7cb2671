import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { isStillHead } from '../lanes/head.ts';
import type { CreateLaneRunner, LaneRunner } from '../lanes/runner.ts';
import type { LaneWork, Tx } from '../store/store.ts';
import { announceThreshold } from './announce.ts';
import { spanAt } from './calendar.ts';
import type { Span } from './calendar.ts';
import {
  budgetLanes,
  budgetPeriodId,
  budgetPeriodsOf,
  budgets,
  longestSleep,
} from './collection.ts';
import type { BudgetEvaluation, StoredBudget } from './collection.ts';
import { spendingIn } from './spending.ts';
import type { SpendingOptions } from './spending.ts';
import { readAmount } from '../../cost/amount.ts';
import { isExceeded, isSame } from './state.ts';

/** Evaluates budgets one after the other, as their turn comes, from now until it is stopped. */
export const startBudgetEvaluations = (
  deps: Deps,
  createRunner: CreateLaneRunner,
  ownerTags: readonly string[],
): LaneRunner =>
  createRunner(deps, {
    lanes: budgetLanes,
    most: 1,
    perform: (claimed, signal) => evaluate(deps, claimed, { ownerTags, signal }),
  });

/** The current period, and the one before it, whose last charges come late: of a budget that there was then. */
function spansOf({ period, created_at: created }: StoredBudget, now: number): readonly Span[] {
  const before = spanAt(period, now, 1);
  return [...(created < before.end ? [before] : []), spanAt(period, now)];
}

async function evaluate(deps: Deps, claimed: LaneWork, by: SpendingOptions): Promise<void> {
  const { store, clock } = deps;
  const now = clock.now();
  const found: [Span, BudgetEvaluation][] = [];
  const known = (await store.get(budgets, claimed.work))?.doc;
  if (known) {
    for (const span of spansOf(known, now)) {
      found.push([span, await spendingIn(deps, known, span, by)]);
    }
  }
  await store.transact(async (tx) => {
    // Charges, or the budget, have changed meanwhile: it has a place anew.
    if (!(await isStillHead(tx, budgetLanes, claimed))) return;
    const budget = (await tx.get(budgets, claimed.work))?.doc;
    if (!budget) {
      await tx.complete(budgetLanes, claimed);
      return;
    }
    for (const [span, evaluation] of found) await record(deps, tx, budget, span, evaluation);
    const next = Date.parse(spanAt(budget.period, now).end);
    await tx.putOff(budgetLanes, budget.id, Math.min(next, now + longestSleep));
  });
}

/** Stores what was found, and announces each threshold that is crossed for the first time in its period. */
async function record(
  deps: Deps,
  tx: Tx,
  budget: StoredBudget,
  { label, end }: Span,
  evaluation: BudgetEvaluation,
): Promise<void> {
  const key = { budget_id: budget.id, period: label };
  const id = budgetPeriodId(key);
  const before = (await tx.get(budgetPeriodsOf, id))?.doc;
  const amount = readAmount(budget.amount);
  const at = timestamp(deps.clock.now());
  const crossed = [...(before?.crossed ?? [])];
  for (const threshold of budget.thresholds) {
    if (crossed.some((one) => isSame(one, threshold))) continue;
    if (!isExceeded(amount, threshold, evaluation)) continue;
    crossed.push({ ...threshold, at });
    await announceThreshold(deps, tx, budget, threshold, label, evaluation);
  }
  const doc = { id, ...key, end, crossed, evaluation };
  await (before ? tx.replace(budgetPeriodsOf, doc) : tx.insert(budgetPeriodsOf, doc));
}

/** Has a budget evaluated, now; what is under way for it is dropped. */
export async function relay(tx: Tx, id: string): Promise<void> {
  await tx.clear(budgetLanes, id);
  await tx.append(budgetLanes, id, id);
}
