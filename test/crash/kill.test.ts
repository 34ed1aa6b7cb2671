import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { tempFolder } from '../server/store/lowdb/temp-folder.ts';
import { until } from '../support/until.ts';
import type { TempFolder } from '../server/store/lowdb/temp-folder.ts';
import { audit, openBank } from './accounts.ts';
import { buildWriter, startWriter } from './writer-process.ts';

/** CI asks for more. */
const ROUNDS = Number(process.env['GOVCTL_CRASH_ROUNDS'] ?? 5);

let script: string;
let folder: TempFolder;
beforeAll(async () => {
  script = await buildWriter();
});
afterAll(() => rm(dirname(script), { recursive: true }));
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(() => folder.remove());

describe('kill -9 under concurrent writers', () => {
  test('keeps every acknowledged change and no half of another, round after round', async () => {
    const dir = join(folder.path, 'data');
    let before = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      // A small limit: the kill comes in the middle of a fold as often as not.
      const writer = startWriter(process.execPath, [script, dir, '32', '60000']);
      await writer.said('ack');
      await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 150));
      writer.process.kill('SIGKILL');
      await writer.ended;

      const acknowledged = writer.acknowledged();
      expect(acknowledged.length).toBeGreaterThan(0);
      expect(new Set(acknowledged).size).toBe(acknowledged.length);
      expect(Math.min(...acknowledged)).toBeGreaterThan(before);
      const store = await openBank({ dir });
      try {
        const count = await audit(store);
        expect(count).toBeGreaterThanOrEqual(acknowledged.reduce((a, b) => Math.max(a, b)));
        before = count;
      } finally {
        await store.close();
      }
    }
  }, 300_000);
});

describe('two processes on one folder', () => {
  test('the second is refused by name of the first, which goes on', async () => {
    const dir = join(folder.path, 'data');
    const first = startWriter(process.execPath, [script, dir, '2', '1000000']);
    try {
      await first.said('ack');
      const second = startWriter(process.execPath, [script, dir]);
      await second.ended;
      expect(second.lines().join()).toContain(`in use by process ${first.process.pid}`);
      await expect(openBank({ dir })).rejects.toThrow(`process ${first.process.pid}`);
      const told = first.acknowledged().length;
      await until(() => first.acknowledged().length > told);
    } finally {
      first.process.kill('SIGKILL');
      await first.ended;
    }
  });

  test('of many that start at once on a dead one’s folder exactly one gets it', async () => {
    const dir = join(folder.path, 'data');
    const dead = startWriter(process.execPath, [script, dir]);
    await dead.said('ack');
    dead.process.kill('SIGKILL');
    await dead.ended;
    const all = Array.from({ length: 6 }, () => startWriter(process.execPath, [script, dir]));
    try {
      await Promise.all(all.map((one) => Promise.race([one.said('ack'), one.ended])));
      const alive = all.filter((one) => one.acknowledged().length > 0);
      expect(alive).toHaveLength(1);
      // Between the lock and its owner's number in it, the one that has it is another process.
      for (const one of all) {
        if (!alive.includes(one))
          expect(one.lines().join()).toMatch(/in use by (?:another )?process/);
      }
    } finally {
      for (const one of all) one.process.kill('SIGKILL');
      await Promise.all(all.map((one) => one.ended));
    }
    const store = await openBank({ dir });
    expect(await audit(store)).toBeGreaterThan(0);
    await store.close();
  });
});
