import * as z from 'zod';
import { stores } from '../../../src/server/module.ts';
import type { FileOf, Module } from '../../../src/server/module.ts';
import { auditModule } from '../../../src/server/audit/module.ts';
import { openLowdbStore } from '../../../src/server/store/lowdb/open.ts';
import { nodeFiles } from '../../../src/server/store/lowdb/file-layer.ts';
import type { CollectionSpec, LaneSpec, Store } from '../../../src/server/store/store.ts';

/** A document with a file, and one that counts the changes. */
interface Thing {
  readonly id: string;
  readonly name?: string;
  readonly count?: number;
  readonly file?: FileOf;
  readonly sequence?: number;
}

const things: CollectionSpec<Thing> = {
  name: 'things',
  unique: { name: ({ name }) => name },
  order: { id: ({ id }) => id },
};
const others: CollectionSpec<Thing> = { name: 'others', order: { id: ({ id }) => id } };
const lanes: LaneSpec = { name: 'lanes' };

const shape = z.looseObject({ id: z.string() }) as unknown as z.ZodType<Thing>;

export const modules: readonly Module[] = [
  {
    collections: [
      stores(things, shape, { files: ({ file }) => [file ?? []].flat() }),
      stores(others, shape),
    ],
    lanes: [{ spec: lanes, owners: 'things' }],
    sequences: ['things'],
  },
  auditModule,
];

/** A store that folds after every commit, unless it is told otherwise. */
export const openThings = (dir: string, checkpointBytes = 1, files = nodeFiles): Promise<Store> =>
  openLowdbStore({
    dir,
    collections: modules.flatMap(({ collections }) => collections.map(({ spec }) => spec)),
    lanes: [lanes],
    files,
    checkpointBytes,
  });

/** Counts in two collections, gives a thing a file, and removes the one of ten changes before. */
export async function change(store: Store, n: number, bytes: Buffer): Promise<void> {
  const blob = `blob_${n}`;
  const writer = await store.blobs.create(blob);
  await writer.write(bytes);
  const { size, sha256 } = await writer.finish();
  await store.transact(async (tx) => {
    const sequence = await tx.next('things');
    const id = `thing_${n}`;
    await tx.insert(things, { id, name: id, file: { blob, size, sha256 }, sequence });
    await tx.append(lanes, id, id);
    for (const spec of [things, others]) {
      const counted = (await tx.get(spec, 'count'))?.doc;
      const doc = { id: 'count', count: n };
      await (counted ? tx.replace(spec, doc) : tx.insert(spec, doc));
    }
    const old = `thing_${n - 10}`;
    if (!(await tx.get(things, old))) return;
    await tx.remove(things, old);
    await tx.clear(lanes, old);
  });
  await store.blobs.remove(`blob_${n - 10}`);
}

/** @returns the changes that are there, all of each @throws where there is half of one */
export async function changesIn(store: Store): Promise<number> {
  const count = (await store.get(things, 'count'))?.doc.count ?? 0;
  const counts = [count, (await store.get(others, 'count'))?.doc.count ?? 0];
  const { rows } = await store.page(things, { orderBy: 'id', direction: 'asc', limit: 100 });
  const files = rows.flatMap(({ doc }) => doc.file ?? []);
  for (const { blob, size } of files) {
    if ((await store.blobs.stat(blob))?.size !== size) throw new Error(`${blob} is not whole`);
  }
  const highest = Math.max(0, ...rows.map(({ doc }) => doc.sequence ?? 0));
  const isWhole = new Set([...counts, highest]).size === 1 && files.length === Math.min(count, 10);
  if (!isWhole) throw new Error(`half a change: ${counts.join()} ${highest} ${files.length}`);
  return count;
}
