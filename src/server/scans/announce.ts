import type { Deps } from '../deps.ts';
import { emit } from '../events/emit.ts';
import type { Tx } from '../store/store.ts';
import type { StoredScan } from './collection.ts';

/** Tells of a scan that has ended, without the findings that it keeps. */
export async function announceScan(
  deps: Deps,
  tx: Tx,
  type: 'scan.completed' | 'scan.failed',
  { undecided: _undecided, ...scan }: StoredScan,
): Promise<void> {
  await emit(deps, tx, type, { scan });
}
