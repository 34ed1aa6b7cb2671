import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { defaultRetention } from '../../src/server/config/retention.ts';
import { createCostImportWork } from '../../src/server/cost-imports/work.ts';
import type { Deps } from '../../src/server/deps.ts';
import { createEvidenceWork } from '../../src/server/evidence/work.ts';
import { createIds } from '../../src/server/ids.ts';
import type { CreateLaneRunner } from '../../src/server/lanes/runner.ts';
import type { StoredCollection } from '../../src/server/module.ts';
import { cleanUp } from '../../src/server/reports/generation/clean-up.ts';
import { createUtilization } from '../../src/server/rightsizing/import-metrics.ts';
import { openLowdbStore } from '../../src/server/store/lowdb/open.ts';
import type { Document, Store } from '../../src/server/store/store.ts';
import { removeExpired } from '../../src/server/wiring/expiry.ts';
import { collections, lanes, modules } from '../../src/server/wiring/modules.ts';
import { idsOf, writeBlob } from '../server/store/blob-contract.ts';
import { tempFolder } from '../server/store/lowdb/temp-folder.ts';
import type { TempFolder } from '../server/store/lowdb/temp-folder.ts';
import { noLog } from '../support/no-log.ts';
import { until } from '../support/until.ts';
import { failure, memoryFiles } from './memory-files.ts';
import type { MemoryFiles } from './memory-files.ts';

let folder: TempFolder;
beforeEach(async () => {
  folder = await tempFolder();
});
afterEach(() => folder.remove());

const open = (files: MemoryFiles): Promise<Store> =>
  openLowdbStore({ dir: folder.path, collections, lanes, files });

/** The collections whose documents have files and expire. */
const kinds = modules
  .flatMap((module): readonly StoredCollection[] => module.collections)
  .filter(({ files, expiry }) => files && expiry);

const now = Date.parse('2036-03-01T12:00:00.000Z');
const at = '2026-03-01T12:00:00.000Z';
const old = { created_at: at, updated_at: at };
const file = (blob: string) => ({ blob, size: 5, sha256: '' });
const report = (id: string) => ({
  ...{ ...old, id, type: 'executive_summary', name: id, status: 'completed', generated_at: at },
  result: { model: [`${id}.job_1.model`], files: [file(`${id}.job_1.pdf`)] },
});
const bundle = (id: string) => ({
  ...{ ...old, id, framework: 'soc2', status: 'completed', completed_at: at },
  bundle: file(`${id}.job_1.zip`),
});
const attached = (id: string) => ({
  ...{ ...old, id, framework: 'soc2', control_id: 'CC1.1', expires: '2026-03-01' },
  file: file(`${id}.job_1.file`),
});
const sent = (id: string) => ({
  ...{ ...old, id, status: 'completed', expires: Date.parse(at) },
  files: [{ ...file(`${id}.job_1.file`), n: 1, name: 'a.csv' }],
});
const month = (period: string) => ({
  ...{ id: period, period, charges: file(`imp_${period.slice(0, 4)}.job_1.charges`) },
});
const week = (id: string) => ({ id, until: Date.parse(at), file: file(`utl_${id}`) });

/** One of each kind, all of them due. */
const due: Readonly<Record<string, readonly Document[]>> = {
  reports: [report('rpt_1')],
  evidence_bundles: [bundle('evd_1')],
  manual_evidence: [attached('evm_1')],
  cost_imports: [sent('imp_1')],
  cost_periods: [month('2026-01')],
  utilization: [week('a')],
};

async function fill(store: Store): Promise<void> {
  for (const { spec, files } of kinds) {
    for (const doc of due[spec.name] ?? []) {
      for (const { blob } of files?.(doc) ?? []) await writeBlob(store.blobs, blob, [Buffer.from('bytes')]); // prettier-ignore
      await store.transact((tx) => tx.insert(spec, doc));
    }
  }
}

const depsOf = (store: Store): Deps => {
  const clock = { now: () => now, monotonic: () => now };
  const secrets = { seal: String, open: String, fingerprint: String };
  const random = (bytes: number): Uint8Array => randomBytes(bytes);
  return { store, clock, ids: createIds(clock, random), random, log: noLog, secrets, version: '1' };
};

/** Retention comes to each kind, whatever became of the one before it. */
async function removeAll(deps: Deps): Promise<void> {
  for (const kind of kinds) {
    await removeExpired(deps, kind, defaultRetention).catch((error: unknown) => {
      if (!String(error).includes('injected')) throw error;
    });
  }
}

const noRunner: CreateLaneRunner = () => ({
  poke: () => undefined,
  idle: () => Promise.resolve(),
  stop: () => Promise.resolve(),
});
const never = () => Promise.reject(new Error('nothing is read here'));

/** What a start does about files. */
async function start(deps: Deps): Promise<void> {
  createEvidenceWork(deps, { createRunner: noRunner, statementKey: never });
  createCostImportWork(deps, {
    ...{ createRunner: noRunner, readFiles: never, imported: () => Promise.resolve() },
    tags: [],
    keptMs: Infinity,
  });
  createUtilization(deps);
  await cleanUp(deps, { writing: new Set(), end: never, ended: () => undefined });
}

/** The files that rows name. */
async function namedIn(store: Store): Promise<string[]> {
  const named: string[] = [];
  for (const { spec, files } of kinds) {
    for (const { id } of due[spec.name] ?? []) {
      const doc = (await store.get(spec, id))?.doc;
      if (doc) named.push(...(files?.(doc) ?? []).map(({ blob }) => blob));
    }
  }
  return named.sort();
}
const present = async (store: Store): Promise<string[]> => [...(await idsOf(store.blobs))].sort();

async function expectInOrder(disk: MemoryFiles): Promise<void> {
  const store = await open(disk);
  const named = await namedIn(store);
  expect(await present(store)).toEqual(expect.arrayContaining(named));
  await start(depsOf(store));
  await until(async () => (await present(store)).length === named.length);
  expect(await present(store)).toEqual(named);
  await store.close();
}

test('wherever a removal by age is cut off, no row is without its file, and the next start removes files without rows', async () => {
  expect(Object.keys(due).sort()).toEqual(kinds.map(({ spec }) => spec.name).sort());
  for (let step = 0; ; step += 1) {
    const files = memoryFiles();
    const store = await open(files);
    await fill(store);
    let changes = 0;
    files.before = () => {
      changes += 1;
      if (changes > step) throw failure('EIO');
    };
    await removeAll(depsOf(store));
    await store.close().catch(() => undefined);
    const isCutOff = changes > step;
    for (const disk of [files.afterKill(), files.afterPowerCut()]) await expectInOrder(disk);
    if (isCutOff) continue;
    expect(step).toBeGreaterThan(15);
    return;
  }
});

test('a file that cannot be removed keeps nothing else from being removed', async () => {
  const files = memoryFiles();
  const store = await open(files);
  await fill(store);
  files.before = (change, name) => {
    if (change === 'remove' && name.startsWith('blobs')) throw failure('EIO');
  };
  await removeAll(depsOf(store));
  expect(await namedIn(store)).toEqual([]);
  files.before = () => undefined;
  await store.close();
  await expectInOrder(files.afterKill());
});
