import assert from 'node:assert/strict';
import { openLowdbStore } from '../../src/server/store/lowdb/open.ts';
import type { FileLayer } from '../../src/server/store/lowdb/file-layer.ts';
import type { CollectionSpec, LaneSpec, Store } from '../../src/server/store/store.ts';

/**
 * Two collections and two lanes that only make sense together: each transfer moves money, leaves an entry, and puts it
 * into a lane; every third takes the oldest out again.
 */
interface Account {
  readonly id: string;
  readonly name: string;
  readonly balance: number;
}
interface Entry {
  readonly id: string;
  readonly sequence: number;
  readonly amount: number;
  readonly pad: string;
}

const accounts: CollectionSpec<Account> = {
  name: 'accounts',
  unique: { name: (account) => account.name },
  order: { id: (account) => account.id },
};
const entries: CollectionSpec<Entry> = {
  name: 'entries',
  order: { sequence: (entry) => entry.sequence },
};

export const letters: LaneSpec = { name: 'letters' };

export interface OpenBank {
  readonly dir: string;
  readonly files?: FileLayer;
  readonly checkpointBytes?: number;
  readonly warnings?: string[];
  readonly retryMs?: number;
}

export const openBank = ({
  dir,
  files,
  checkpointBytes,
  warnings = [],
  retryMs,
}: OpenBank): Promise<Store> =>
  openLowdbStore({
    dir,
    collections: [accounts, entries],
    lanes: [letters],
    ...(files && { files }),
    ...(retryMs !== undefined && { retryMs }),
    ...(checkpointBytes !== undefined && { checkpointBytes }),
    log: { info: () => {}, warn: (message) => warnings.push(message) },
  });

const idOf = (sequence: number): string => `e${String(sequence).padStart(6, '0')}`;

/** One transaction over all of them and a sequence. @returns the sequence number, acknowledged */
export const transfer = (store: Store, amount: number, pad = ''): Promise<number> =>
  store.transact(async (tx) => {
    const sequence = await tx.next('entries');
    for (const [id, change] of [
      ['debit', -amount],
      ['credit', amount],
    ] as const) {
      const row = await tx.get(accounts, id);
      const balance = (row?.doc.balance ?? 0) + change;
      const doc = { id, name: `${id} after ${sequence}`, balance };
      await (row ? tx.replace(accounts, doc) : tx.insert(accounts, doc));
    }
    const id = idOf(sequence);
    await tx.insert(entries, { id, sequence, amount, pad });
    // Something is removed now and then, so that removals are replayed too.
    if (sequence % 5 === 0) await tx.remove(entries, idOf(sequence - 4));
    await tx.append(letters, `lane ${sequence % 2}`, id);
    const [oldest] = sequence % 3 === 0 ? await tx.laneWork(letters, { limit: 1 }) : [];
    if (oldest) await tx.complete(letters, oldest);
    return sequence;
  });

/** Checks that the books hold together. @returns how many transfers they hold */
export const audit = async (store: Store): Promise<number> => {
  const debit = await store.get(accounts, 'debit');
  const credit = await store.get(accounts, 'credit');
  const sequences: number[] = [];
  let page = await store.page(entries, { orderBy: 'sequence', direction: 'asc', limit: 100 });
  for (;;) {
    sequences.push(...page.rows.map(({ doc }) => doc.sequence));
    if (!page.hasMore || !page.last) break;
    const { last } = page;
    page = await store.page(entries, {
      orderBy: 'sequence',
      direction: 'asc',
      limit: 100,
      after: last,
    });
  }
  const count = sequences.at(-1) ?? 0;
  const expected = Array.from({ length: count }, (_, at) => at + 1).filter(
    (sequence) => sequence % 5 !== 1 || sequence + 4 > count,
  );
  assert.deepEqual(sequences, expected);
  assert.equal(debit?.doc.name, count === 0 ? undefined : `debit after ${count}`);
  assert.equal((debit?.doc.balance ?? 0) + (credit?.doc.balance ?? 0), 0);
  assert.equal(debit?.revision, credit?.revision);
  if (debit) {
    assert.equal((await store.find(accounts, 'name', debit.doc.name))?.doc.id, 'debit');
  }
  const taken = Math.floor(count / 3);
  assert.deepEqual(
    await store.laneWork(letters, { limit: count + 1 }),
    Array.from({ length: count - taken }, (_, at) => taken + at + 1).map((sequence) => ({
      lane: `lane ${sequence % 2}`,
      position: sequence,
      work: idOf(sequence),
    })),
  );
  return count;
};
