import { hash } from 'node:crypto';
import type { KnownResource } from '../../contract/resources.ts';
import * as z from 'zod';
import { ScanSample } from '../../contract/scans.ts';
import type { ScanSampleListQuery, scanSampleSortFields } from '../../contract/scans.ts';
import { timestamp } from '../deps.ts';
import type { Deps } from '../deps.ts';
import { anyOf } from '../http/paging.ts';
import type { Filters } from '../http/paging.ts';
import { nextTurn } from '../next-turn.ts';
import { countRows } from '../store/all-rows.ts';
import { Id, Key, keyed, shape } from '../shape.ts';
import type { CollectionSpec, Scalar, Tx } from '../store/store.ts';
import { readValues } from './sampled-values.ts';

/** A resource that passed a policy in a scan, with the values that the policy read. */
export interface StoredSample extends ScanSample {
  readonly id: string;
  readonly scan_id: string;
  /** Of the resource in this scan; those of the lowest rank are kept. */
  readonly rank: number;
}

type SortField = (typeof scanSampleSortFields)[number];

const order: Record<SortField | 'rank' | 'scan_id', (sample: StoredSample) => Scalar> = {
  id: ({ id }) => id,
  rank: ({ rank }) => rank,
  scan_id: ({ scan_id }) => scan_id,
};

/** The same for the same scan, policy and resource. */
const sampleId = (scanId: string, policyId: string, resourceId: string): string =>
  `smp_${hash('sha256', `${scanId}\n${policyId}\n${resourceId}`, 'hex').slice(0, 26)}`;

export const sampleShape = keyed(
  shape<StoredSample>({
    ...ScanSample.shape,
    id: Id,
    scan_id: Id,
    policy_id: Id,
    resource_id: Key,
    rank: z.number(),
  }),
  ({ scan_id, policy_id, resource_id }) => sampleId(scan_id, policy_id, resource_id),
);

const ofPolicy = (scanId: string, policyId: string): string => `${scanId} ${policyId}`;

export const scanSamples: CollectionSpec<StoredSample> = {
  name: 'scan_samples',
  index: {
    scan_id: ({ scan_id }) => scan_id,
    policy_id: ({ policy_id }) => policy_id,
    resource_id: ({ resource_id }) => resource_id,
    of_policy: ({ scan_id, policy_id }) => ofPolicy(scan_id, policy_id),
  },
  order,
};

export const sampleFilters = (scanId: string, query: ScanSampleListQuery): Filters => ({
  ...anyOf(query, ['policy_id', 'resource_id']),
  scan_id: { any: [scanId] },
});

/** As answered. */
export const publicSample = ({
  policy_id,
  resource_id,
  resource_type,
  values,
  at,
}: StoredSample): ScanSample => ({ policy_id, resource_id, resource_type, values, at });

/** Samples of one policy in one scan. */
const mostSamples = 25;

/** Those of a policy in a scan, by rank. */
export const samplesOf = async (
  reader: Pick<Tx, 'page'>,
  scanId: string,
  policyId: string,
): Promise<readonly StoredSample[]> => {
  const { rows } = await reader.page(scanSamples, {
    where: { of_policy: { any: [ofPolicy(scanId, policyId)] } },
    orderBy: 'rank',
    direction: 'asc',
    limit: mostSamples,
  });
  return rows.map(({ doc }) => doc);
};

/** Where a resource stands among those of a scan, in no order that anybody can choose. */
const rankOf = (scanId: string, resourceId: string): number =>
  parseInt(hash('sha256', `${scanId}\n${resourceId}`, 'hex').slice(0, 12), 16);

/** What may become a sample. */
export interface Passed {
  readonly policyId: string;
  readonly resource: KnownResource;
  /** That the policy reads. */
  readonly paths: readonly string[];
}

/** Samples that are read or written between two turns of requests that only read: a few milliseconds. */
const perTurn = 200;

/**
 * Keeps, for each policy, the resources of the lowest rank of all that passed: in whatever order they come, each has the
 * same chance, and nothing has to be counted.
 */
export async function keepSamples(
  tx: Tx,
  { scanId, now }: { readonly scanId: string; readonly now: number },
  passed: readonly Passed[],
): Promise<void> {
  let done = 0;
  const pay = async (): Promise<void> => {
    if ((done += 1) % perTurn === 0) await nextTurn();
  };
  // All are read before the first is written: a page costs more with each row that its transaction wrote.
  const kept = new Map<string, StoredSample[]>();
  for (const { policyId } of passed) {
    if (kept.has(policyId)) continue;
    kept.set(policyId, [...(await samplesOf(tx, scanId, policyId))]);
    await pay();
  }
  const ranks = new Map<string, number>();
  for (const { policyId, resource, paths } of passed) {
    const rank = ranks.get(resource.id) ?? rankOf(scanId, resource.id);
    ranks.set(resource.id, rank);
    const its = kept.get(policyId) ?? [];
    const last = its.at(-1);
    if (its.length >= mostSamples && last && rank >= last.rank) continue;
    if (its.some((one) => one.resource_id === resource.id)) continue;
    const stored = await tx.insert(scanSamples, {
      id: sampleId(scanId, policyId, resource.id),
      scan_id: scanId,
      policy_id: policyId,
      resource_id: resource.id,
      resource_type: resource.type,
      values: readValues(resource, paths),
      rank,
      at: timestamp(now),
    });
    its.push(stored.doc);
    its.sort((a, b) => a.rank - b.rank);
    const dropped = its.length > mostSamples ? its.pop() : undefined;
    if (dropped) await tx.remove(scanSamples, dropped.id);
    await pay();
  }
}

/** Samples of all scans: those of the oldest scans go first. */
const mostKept = 100_000;
/** Removed in one transaction. */
const batch = 500;

/** Removes samples beyond the newest 100,000. */
export async function removeOldSamples(
  { store }: Pick<Deps, 'store'>,
  most = mostKept,
): Promise<void> {
  for (;;) {
    const surplus = (await countRows(store, scanSamples)) - most;
    if (surplus <= 0 || !store.health().writable) return;
    await store.transact(async (tx) => {
      // IDs of scans begin with the time.
      const oldest = {
        orderBy: 'scan_id',
        direction: 'asc',
        limit: Math.min(batch, surplus),
      } as const;
      const { rows } = await tx.page(scanSamples, oldest);
      for (const { doc } of rows) await tx.remove(scanSamples, doc.id);
    });
  }
}
