import { signedText } from '../../contract/audit-log.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import type { FindStatementKey, StatementKey } from '../keys/statement-key.ts';
import { nextTurn } from '../next-turn.ts';
import type { Tx } from '../store/store.ts';
import { keepEnd } from './chain.ts';
import { auditLog } from './collection.ts';
import type { ChainEnd } from './collection.ts';

const day = 86_400_000;
/** Entries removed in one transaction. */
const batch = 500;

/** A part of the chain as the server vouches for it. */
export function signedEnd<End extends ChainEnd>(key: StatementKey, end: End) {
  const said = { ...end, key_id: key.id };
  return { ...said, signature: key.sign(signedText(said)) };
}

/** Says, signed, that the entries up to one were removed. */
export async function anchor(
  { clock }: Pick<Deps, 'clock'>,
  tx: Tx,
  key: StatementKey,
  { sequence, hash }: ChainEnd,
  reason: 'retention' | 'reset',
): Promise<void> {
  const end = signedEnd(key, { sequence, hash, at: timestamp(clock.now()), reason });
  await keepEnd(tx, { id: 'anchor', ...end });
}

/**
 * Removes the entries that are too old, once a day's worth of them is, or a tenth of what is kept; the anchor says up to
 * where.
 */
export async function removeOldEntries(
  deps: Deps,
  findKey: FindStatementKey,
  keptMs: number,
): Promise<void> {
  const { store, clock } = deps;
  const oldest = { orderBy: 'sequence', direction: 'asc', limit: batch } as const;
  const olderThan = (ms: number) => (entry: { readonly at: string }) =>
    entry.at < timestamp(Math.max(0, clock.now() - ms));
  const seen = await store.page(auditLog, { ...oldest, limit: 1 });
  if (!seen.rows.some(({ doc }) => olderThan(keptMs + Math.min(day, keptMs / 10))(doc))) return;
  const key = await findKey();
  const isOld = olderThan(keptMs);
  for (let removed = batch; removed === batch;) {
    removed = await store.transact(async (tx) => {
      const { rows } = await tx.page(auditLog, oldest);
      const kept = rows.findIndex(({ doc }) => !isOld(doc));
      const old = rows.slice(0, kept < 0 ? rows.length : kept);
      const last = old.at(-1)?.doc;
      if (last?.hash === undefined) return 0;
      for (const { doc } of old) await tx.remove(auditLog, doc.id);
      await anchor(deps, tx, key, { sequence: last.sequence, hash: last.hash }, 'retention');
      return old.length;
    });
    await nextTurn();
  }
}
