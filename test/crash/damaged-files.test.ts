import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StoreRefusal } from '../../src/server/store/store.ts';
import { tempFolder } from '../server/store/lowdb/temp-folder.ts';
import type { TempFolder } from '../server/store/lowdb/temp-folder.ts';
import { audit, openBank, transfer } from './accounts.ts';
import { memoryFiles } from './memory-files.ts';
import type { MemoryFiles } from './memory-files.ts';

let folder: TempFolder;
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(() => folder.remove());

/** A disk after `count` transfers; killed, so that they are in the journal, or closed. */
const diskAfter = async (
  count: number,
  { closed = false, pad = '', rounds = 1 } = {},
): Promise<MemoryFiles> => {
  let disk = memoryFiles();
  for (let round = 0; round < rounds; round += 1) {
    const store = await openBank({ dir: folder.path, files: disk });
    for (let at = 0; at < count; at += 1) await transfer(store, at, pad);
    const killed = disk.afterKill();
    await store.close();
    disk = closed ? disk.afterKill() : killed;
  }
  return disk;
};

const journalOf = (disk: MemoryFiles): string =>
  disk.names().findLast((name) => name.endsWith('.ndjson')) ?? '';

const countIn = async (disk: MemoryFiles, warnings: string[] = []): Promise<number> => {
  const store = await openBank({ dir: folder.path, files: disk, warnings });
  try {
    return await audit(store);
  } finally {
    await store.close();
  }
};

const refusalOf = async (disk: MemoryFiles): Promise<string> => {
  const before = disk.names().map((name) => [name, disk.content(name).toString('latin1')]);
  const error: unknown = await countIn(disk).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StoreRefusal);
  expect(disk.names().map((name) => [name, disk.content(name).toString('latin1')])).toEqual(before);
  return (error as StoreRefusal).message;
};

const flip = (disk: MemoryFiles, name: string, at: number, mask: number): void => {
  const bytes = Buffer.from(disk.content(name));
  bytes[at] = (bytes[at] ?? 0) ^ mask;
  disk.put(name, bytes);
};

const linesBefore = (bytes: Buffer, at: number): number =>
  bytes.subarray(0, at).filter((byte) => byte === 0x0a).length;

/** Each transfer was flushed alone: a line of its group, and its own. */
const transfersBefore = (bytes: Buffer, at: number): number =>
  Math.floor(linesBefore(bytes, at) / 2);

/** As after a power cut, of which only the journal's own last flush is known to be on disk. */
const unmarked = async (disk: MemoryFiles): Promise<MemoryFiles> => {
  await disk.remove('journal.synced');
  return disk;
};

describe('a journal that ends early', () => {
  test('recovers to the last whole commit, wherever it is cut', async () => {
    const disk = await unmarked(await diskAfter(2));
    const name = journalOf(disk);
    const whole = disk.content(name);
    for (let length = 0; length <= whole.length; length += 1) {
      const cut = disk.afterKill();
      cut.put(name, whole.subarray(0, length));
      const warnings: string[] = [];
      expect(await countIn(cut, warnings)).toBe(transfersBefore(whole, length));
      const torn = linesBefore(whole, length) % 2 > 0 || (length > 0 && whole[length - 1] !== 0x0a);
      expect(warnings.filter((line) => line.includes('incomplete'))).toHaveLength(torn ? 1 : 0);
    }
  });

  test('does so for longer journals too, with garbage or zeros behind the cut', async () => {
    const disk = await unmarked(await diskAfter(200, { pad: 'ü'.repeat(300) }));
    const name = journalOf(disk);
    const whole = disk.content(name);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: whole.length }),
        fc.constantFrom(Buffer.alloc(0), Buffer.alloc(512), Buffer.from('\u0001\ufffdgarbage')),
        async (length, junk) => {
          const cut = disk.afterKill();
          cut.put(name, Buffer.concat([whole.subarray(0, length), junk]));
          expect(await countIn(cut)).toBe(transfersBefore(whole, length));
        },
      ),
      { numRuns: 30 },
    );
  });

  test('takes a group with a hole, where a sector never reached the disk, for torn', async () => {
    const disk = await unmarked(await diskAfter(3, { pad: 'x'.repeat(2000) }));
    const name = journalOf(disk);
    const bytes = Buffer.from(disk.content(name));
    bytes.fill(0, bytes.length - 1024, bytes.length - 512);
    disk.put(name, bytes);
    expect(await countIn(disk)).toBe(2);
  });

  test('says what it cut off and keeps those bytes', async () => {
    const disk = await unmarked(await diskAfter(3));
    const name = journalOf(disk);
    disk.put(name, disk.content(name).subarray(0, -5));
    const warnings: string[] = [];
    expect(await countIn(disk, warnings)).toBe(2);
    expect(warnings.join()).toContain(`${name}:5: cut off`);
    expect(disk.content(`${name}.torn`).toString()).toMatch(/^\{"group":.*\n\{"commit":3,/);
  });

  test('before what is marked as saved is refused, wherever it is cut, and says what is missing', async () => {
    const disk = await diskAfter(4);
    const name = journalOf(disk);
    const whole = disk.content(name);
    for (let length = 0; length < whole.length; length += 1) {
      const cut = disk.afterKill();
      cut.put(name, whole.subarray(0, length));
      const message = await refusalOf(cut);
      expect(message).toContain('commits up to 4 had been saved');
      expect(message).not.toMatch(/incomplete|never acknowledged/);
      expect(message).toMatch(/rm (-f )?\S+journal\.synced/);
    }
  });

  test('and an emptied or missing one, are refused even after everything was folded', async () => {
    const disk = await diskAfter(4, { rounds: 2 });
    await disk.afterKill().remove('journal.synced');
    disk.put(journalOf(disk), Buffer.alloc(0));
    expect(await refusalOf(disk)).toContain('commits up to 8 had been saved');
  });
});

