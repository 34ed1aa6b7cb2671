import { budgetFields, defaultThresholds } from '../../contract/budgets.ts';
import type { BudgetInput, BudgetStatus, BudgetUpdate } from '../../contract/budgets.ts';
import { GovctlError } from '../../contract/errors.ts';
import { inThrees } from '../../contract/in-threes.ts';
import { recordAudit } from '../audit/service.ts';
import { whenKnown } from '../awaitable.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Deps } from '../deps.ts';
import { timestamp, updatedAfter } from '../deps.ts';
import type { Actor, Changer } from '../http/call.ts';
import { checkSameId } from '../http/invalid-body.ts';
import { allRows, countRows } from '../store/all-rows.ts';
import { StoreConflict } from '../store/store.ts';
import type { Reader, Tx, Versioned } from '../store/store.ts';
import { withoutAbsent } from '../without-absent.ts';
import { spanAt } from './calendar.ts';
import { budgetLanes, budgetPeriodId, budgetPeriodsOf, budgets } from './collection.ts';
import type { StoredBudget } from './collection.ts';
import { relay } from './evaluate.ts';
import { statusOf } from './state.ts';

/** Each of them is evaluated after each import. */
const mostBudgets = 1_000;

/** Has all budgets evaluated: charges have changed. Call it in the transaction that changes them. */
export async function queueBudgets(tx: Tx): Promise<void> {
  const ids: string[] = [];
  for await (const { doc } of allRows(tx, budgets, {})) ids.push(doc.id);
  for (const id of ids) await relay(tx, id);
}

/** @throws GovctlError budget_not_found */
export const readBudget = (reader: Reader, id: string): Awaitable<Versioned<StoredBudget>> =>
  whenKnown(reader.get(budgets, id), (found) => {
    if (found) return found;
    throw new GovctlError(
      'budget_not_found',
      `There is no budget ${id.slice(0, 100)}; it may have been deleted`,
    );
  });

/** A budget in its current period; undefined: it was not evaluated in it yet. @param now milliseconds since the epoch */
export async function budgetStatus(
  reader: Reader,
  budget: StoredBudget,
  now: number,
): Promise<BudgetStatus | undefined> {
  const span = spanAt(budget.period, now);
  const id = budgetPeriodId({ budget_id: budget.id, period: span.label });
  return statusOf(budget, span, (await reader.get(budgetPeriodsOf, id))?.doc);
}

/** @throws GovctlError invalid_budget, budget_name_taken */
export async function createBudget(
  deps: Deps,
  tx: Tx,
  actor: Actor,
  input: BudgetInput,
): Promise<Versioned<StoredBudget>> {
  if ((await countRows(tx, budgets)) >= mostBudgets) {
    const message = `The service has ${inThrees(mostBudgets)} budgets, which is the maximum`;
    const hint = 'Delete budgets that are no longer needed, or merge several into one.';
    throw new GovctlError('invalid_budget', message, { hint });
  }
  const at = timestamp(deps.clock.now());
  const id = deps.ids.next('bud');
  const budget = arrange({
    ...input,
    id,
    created_at: at,
    updated_at: at,
    created_by: actor.userId,
  });
  const stored = await refuseTakenName(tx.insert(budgets, budget), input.name);
  await relay(tx, id);
  await recordAudit(deps, tx, actor, 'budget.create', id);
  return stored;
}

/** What null sets, of those that it does not clear. */
const defaults: Partial<StoredBudget> = {
  period: 'month',
  metric: 'billed',
  thresholds: [...defaultThresholds],
};

/** The fields that say which charges are counted. */
const counted: readonly string[] = ['currency', 'metric', 'filter'];

/** @throws GovctlError budget_not_found, invalid_budget (another id), budget_name_taken, or what `checkMatch` throws */
export async function updateBudget(
  deps: Deps,
  tx: Tx,
  call: Changer,
  id: string,
  update: BudgetUpdate,
): Promise<Versioned<StoredBudget>> {
  const before = await readBudget(tx, id);
  call.checkMatch(before.revision);
  checkSameId('invalid_budget', 'budget', id, update.id);
  const given = budgetFields.flatMap((field) =>
    update[field] === undefined ? [] : [[field, update[field] ?? defaults[field]] as const],
  );
  const merged = arrange({ ...before.doc, ...Object.fromEntries(given) });
  const changed = budgetFields.filter(
    (field) => JSON.stringify(before.doc[field]) !== JSON.stringify(merged[field]),
  );
  if (changed.length === 0) return before;
  const updated = {
    ...merged,
    updated_at: updatedAfter(before.doc.updated_at, deps.clock.now()),
  };
  const stored = await refuseTakenName(tx.replace(budgets, updated), updated.name);
  if (changed.some((field) => counted.includes(field))) await forgetEvaluations(tx, id);
  await relay(tx, id);
  await recordAudit(deps, tx, call.actor, 'budget.update', id, changed);
  return stored;
}

/** @throws GovctlError budget_not_found, or what `checkMatch` throws */
export async function deleteBudget(deps: Deps, tx: Tx, call: Changer, id: string): Promise<void> {
  const before = await readBudget(tx, id);
  call.checkMatch(before.revision);
  await tx.remove(budgets, id);
  await tx.clear(budgetLanes, id);
  for (const doc of await periodsOf(tx, id)) await tx.remove(budgetPeriodsOf, doc.id);
  await recordAudit(deps, tx, call.actor, 'budget.delete', id);
}

async function periodsOf(reader: Reader, id: string) {
  const found = [];
  for await (const { doc } of allRows(reader, budgetPeriodsOf, { budget_id: { any: [id] } })) {
    found.push(doc);
  }
  return found;
}

/** What was announced stays. */
async function forgetEvaluations(tx: Tx, id: string): Promise<void> {
  for (const { evaluation, ...doc } of await periodsOf(tx, id)) {
    if (evaluation) await tx.replace(budgetPeriodsOf, doc);
  }
}

/** The fields in the contract's order, absent ones left out. */
const arrange = ({ id, created_at, updated_at, created_by, ...fields }: StoredBudget) =>
  withoutAbsent({
    id,
    ...Object.fromEntries(budgetFields.map((field) => [field, fields[field]])),
    created_at,
    updated_at,
    created_by,
  }) as unknown as StoredBudget; // all its fields, in order

async function refuseTakenName<T>(write: Promise<T>, name: string): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (!(error instanceof StoreConflict) || error.kind !== 'unique') throw error;
    const message = `another budget is named ${JSON.stringify(name)}; names are unique`;
    throw new GovctlError('budget_name_taken', message[0]?.toUpperCase() + message.slice(1), {
      details: [{ field: 'name', message }],
    });
  }
}
