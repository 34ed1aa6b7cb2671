import * as z from 'zod';
import { hash } from 'node:crypto';
import { Timestamp } from '../../contract/lists.ts';
import type { CurrencyTotals } from '../../cost/table/period.ts';
import type { FileOf } from '../module.ts';
import { Count, File, Id, Key, keyed, shape } from '../shape.ts';
import type { CollectionSpec } from '../store/store.ts';

/** The charges of a provider's billing account in a month: what an import replaces as a whole. They are in a blob. */
export interface StoredPeriod {
  /** As `periodId`. */
  readonly id: string;
  /** As the inventory names it: `aws`. */
  readonly provider: string;
  readonly billing_account: string;
  /** `2026-09`. */
  readonly period: string;
  readonly import_id: string;
  readonly imported_at: string;
  /** SHA-256 in hex over the charges in an order of their own: equal for the same charges. */
  readonly content: string;
  /** Rows of the files that were read, and of those that could not be read and were skipped. */
  readonly rows: number;
  readonly skipped: number;
  /** ISO days of the first and of the last charge. */
  readonly first_day: string;
  readonly last_day: string;
  /** The tags by which the charges can be grouped, as lower-case keys. */
  readonly tags: readonly string[];
  readonly totals: readonly CurrencyTotals[];
  /** The charges, as a table of `src/cost/table/`. */
  readonly charges: FileOf;
}

/** The same for the same provider, billing account and month. */
export const periodId = ({
  provider,
  billing_account: account,
  period,
}: Pick<StoredPeriod, 'provider' | 'billing_account' | 'period'>): string =>
  `cost_${hash('sha256', JSON.stringify([provider, account, period]), 'hex').slice(0, 32)}`;

/** When a billing period (`2026-09`) is over, in milliseconds since the epoch. */
export const periodEnd = ({ period }: Pick<StoredPeriod, 'period'>): number =>
  Date.UTC(Number(period.slice(0, 4)), Number(period.slice(5)), 1);

export const costPeriods: CollectionSpec<StoredPeriod> = {
  name: 'cost_periods',
  index: { period: ({ period }) => period, provider: ({ provider }) => provider },
  order: {
    period: ({ period }) => period,
    end: periodEnd,
    id: ({ id }) => id,
    imported_at: ({ imported_at }) => imported_at,
  },
};

const Decimal = z.string().regex(/^-?\d+(\.\d+)?$/);
const Day = z.iso.date();
export const periodShape = keyed(
  shape<StoredPeriod>({
    id: Id,
    provider: Key,
    billing_account: Key,
    period: z.string().regex(/^\d{4}-\d\d$/),
    import_id: Id,
    imported_at: Timestamp,
    content: z.string(),
    rows: Count,
    skipped: Count,
    first_day: Day,
    last_day: Day,
    tags: z.array(z.string()),
    totals: z.array(
      shape<CurrencyTotals>({
        currency: z.string(),
        billed: Decimal,
        effective: Decimal,
        list: Decimal,
      }),
    ),
    charges: File,
  }),
  periodId,
);
