import { timestamp } from '../deps.ts';
import type { Judge } from '../evaluation/judge.ts';
import { schedulePolicy } from '../evaluation/schedule-policy.ts';
import { removeWork } from '../evaluation/work.ts';
import { policies } from '../policies/collection.ts';
import type { StoredPolicy } from '../policies/collection.ts';
import { allRows } from '../store/all-rows.ts';
import type { Reader, Versioned } from '../store/store.ts';
import { announceExemption } from './announce.ts';
import { exemptions } from './collection.ts';

/** The policies that an exemption names: by id, by name, or by key in git, which several projects may have. */
export async function policiesNamed(
  reader: Reader,
  named: string,
): Promise<readonly Versioned<StoredPolicy>[]> {
  const found = new Map<string, Versioned<StoredPolicy>>();
  for (const row of [
    await reader.get(policies, named),
    await reader.find(policies, 'name', named),
  ]) {
    if (row) found.set(row.doc.id, row);
  }
  for await (const row of allRows(reader, policies, { key: { any: [named] } })) {
    found.set(row.doc.id, row);
  }
  return [...found.values()];
}

/** Marks an exemption whose last day is over, and has evaluated anew what it covered. */
export async function expireExemption({ deps, tx, now }: Judge, id: string): Promise<void> {
  const exemption = (await tx.get(exemptions, id))?.doc;
  await removeWork(tx, id);
  if (!exemption) return;
  const updated = { ...exemption, status: 'expired', updated_at: timestamp(now) } as const;
  await tx.replace(exemptions, updated);
  await announceExemption(deps, tx, updated, 'ended');
  for (const { doc } of await policiesNamed(tx, exemption.policy)) {
    if (doc.enabled) await schedulePolicy(tx, now, doc.id);
  }
}
