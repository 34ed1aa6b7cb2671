import type { ScoreDay } from '../../contract/governance.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { readPending } from '../evaluation/pending.ts';
import { createPace } from '../pace.ts';
import { scoreDays } from './collection.ts';
import { readScore } from './overview.ts';

const hour = 3_600_000;

/**
 * Keeps the score of the day: one row a day, which is the last score of its day, or one that is less than an hour older. A day
 * on which nothing was evaluated has none. A score that lacks what is being evaluated is not kept.
 */
export async function keepScore({ store, clock }: Deps): Promise<void> {
  const now = clock.now();
  const at = timestamp(now);
  const day = at.slice(0, 10);
  const before = (await store.get(scoreDays, day))?.doc;
  if (before && now - Date.parse(before.at) < hour) return;
  const { signal } = new AbortController();
  if (await readPending(store, now, signal)) return;
  const { score, evaluated } = await readScore(store, {}, createPace(signal));
  if (score === null) return;
  if (before?.compliance_score === score && before.evaluated === evaluated) return;
  const row = { id: day, day, at, compliance_score: score, evaluated };
  await store.transact(async (tx) => {
    if (await tx.get(scoreDays, day)) await tx.replace(scoreDays, row);
    else await tx.insert(scoreDays, row);
  });
}

/** The score of each of the last days that have one, today among them, the first first. */
export async function readScores(
  { store, clock }: Pick<Deps, 'store' | 'clock'>,
  days: number,
): Promise<readonly ScoreDay[]> {
  const from = timestamp(clock.now() - (days - 1) * 24 * hour).slice(0, 10);
  const { rows } = await store.page(scoreDays, { orderBy: 'id', direction: 'desc', limit: days });
  return rows
    .map(({ doc: { id: _, ...day } }) => day)
    .filter(({ day }) => day >= from)
    .reverse();
}
