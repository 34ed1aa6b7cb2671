import { queueAnomalies } from '../anomalies/service.ts';
import { queueBudgets } from '../budgets/service.ts';
import type { StoredPeriod } from '../cost/collection.ts';
import type { Deps } from '../deps.ts';
import type { Tx } from '../store/store.ts';

type Imported = (deps: Deps, tx: Tx, changed: readonly StoredPeriod[]) => Promise<void>;

/** Of each noun that is made of charges: what it does, or queues, in the transaction that replaces billing periods. */
const nouns: readonly Imported[] = [
  (_deps, tx) => queueAnomalies(tx),
  (_deps, tx) => queueBudgets(tx),
];

export const chargesImported =
  (deps: Deps) =>
  async (tx: Tx, changed: readonly StoredPeriod[]): Promise<void> => {
    for (const imported of nouns) await imported(deps, tx, changed);
  };
