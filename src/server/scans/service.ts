import { defined } from '../../contract/defined.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { ScanInput, ScanSample } from '../../contract/scans.ts';
import { emptyTally } from '../../engine/score.ts';
import { recordAudit } from '../audit/service.ts';
import { whenKnown } from '../awaitable.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Actor } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { putWork } from '../evaluation/work.ts';
import { readPolicy } from '../policies/service.ts';
import { allPages, countRows } from '../store/all-rows.ts';
import type { Reader, Tx, Versioned } from '../store/store.ts';
import { scans } from './collection.ts';
import type { StoredScan } from './collection.ts';
import { publicSample, samplesOf } from './samples.ts';

/** @throws GovctlError scan_not_found */
export const readScan = (reader: Reader, id: string): Awaitable<Versioned<StoredScan>> =>
  whenKnown(reader.get(scans, id), (found) => {
    if (found) return found;
    throw new GovctlError('scan_not_found', `There is no scan ${id.slice(0, 100)}`);
  });

/**
 * The resources that passed a policy in a scan, up to 25, with the values that the policy read. Empty: none passed, or the
 * samples of the scan are gone, as those of the newest scans only are kept. The same for as long as they are there, once the
 * scan has ended.
 */
export const readSamples = async (
  reader: Reader,
  scanId: string,
  policyId: string,
): Promise<readonly ScanSample[]> => (await samplesOf(reader, scanId, policyId)).map(publicSample);

/** Scans that are looked through for one of the whole inventory. */
const mostLookedThrough = 1_000;

/** The newest completed scan of the whole inventory with all policies. */
export async function lastWholeScan(reader: Reader): Promise<StoredScan | undefined> {
  const where = { status: { any: ['completed'] } };
  const query = { where, orderBy: 'completed_at', direction: 'desc' } as const;
  let seen = 0;
  for await (const rows of allPages(reader, scans, query)) {
    const whole = rows.find(({ doc }) => !doc.resource_types && !doc.policy_ids);
    if (whole) return whole.doc;
    if ((seen += rows.length) >= mostLookedThrough) return undefined;
  }
  return undefined;
}

/** Scans of one caller that have not ended: each takes its turn with all other work of the background. */
const mostWaiting = 20;

/** Begins a scan; the background does it. @throws GovctlError policy_not_found, unavailable */
export async function createScan(
  deps: Deps,
  tx: Tx,
  actor: Actor,
  { name, resource_types: types, policy_ids: policyIds }: ScanInput,
): Promise<Versioned<StoredScan>> {
  for (const id of policyIds ?? []) await readPolicy(tx, id);
  const waiting = await countRows(tx, scans, { waiting_of: { any: [actor.userId] } });
  if (waiting >= mostWaiting) {
    throw new GovctlError('unavailable', `${waiting} of your scans have not ended`, {
      hint: 'Wait until one of the scans ends. Each scan covers the whole inventory.',
      headers: { 'Retry-After': '30' },
    });
  }
  const now = deps.clock.now();
  const stored = await tx.insert(scans, {
    id: deps.ids.next('scan'),
    ...defined({ name, resource_types: types, policy_ids: policyIds }),
    status: 'pending',
    progress: 0,
    summary: { evaluated: 0, pass: 0, fail: 0, error: 0, exempt: 0 },
    resources_scanned: 0,
    violations_found: 0,
    compliance_score: null,
    created_at: timestamp(now),
    created_by: actor.userId,
  });
  await putWork(tx, { kind: 'scan', id: stored.doc.id, due_at: now, tally: emptyTally });
  await recordAudit(deps, tx, actor, 'scan.create', stored.doc.id);
  return stored;
}
