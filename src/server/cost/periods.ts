import { GovctlError } from '../../contract/errors.ts';
import { inThrees } from '../../contract/in-threes.ts';
import type { Reader, Store } from '../store/store.ts';
import { costPeriods } from './collection.ts';
import type { StoredPeriod } from './collection.ts';

/** Periods that a query reads: 36 months of thousands of billing accounts. */
const mostPeriods = 100_000;
/** An import that replaces periods has work begin again; it is not repeated without end. */
const mostTries = 20;

/** All periods at one moment. @throws GovctlError there are so many that some would be left out */
async function readPeriods(reader: Reader): Promise<readonly StoredPeriod[]> {
  const query = { where: {}, orderBy: 'period', direction: 'asc', limit: mostPeriods } as const;
  const { rows, total } = await reader.page(costPeriods, query);
  if (total > rows.length) {
    throw new GovctlError(
      'unavailable',
      `There are ${inThrees(total)} billing periods; the maximum is ${inThrees(mostPeriods)}`,
      {
        hint: 'Import the export of a payer account, which includes the cost of its member accounts.',
      },
    );
  }
  return rows.map(({ doc }) => doc);
}

/**
 * Reads the charges of the periods of one moment. Where one was replaced meanwhile, and its charges are gone, all of the work
 * begins again: what it answers is never of two imports.
 */
export async function withPeriods<T>(
  store: Store,
  work: (periods: readonly StoredPeriod[]) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    const periods = await readPeriods(store);
    try {
      return await work(periods);
    } catch (error) {
      if (await hasAll(store, periods)) throw error;
      if (tries < mostTries) continue;
      throw new GovctlError(
        'unavailable',
        'Imports replaced the charges repeatedly during the query',
        {
          hint: 'Retry after the imports have finished.',
          cause: error,
        },
      );
    }
  }
}

/** Whether the charges of all periods are still stored as they were. */
async function hasAll(store: Store, periods: readonly StoredPeriod[]): Promise<boolean> {
  for (const { id, charges } of periods) {
    if ((await store.get(costPeriods, id))?.doc.charges.blob !== charges.blob) return false;
  }
  return true;
}
