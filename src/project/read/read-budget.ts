import type { BudgetDocument } from '../documents/budget.ts';
import { makeKey } from '../key.ts';
import type { Identity } from '../key.ts';
import type { LocalBudget, Place } from '../model.ts';

/** What a budget is known by, even where the rest of it is wrong. */
export function budgetIdentity({ name, key }: Readonly<Record<string, unknown>>): {
  identity?: Identity;
} {
  if (typeof name !== 'string') return {};
  const known = { kind: 'Budget' as const, name };
  return {
    identity:
      typeof key === 'string'
        ? { ...known, key, keyField: 'key' }
        : { ...known, key: makeKey(name), keyField: 'name' },
  };
}

/** A budget whose schema is satisfied. */
export function readBudget(
  { key, ...document }: BudgetDocument,
  place: Place,
): { budget: LocalBudget; identity?: Identity } {
  const budget: LocalBudget['budget'] & { kind?: 'Budget' } = document;
  delete budget.kind;
  return {
    budget: { key: key ?? makeKey(budget.name), budget, place },
    ...budgetIdentity({ key, name: budget.name }),
  };
}
