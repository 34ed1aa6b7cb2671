import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import {
  budgetLanes,
  budgetPeriodShape,
  budgetPeriodsOf,
  budgetShape,
  budgets,
} from './collection.ts';

const twoYears = 2 * 366 * 86_400_000;

export const budgetsModule = {
  collections: [
    stores(budgets, budgetShape),
    stores(budgetPeriodsOf, budgetPeriodShape, { expiry: { orderBy: 'end', keptMs: twoYears } }),
  ],
  lanes: [{ spec: budgetLanes, owners: budgets.name, workIsOwner: true }],
} satisfies Module;