describe('a damaged file', () => {
  test('a flipped bit anywhere in the journal is found, with its line and the way out', async () => {
    const disk = await diskAfter(8);
    const name = journalOf(disk);
    const whole = disk.content(name);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: whole.length - 1 }),
        fc.integer({ min: 0, max: 7 }),
        async (at, bit) => {
          const damaged = disk.afterKill();
          flip(damaged, name, at, 1 << bit);
          const message = await refusalOf(damaged);
          // A group counts as a whole.
          const before = 2 * transfersBefore(whole, at);
          expect(message).toContain(`${name}:${before + 1}:`);
          expect(message).toContain(`head -n ${before} `);
        },
      ),
      { numRuns: 150, examples: [[whole.length - 1, 0]] },
    );
  });

  test('the way out that a refusal over the journal gives leads to the state before that line', async () => {
    const disk = await diskAfter(8);
    const name = journalOf(disk);
    const lines = disk.content(name).toString().split('\n');
    flip(disk, name, lines.slice(0, 8).join('\n').length + 40, 1);
    expect(await refusalOf(disk)).toMatch(/head -n 8 .*\n.*rm -f \S+journal\.synced/s);
    disk.put(name, Buffer.from(`${lines.slice(0, 8).join('\n')}\n`));
    await disk.remove('journal.synced');
    expect(await countIn(disk)).toBe(4);
  });

  test('a line that is missing from, or twice in, the middle of a journal is found', async () => {
    const disk = await diskAfter(8);
    const name = journalOf(disk);
    const lines = disk.content(name).toString().split('\n');
    const without = disk.afterKill();
    without.put(name, Buffer.from(lines.filter((_, at) => at !== 6 && at !== 7).join('\n')));
    expect(await refusalOf(without)).toContain('commit 5 follows commit 3');
    const twice = disk.afterKill();
    twice.put(name, Buffer.from([...lines.slice(0, 8), ...lines.slice(6)].join('\n')));
    expect(await refusalOf(twice)).toContain('commit 4 follows commit 4: two servers wrote');
  });

  test('a flipped bit anywhere in a checkpoint is found, with its line and the .bak', async () => {
    const disk = await diskAfter(8, { closed: true, rounds: 2 });
    for (const name of ['accounts.json', 'entries.json', 'letters.lanes.json', 'store.json']) {
      const whole = disk.content(name);
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 0, max: whole.length - 2 }),
          fc.integer({ min: 0, max: 7 }),
          async (at, bit) => {
            const damaged = disk.afterKill();
            flip(damaged, name, at, 1 << bit);
            const message = await refusalOf(damaged);
            expect(message).toContain(`${name}:${linesBefore(whole, at) + 1}:`);
            expect(message).toContain(`${name}.bak`);
          },
        ),
        { numRuns: 60 },
      );
    }
  });

  test('a cut checkpoint is found, wherever it is cut', async () => {
    const disk = await diskAfter(1, { closed: true });
    const whole = disk.content('entries.json');
    for (let length = 0; length < whole.length - 1; length += 1) {
      const damaged = disk.afterKill();
      damaged.put('entries.json', whole.subarray(0, length));
      expect(await refusalOf(damaged)).toContain('entries.json');
    }
  });

  test('putting the .bak in its place, as the refusal says, brings everything back', async () => {
    const disk = await diskAfter(7, { closed: true, rounds: 3 });
    for (const name of ['accounts.json', 'entries.json', 'letters.lanes.json', 'store.json']) {
      const damaged = disk.afterKill();
      flip(damaged, name, 20, 4);
      expect(await refusalOf(damaged)).toMatch(new RegExp(`cp \\S+/${name}\\.bak \\S+/${name}\n`));
      damaged.put(name, damaged.content(`${name}.bak`));
      expect(await countIn(damaged)).toBe(21);
    }
  });

  test('a file that is gone is a refusal, never an empty start', async () => {
    const disk = await diskAfter(5, { closed: true, rounds: 2 });
    for (const name of [
      'accounts.json',
      'entries.json',
      'letters.lanes.json',
      'store.json',
      journalOf(disk),
    ]) {
      const damaged = disk.afterKill();
      await damaged.remove(name);
      const message = await refusalOf(damaged);
      if (name.endsWith('.json'))
        expect(message).toMatch(new RegExp(`${name} is missing.*\\.bak`, 's'));
      else expect(message).toContain('contains no journal');
    }
  });

  test('text behind the end of a checkpoint, or a line was edited, is found', async () => {
    const disk = await diskAfter(5, { closed: true });
    const longer = disk.afterKill();
    longer.put('entries.json', Buffer.concat([disk.content('entries.json'), Buffer.from('{}\n')]));
    expect(await refusalOf(longer)).toContain('after the end');
    const edited = disk.afterKill();
    const text = disk.content('entries.json').toString().replace('"amount":3', '"amount":9');
    edited.put('entries.json', Buffer.from(text));
    expect(await refusalOf(edited)).toContain('was edited');
  });
});
