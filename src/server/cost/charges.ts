import type { CostGrouping } from '../../contract/cost.ts';
import type { DaySpan } from '../../cost/analysis/buckets.ts';
import type { Query } from '../../cost/table/scan.ts';
import type { SharedCost } from '../config/config.ts';
import type { Store } from '../store/store.ts';
import type { StoredPeriod } from './collection.ts';
import { createGrouping } from './grouping.ts';
import type { Filters } from './grouping.ts';
import { createInventoryNames } from './inventory-names.ts';
import { recall } from './kept-answers.ts';
import { withPeriods } from './periods.ts';
import { scanPeriods } from './query.ts';
import type { Reading } from './read-groups.ts';

/** Which charges are read, by which fields. */
export interface ChargesQuery {
  readonly filters: Filters;
  readonly groupBy?: readonly CostGrouping[];
  /** Only charges with one of these texts, for each column, beside the filters. */
  readonly where?: Query['where'];
  readonly measure: Query['measure'];
  /** Tags that name an owner: the first that a charge has. */
  readonly ownerTags: readonly string[];
  readonly signal: AbortSignal;
}

interface Days {
  readonly span: DaySpan;
  /** Parts of the span that have sums of their own; default: the whole. */
  readonly buckets?: readonly DaySpan[];
  /** Default: none. */
  readonly before?: DaySpan;
  /** Default: the fields of the query. */
  readonly groupBy?: readonly CostGrouping[];
  readonly rules?: readonly SharedCost[];
  readonly where?: Query['where'];
}

/** The charges of one moment that a query is about. */
export interface Charges {
  /** Those that the charges may be in. */
  readonly periods: readonly StoredPeriod[];
  /** Tags that the charges of all periods were imported with, lower-case. */
  readonly tags: readonly string[];
  /** Whether the inventory says environments and owners that the query needs. */
  readonly usesInventory: boolean;
  /** @throws GovctlError malformed_request for a tag that no charge was imported with */
  readonly reading: (days: Days) => Reading;
  /**
   * The same value for the same question about the same charges, as long as it is remembered. What the inventory says may
   * change at any time: it is asked again.
   */
  readonly remember: <T>(
    question: unknown,
    make: () => Promise<{ readonly size: number; readonly value: T }>,
  ) => Promise<T>;
}

/** Reads the charges of one moment; see `withPeriods`. */
export async function withCharges<T>(
  store: Store,
  query: ChargesQuery,
  work: (charges: Charges) => Promise<T>,
): Promise<T> {
  const { filters, groupBy = [], measure, ownerTags, signal } = query;
  const isNamed = (field: 'environment' | 'owner'): boolean =>
    filters[field] !== undefined || groupBy.includes(field);
  // The inventory says environment and owner where charges don't.
  const names =
    isNamed('environment') || isNamed('owner')
      ? await createInventoryNames(store, ownerTags, signal)
      : undefined;
  return withPeriods(store, (all) => {
    const { provider, billing_account: account } = filters;
    const periods = all.filter(
      (one) =>
        (provider?.includes(one.provider) ?? true) &&
        (account?.includes(one.billing_account) ?? true),
    );
    const tags = tagsOf(all);
    const known = { tags, ownerTags: ownerTags.map((tag) => tag.toLowerCase()), names };
    // Changes where any charge does, or another day is complete.
    const content = periods.map(({ id, content: sum, imported_at: at }) => [id, sum, at]);
    return work({
      periods,
      tags,
      usesInventory: names !== undefined,
      reading: ({ span, buckets = [span], before, where, rules, ...asked }) => {
        const fields = asked.groupBy ?? groupBy;
        return {
          fields: fields.length,
          grouping: createGrouping(fields, filters, known, rules),
          filter: createGrouping([], filters, known),
          where: { ...query.where, ...where },
          span,
          before: before ?? { from: span.from, to: span.from },
          buckets,
          signal,
          scan: (scanned) => scanPeriods(store.blobs, periods, { ...scanned, measure }, { signal }),
        };
      },
      remember: async (question, make) =>
        names
          ? (await make()).value
          : recall(store, [content, filters, groupBy, query.where, measure, question], make),
    });
  });
}

/** Those that charges were imported with. */
export const tagsOf = (periods: readonly StoredPeriod[]): readonly string[] =>
  [...new Set(periods.flatMap(({ tags }) => tags))].sort();
