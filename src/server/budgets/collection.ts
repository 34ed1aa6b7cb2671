import * as z from 'zod';
import { BudgetInput, BudgetPeriod, thresholdBases } from '../../contract/budgets.ts';
import type { BudgetListQuery, BudgetThreshold } from '../../contract/budgets.ts';
import { Timestamp } from '../../contract/lists.ts';
import { anyOf } from '../http/paging.ts';
import type { Filters } from '../http/paging.ts';
import { Count, Id, Key, keyed, shape } from '../shape.ts';
import type { CollectionSpec, LaneSpec } from '../store/store.ts';

export interface StoredBudget extends BudgetInput {
  readonly id: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly created_by: string;
}

export const budgets: CollectionSpec<StoredBudget> = {
  name: 'budgets',
  unique: { name: ({ name }) => name },
  index: {
    name: ({ name }) => name,
    owner: ({ owner }) => owner,
    period: ({ period }) => period,
    tags: ({ tags }) => tags,
  },
  order: {
    created_at: ({ created_at: at }) => at,
    updated_at: ({ updated_at: at }) => at,
    id: ({ id }) => id,
    name: ({ name }) => name,
    period: ({ period }) => period,
  },
};

export const budgetFilters = (query: BudgetListQuery): Filters => ({
  ...anyOf(query, ['name', 'owner', 'period']),
  ...(query.tags ? { tags: { all: query.tags } } : {}),
});

/** Milliseconds after which a budget is evaluated anyway. */
export const longestSleep = 24 * 3_600_000;

/**
 * A lane for each budget, under its ID, which is its only work and stays in it: put off until the next period begins, but
 * not for longer than a day, so that a clock that was wrong is found out.
 */
export const budgetLanes: LaneSpec = { name: 'budgets', longestPause: longestSleep + 60_000 };

interface StoredForecast {
  readonly amount: string;
  readonly low: string;
  readonly high: string;
}

/** What was found in the charges of a period. Decimals have all digits. */
export interface BudgetEvaluation {
  readonly spent: string;
  readonly forecast?: StoredForecast;
  readonly forecast_note?: string;
  readonly data_until?: string;
  readonly incomplete: readonly {
    readonly provider: string;
    readonly billing_account: string;
    readonly period: string;
    readonly skipped_rows: number;
  }[];
  readonly missing_tags: readonly string[];
  readonly other_currencies: readonly { readonly currency: string; readonly spent: string }[];
  readonly evaluated_at: string;
}

/** A threshold that was crossed, and announced. */
interface Crossed extends BudgetThreshold {
  readonly at: string;
}

/** A budget in one period. */
export interface StoredBudgetPeriod {
  /** As `budgetPeriodId`. */
  readonly id: string;
  readonly budget_id: string;
  /** `2026-11`, `2026-Q4`, `2026`. */
  readonly period: string;
  /** ISO day: the one after its last. */
  readonly end: string;
  readonly crossed: readonly Crossed[];
  /** Absent once the budget counts other charges than those that were found. */
  readonly evaluation?: BudgetEvaluation;
}

export const budgetPeriodId = ({
  budget_id: budget,
  period,
}: Pick<StoredBudgetPeriod, 'budget_id' | 'period'>): string =>
  `${budget}_${period.toLowerCase().replaceAll(/\W/g, '_')}`;

export const budgetPeriodsOf: CollectionSpec<StoredBudgetPeriod> = {
  name: 'budget_periods',
  index: { budget_id: ({ budget_id: id }) => id },
  order: { id: ({ id }) => id, end: ({ end }) => end },
};

const Decimal = z.string().regex(/^-?\d{1,20}(\.\d{1,18})?$/);
const Day = z.iso.date();
const On = z.enum(thresholdBases);

export const budgetShape = shape<StoredBudget>({
  ...BudgetInput.shape,
  period: BudgetPeriod,
  metric: BudgetInput.shape.metric.unwrap(),
  thresholds: BudgetInput.shape.thresholds.unwrap(),
  id: Id,
  created_at: Timestamp,
  updated_at: Timestamp,
  created_by: Key,
});

export const budgetPeriodShape = keyed(
  shape<StoredBudgetPeriod>({
    id: Id,
    budget_id: Id,
    period: z.string().regex(/^\d{4}(-\d\d|-Q[1-4])?$/),
    end: Day,
    crossed: z.array(shape<Crossed>({ percent: z.number(), on: On, at: Timestamp })),
    evaluation: shape<BudgetEvaluation>({
      spent: Decimal,
      forecast: shape<StoredForecast>({ amount: Decimal, low: Decimal, high: Decimal }).optional(),
      forecast_note: z.string().optional(),
      data_until: Day.optional(),
      incomplete: z.array(
        shape<BudgetEvaluation['incomplete'][number]>({
          provider: z.string(),
          billing_account: z.string(),
          period: z.string(),
          skipped_rows: Count,
        }),
      ),
      missing_tags: z.array(z.string()),
      other_currencies: z.array(
        shape<BudgetEvaluation['other_currencies'][number]>({
          currency: z.string(),
          spent: Decimal,
        }),
      ),
      evaluated_at: Timestamp,
    }).optional(),
  }),
  budgetPeriodId,
);
