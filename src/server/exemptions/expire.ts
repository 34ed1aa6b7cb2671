import { timestamp } from '../deps.ts';
import type { Judge } from '../evaluation/judge.ts';
import { schedulePolicy } from '../evaluation/schedule-policy.ts';
import { coverId, putWork, removeWork } from '../evaluation/work.ts';
import type { CoverWork } from '../evaluation/work.ts';
import { policies } from '../policies/collection.ts';
import type { StoredPolicy } from '../policies/collection.ts';
import type { Page, Reader } from '../store/store.ts';
import { announceExemption } from './announce.ts';
import { exemptions } from './collection.ts';

/** Policies of one key that a transaction takes; the background takes the others, as many at a time. */
const takenAtOnce = 100;

const ofKey = (key: string) => ({ key: { any: [key] } });

const policiesOfKey = async (reader: Reader, key: string, after?: string) =>
  reader.page(policies, {
    where: ofKey(key),
    orderBy: 'id',
    direction: 'asc',
    limit: takenAtOnce,
    ...(after === undefined ? {} : { after: { value: after, id: after } }),
  });

/** The policies that an exemption names, as many as a transaction takes; the background has the others evaluated anew. */
export async function takeNamed(
  { tx, now }: Pick<Judge, 'tx' | 'now'>,
  named: string,
): Promise<readonly StoredPolicy[]> {
  const found = new Map<string, StoredPolicy>();
  const page = await policiesOfKey(tx, named);
  for (const row of [
    await tx.get(policies, named),
    await tx.find(policies, 'name', named),
    ...page.rows,
  ]) {
    if (row) found.set(row.doc.id, row.doc);
  }
  await goOn(tx, now, named, page);
  return [...found.values()];
}

const goOn = async (
  tx: Judge['tx'],
  now: number,
  key: string,
  { hasMore, last }: Page<StoredPolicy>,
): Promise<void> => {
  if (!hasMore || !last) return;
  await putWork(tx, { kind: 'cover', id: coverId(key), key, after: last.id, due_at: now });
};

/** Exemptions of a key have changed: has some more of its policies evaluated anew. */
export async function coverStep({ tx, now }: Judge, { id, key, after }: CoverWork): Promise<void> {
  const page = await policiesOfKey(tx, key, after);
  await scheduleEnabled(
    { tx, now },
    page.rows.map(({ doc }) => doc),
  );
  if (page.hasMore) await goOn(tx, now, key, page);
  else await removeWork(tx, id);
}

async function scheduleEnabled(
  { tx, now }: Pick<Judge, 'tx' | 'now'>,
  named: readonly StoredPolicy[],
): Promise<void> {
  for (const { id, enabled } of named) if (enabled) await schedulePolicy(tx, now, id);
}

/** Marks an exemption whose last day is over, and has evaluated anew what it covered. */
export async function expireExemption({ deps, tx, now }: Judge, id: string): Promise<void> {
  const exemption = (await tx.get(exemptions, id))?.doc;
  await removeWork(tx, id);
  if (!exemption) return;
  const updated = { ...exemption, status: 'expired', updated_at: timestamp(now) } as const;
  await tx.replace(exemptions, updated);
  await announceExemption(deps, tx, updated, 'ended');
  await scheduleEnabled({ tx, now }, await takeNamed({ tx, now }, exemption.policy));
}
