import { createHash } from 'node:crypto';
import { auditText, chainStart } from '../../contract/audit-log.ts';
import type { Deps } from '../deps.ts';
import { nextTurn } from '../next-turn.ts';
import type { Reader, Store, Tx } from '../store/store.ts';
import { auditEnds, auditLog } from './collection.ts';
import type { ChainEnd, StoredAuditEntry, StoredEnd } from './collection.ts';

/** Entries of an earlier version that are chained in one transaction. */
const batch = 500;

/** The newest entry; before the first one, sequence 0. */
export const readHead = async (reader: Reader): Promise<ChainEnd> =>
  (await reader.get(auditEnds, 'head'))?.doc ?? { sequence: 0, hash: chainStart };

/** An entry with the hash of the one before it and its own; it is the head from then on. */
export async function chained(tx: Tx, entry: StoredAuditEntry): Promise<StoredAuditEntry> {
  const { hash: prev } = await readHead(tx);
  const linked = { ...entry, prev };
  const hash = createHash('sha256').update(auditText(linked)).digest('hex');
  await keepEnd(tx, { id: 'head', sequence: entry.sequence, hash, at: entry.at });
  return { ...linked, hash };
}

export async function keepEnd(tx: Tx, end: StoredEnd): Promise<void> {
  await ((await tx.get(auditEnds, end.id))
    ? tx.replace(auditEnds, end)
    : tx.insert(auditEnds, end));
}

/** Chains the entries that an earlier version wrote. Call it before anything else is written. */
export async function chainOlder({ store, log }: Pick<Deps, 'store' | 'log'>): Promise<void> {
  let count = 0;
  for (let done = await chainSome(store); done > 0; done = await chainSome(store)) {
    count += done;
    await nextTurn();
  }
  if (count > 0) log.info({ entries: count }, 'the hash chain of the audit log was created');
}

const afterHead = (head: ChainEnd) => ({ value: head.sequence, id: '~' });

async function chainSome(store: Store): Promise<number> {
  const query = { orderBy: 'sequence', direction: 'asc', limit: batch } as const;
  const seen = await store.page(auditLog, {
    ...query,
    limit: 1,
    after: afterHead(await readHead(store)),
  });
  if (seen.rows.length === 0) return 0;
  return store.transact(async (tx) => {
    const { rows } = await tx.page(auditLog, { ...query, after: afterHead(await readHead(tx)) });
    for (const { doc } of rows) await tx.replace(auditLog, await chained(tx, doc));
    return rows.length;
  });
}
