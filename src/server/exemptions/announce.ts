import type { Deps } from '../deps.ts';
import { emit } from '../events/emit.ts';
import type { Tx } from '../store/store.ts';
import type { StoredExemption } from './collection.ts';

/** @param action `ended`: its last day is over, or it was deleted before, as `status` says. An end is told once. */
export async function announceExemption(
  deps: Deps,
  tx: Tx,
  exemption: StoredExemption,
  action: 'created' | 'changed' | 'ended',
): Promise<void> {
  await emit(deps, tx, 'user.policy.exemption', { exemption: { ...exemption, action } });
}
