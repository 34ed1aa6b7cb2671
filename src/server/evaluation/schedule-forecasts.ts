import type { PredictionMethod } from '../../contract/predictions.ts';
import type { Deps } from '../deps.ts';
import { evaluationWork, putWork } from './work.ts';

const id = 'forecast';

/** Schedules the search for trends and recurrences if the operator enabled it; otherwise the work ends itself. */
export async function scheduleForecasts(
  { store, clock }: Deps,
  methods: ReadonlySet<PredictionMethod>,
): Promise<void> {
  if (!methods.has('trend') && !methods.has('recurrence')) return;
  if (await store.get(evaluationWork, id)) return;
  await store.transact(async (tx) => {
    if (await tx.get(evaluationWork, id)) return;
    await putWork(tx, { kind: 'forecast', id, due_at: clock.now() });
  });
}
