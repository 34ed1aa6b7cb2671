import type { PredictionMethod } from '../../contract/predictions.ts';
import type { Step } from '../evaluation/step.ts';
import { removeWork } from '../evaluation/work.ts';
import type { ForecastWork } from '../evaluation/work.ts';
import { policies } from '../policies/collection.ts';
import type { Tx } from '../store/store.ts';
import { countRows } from '../store/all-rows.ts';
import { forecasts } from './collection.ts';
import type { StoredForecast } from './collection.ts';
import { findRecurrences } from './recurrences.ts';
import { findTrends } from './trends.ts';

/** Milliseconds between two passes; predictions have days as their unit. */
const lookEvery = 6 * 3_600_000;
/** Forecasts that are kept, and of one policy. */
const mostForecasts = 5_000;
const mostOfPolicy = 1_000;
/** Forecasts that one transaction writes or removes. */
const mostWritten = 500;

/** Continues a pass over all policies by one policy; after the last one, removes what this pass has not found again. */
export async function forecastStep(
  step: Step,
  work: ForecastWork,
  methods: ReadonlySet<PredictionMethod>,
): Promise<void> {
  const { deps } = step;
  if (!methods.has('trend') && !methods.has('recurrence')) {
    await step.write(async ({ tx }) => {
      await removeWork(tx, work.id);
      return {};
    });
    return;
  }
  const began = work.began ?? deps.clock.now();
  const { rows } = await deps.store.page(policies, {
    where: { enabled: { any: ['true'] } },
    orderBy: 'id',
    direction: 'asc',
    limit: 1,
    ...(work.after === undefined ? {} : { after: { value: work.after, id: work.after } }),
  });
  const [row] = rows;
  if (!row) {
    await endPass(step, work, began);
    return;
  }
  const found = row.doc.quarantined
    ? []
    : [
        ...(methods.has('recurrence') ? await findRecurrences(step, row.doc) : []),
        ...(methods.has('trend') ? await findTrends(step, row) : []),
      ]
        .sort((a, b) => (a.at < b.at ? -1 : 1))
        .slice(0, mostOfPolicy);
  for (let from = 0; ; from += mostWritten) {
    const isLast = from + mostWritten >= found.length;
    const written = await step.write(async ({ tx, now }) => {
      const isStill = (await tx.get(policies, row.doc.id))?.doc.enabled;
      for (const one of isStill ? found.slice(from, from + mostWritten) : []) {
        await keep(tx, { ...one, pass: began });
      }
      const progressed = { ...work, began, after: row.doc.id, due_at: now };
      return isLast ? { later: progressed } : {};
    });
    if (isLast || written === 'left') return;
  }
}

async function keep(tx: Tx, forecast: StoredForecast): Promise<void> {
  if (await tx.get(forecasts, forecast.id)) await tx.replace(forecasts, forecast);
  else if ((await countRows(tx, forecasts)) < mostForecasts) await tx.insert(forecasts, forecast);
}

async function endPass(step: Step, work: ForecastWork, began: number): Promise<void> {
  await step.write(async ({ tx, now }) => {
    const { rows } = await tx.page(forecasts, {
      where: {},
      orderBy: 'pass',
      direction: 'asc',
      limit: mostWritten,
    });
    const old = rows.filter(({ doc }) => doc.pass !== began);
    for (const { doc } of old) await tx.remove(forecasts, doc.id);
    const { id, kind } = work;
    return old.length === mostWritten
      ? { later: { ...work, began, due_at: now } }
      : { later: { id, kind, due_at: Math.max(now, began + lookEvery) } };
  });
}
