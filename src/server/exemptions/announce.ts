import type { Deps } from '../deps.ts';
import { emit } from '../events/emit.ts';
import type { Tx } from '../store/store.ts';
import type { StoredExemption } from './collection.ts';

/** @param action `ended`: deleted, or its last day is over, as `status` says */
export async function announceExemption(
  deps: Deps,
  tx: Tx,
  exemption: StoredExemption,
  action: 'created' | 'changed' | 'ended',
): Promise<void> {
  await emit(deps, tx, 'user.policy.exemption', { exemption: { ...exemption, action } });
}
