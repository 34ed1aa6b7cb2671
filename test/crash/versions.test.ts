// Documents of earlier versions: what a newer govctl makes of them, and what an older one does with newer ones.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openLowdbStore } from '../../src/server/store/lowdb/open.ts';
import { StoreRefusal } from '../../src/server/store/store.ts';
import type { CollectionSpec, Document, Store } from '../../src/server/store/store.ts';
import { tempFolder } from '../server/store/lowdb/temp-folder.ts';
import type { TempFolder } from '../server/store/lowdb/temp-folder.ts';
import { memoryFiles } from './memory-files.ts';
import type { MemoryFiles } from './memory-files.ts';
import { randomFrom } from './random.ts';

let folder: TempFolder;
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(() => folder.remove());

/** How a document came to be: the version that wrote it, then each migration. */
interface Told extends Document {
  readonly path: readonly number[];
}

const migrationTo = (version: number) => (older: Document) => ({ ...older, path: [...(older as Told).path, version] }); // prettier-ignore

const notes = (version: number): CollectionSpec<Told> => ({
  name: 'notes',
  index: { version: ({ path }) => String(path.at(-1)) },
  order: { id: ({ id }) => id },
  migrations: Array.from({ length: version - 1 }, (_, at) => migrationTo(at + 2)),
});
const plain: CollectionSpec<Document> = { name: 'plain', order: { id: ({ id }) => id } };

const open = (files: MemoryFiles, version: number): Promise<Store> =>
  openLowdbStore({
    dir: folder.path,
    files,
    collections: [notes(version), plain],
    checkpointBytes: 400,
    log: { info: () => {}, warn: () => {} },
  });

const write = (store: Store, version: number, id: string): Promise<void> =>
  store.transact(async (tx) => {
    await tx.insert(notes(version), { id, path: [version] });
    await tx.insert(plain, { id });
  });

const read = async (store: Store, version: number): Promise<Record<string, readonly number[]>> => {
  const { rows } = await store.page(notes(version), { orderBy: 'id', direction: 'asc', limit: 1_000 }); // prettier-ignore
  return Object.fromEntries(rows.map(({ doc }) => [doc.id, doc.path]));
};

/** Kills the server: what is open stays so, but nobody has the lock. */
const kill = (): void => rmSync(join(folder.path, 'lock'), { force: true });

const upTo = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);

describe('documents of an earlier version', () => {
  test('are migrated once each, through kills, power cuts and checkpoints, whatever wrote them', async () => {
    for (let seed = 1; seed <= 30; seed += 1) {
      const random = randomFrom(seed);
      let disk = memoryFiles();
      const written = new Map<string, number>();
      for (let version = 1; version <= 4;) {
        const store = await open(disk, version);
        const all = Object.fromEntries([...written].map(([id, from]) => [id, upTo(from, version)]));
        expect(await read(store, version), `seed ${seed}, version ${version}`).toEqual(all);
        const newest = { where: { version: { any: [String(version)] } }, orderBy: 'id', direction: 'asc', limit: 0 } as const; // prettier-ignore
        expect((await store.page(notes(version), newest)).total).toBe(written.size);
        for (let left = Math.floor(random() * 5); left > 0; left -= 1) {
          const id = `n${String(written.size).padStart(3, '0')}`;
          await write(store, version, id);
          written.set(id, version);
        }
        if (random() < 0.5) await store.close();
        else {
          kill();
          if (random() < 0.5) disk = disk.afterSomePowerCut(random);
        }
        if (random() < 0.6) version += 1;
      }
    }
  });

  test('that are newer than known are refused by name, from a checkpoint and from the journal, and nothing is changed', async () => {
    for (const isFolded of [true, false]) {
      const disk = memoryFiles();
      const store = await open(disk, 3);
      await write(store, 3, 'n1');
      if (isFolded) await store.close();
      else kill();
      const refusal = await open(disk, 2).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(refusal).toBeInstanceOf(StoreRefusal);
      expect(String(refusal)).toContain('the records of "notes" have version 3; this govctl supports version 2'); // prettier-ignore
      expect(String(refusal)).toContain('use the version of govctl that wrote the directory, or a newer one'); // prettier-ignore
      const again = await open(disk, 3);
      expect(await read(again, 3)).toEqual({ n1: [3] });
      await again.close();
    }
  });
});
