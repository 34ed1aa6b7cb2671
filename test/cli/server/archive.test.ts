import { createHash } from 'node:crypto';
import { mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ArchivedRecord } from '../../../src/contract/archive.ts';
import { defaultRetention } from '../../../src/server/config/retention.ts';
import { emit } from '../../../src/server/events/emit.ts';
import { archivablesOf } from '../../../src/server/archive/archivable.ts';
import { collections, modules } from '../../../src/server/wiring/modules.ts';
import { inventoryOf } from '../../server/inventory-service.ts';
import { composeTiny, create, idOf, renderText } from '../../server/reports/report-world.ts';
import { startTestService } from '../../server/test-service.ts';
import type { TestService } from '../../server/test-service.ts';
import { runCommandLine } from '../../support/fake-world.ts';
import type { FakeWorldSettings, Outcome } from '../../support/fake-world.ts';

const day = 86_400_000;
let service: TestService;
let inventory: ReturnType<typeof inventoryOf>;
let directory: string;
/** Of a server that stores everything for 30 days. */
beforeEach(async () => {
  const retention = Object.fromEntries(Object.keys(defaultRetention).map((key) => [key, 30 * day]));
  service = await startTestService({
    config: { retention },
    evidence: true,
    reports: { compose: composeTiny, render: renderText },
  });
  inventory = inventoryOf(service);
  directory = await mkdtemp(path.join(tmpdir(), 'govctl-archive-'));
});
afterEach(async () => {
  await service.close();
  await rm(directory, { recursive: true });
});

const settings = (extra: FakeWorldSettings = {}): FakeWorldSettings => ({
  env: { GOVCTL_BASE_URL: 'https://service.test', GOVCTL_TOKEN: service.key, NO_COLOR: '1' },
  fetch: async (url, init) => service.app.fetch(new Request(url, init), {}),
  ...extra,
});
const run = (...flags: string[]): Promise<Outcome> =>
  runCommandLine(['server', 'archive', directory, ...flags], settings());
const runs = async (): Promise<readonly string[]> => (await readdir(directory)).sort();

interface Manifest {
  readonly collections: Readonly<Record<string, { readonly records: Record<string, number> }>>;
  readonly files: readonly {
    readonly path: string;
    readonly sha256: string;
    readonly bytes: number;
  }[];
}
const manifestOf = async (name: string): Promise<Manifest> =>
  JSON.parse(await readFile(path.join(directory, name, 'manifest.json'), 'utf8')) as Manifest;
async function recordsOf(name: string): Promise<readonly ArchivedRecord[]> {
  const files = (await manifestOf(name)).files.filter((file) => file.path.endsWith('.ndjson.gz'));
  const texts = await Promise.all(
    files.map((file) => readFile(path.join(directory, name, file.path))),
  );
  return texts.flatMap((bytes) =>
    gunzipSync(bytes)
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as ArchivedRecord),
  );
}

/** All that the server stores of what an archive may contain, by collection and ID. */
async function stored(): Promise<ReadonlyMap<string, unknown>> {
  const all = new Map<string, unknown>();
  const archivables = archivablesOf(modules);
  const parts = new Set(['scan_samples', 'remediation_actions', 'report_downloads']);
  for (const spec of collections) {
    if (!archivables.has(spec.name) && !parts.has(spec.name)) continue;
    const page = await service.deps.store.page(spec as never, {
      orderBy: 'id',
      direction: 'asc',
      limit: 10_000,
    });
    for (const { doc } of page.rows as unknown as { doc: { id: string } }[]) {
      all.set(`${spec.name} ${doc.id}`, doc);
    }
  }
  return all;
}

/** Something of every day: a scan with samples, a violation that is resolved, a report. */
async function live(at: number): Promise<void> {
  await inventory.put('flips', { public: at % 2 === 0, backup: { days: 100 - at } });
  await inventory.put(`once-${at}`, { public: true });
  await service.evaluator.run();
  await inventory.put(`once-${at}`, { public: false });
  await inventory.ok('POST', '/v1/scans', { body: {} });
  await service.evaluator.run();
  const id = idOf(await create(service, { name: `report ${at}` }));
  await service.reportWork.idle();
  await service.send('GET', `/v1/reports/${id}/download/pdf`);
}

describe('govctl server archive', () => {
  it('has every record that retention removes, as it was, and its files, if it is run often enough', async () => {
    await inventory.createPolicy('p');
    await inventory.createPolicy('q', {
      rules: [{ condition: 'resource.backup.days < 7', effect: 'DENY' }],
    });
    await service.evaluator.run();
    const removed = new Map<string, unknown>();
    for (let at = 0; at < 16; at++) {
      if (at < 8) await live(at);
      const before = await stored();
      await service.maintain();
      const after = await stored();
      for (const [key, doc] of before) if (!after.has(key)) removed.set(key, doc);
      const { exitCode, stderr } = await run('--within', '7d');
      expect([exitCode, stderr]).toEqual([0, '']);
      service.advance(5 * day);
    }
    const archived = new Map<string, unknown>();
    for (const name of await runs()) {
      for (const { collection, id, record } of await recordsOf(name)) {
        archived.set(`${collection} ${id}`, record);
      }
      for (const file of (await manifestOf(name)).files) {
        const bytes = await readFile(path.join(directory, name, file.path));
        expect(bytes.length).toBe(file.bytes);
        expect(createHash('sha256').update(bytes).digest('hex')).toBe(file.sha256);
      }
    }
    const kinds = new Set([...removed.keys()].map((key) => key.split(' ')[0]));
    for (const kind of [
      'violations',
      'scans',
      'scan_samples',
      'reports',
      'report_downloads',
      'events',
      'audit_log',
    ]) {
      expect(kinds).toContain(kind);
    }
    const missing = [...removed.keys()].filter(
      (key) => !archived.has(key) && !key.startsWith('attribute_histories '),
    );
    expect(missing).toEqual([]);
    for (const [key, doc] of removed) {
      if (!key.startsWith('attribute_histories ')) expect(archived.get(key)).toEqual(doc);
    }
    // The points of histories, in whatever archives they are.
    const points = new Set<string>();
    for (const name of await runs()) {
      for (const { collection, record } of await recordsOf(name)) {
        if (collection !== 'attribute_histories') continue;
        for (const { points: some } of record.series as { points: [number, number][] }[]) {
          for (const [, value] of some) points.add(String(value));
        }
      }
    }
    expect([...points]).toEqual(expect.arrayContaining(['100', '99', '95', '94']));
  });

  it('writes each record once, and nothing where nothing is due', async () => {
    service.advance(2_000);
    expect((await run()).stdout).toMatch(/^Archived 1 record and no files/);
    const first = await runs();
    expect(first).toHaveLength(1);
    expect((await run()).stdout).toMatch(/^Nothing to archive/);
    expect(await runs()).toEqual(first);
    service.advance(2_000);
    await service.deps.store.transact((tx) => emit(service.deps, tx, 'scan.failed', {}));
    service.advance(2_000);
    expect((await run('-o', 'json')).stdout).toContain('"records": 1');
    const [, second = ''] = await runs();
    expect((await manifestOf(second)).collections.events?.records).toEqual({ events: 1 });
    const mode = (await stat(path.join(directory, second, 'events.ndjson.gz'))).mode & 0o777;
    expect(mode).toBe(0o600);
  });

  it('leaves nothing under its name where it is cut off, and begins again', async () => {
    await service.deps.store.transact((tx) => emit(service.deps, tx, 'scan.failed', {}));
    service.advance(2_000);
    const failed = await runCommandLine(
      ['server', 'archive', directory],
      settings({
        fetch: async (url, init) =>
          String(url).includes('/v1/archive/events')
            ? new Response('{"error":"malformed_request"}', { status: 400 })
            : service.app.fetch(new Request(url, init), {}),
      }),
    );
    expect(failed.exitCode).not.toBe(0);
    expect(await runs()).toEqual([]);
    expect((await run()).exitCode).toBe(0);
    expect(await runs()).toHaveLength(1);
  });

  it('has no passwords of reports', async () => {
    const got = await create(service, {
      format_options: { security: { password: 'correct horse battery' } },
    });
    const id = idOf(got);
    await service.reportWork.idle();
    service.advance(29 * day);
    await run();
    const [name = ''] = await runs();
    const report = (await recordsOf(name)).find((record) => record.id === id);
    expect(report?.record.security).toEqual({});
    expect(report?.files?.length).toBeGreaterThan(0);
  });

  it('is refused without the scope admin, to the directory of another server, and with a bad duration', async () => {
    const key = await service.keyWith('governance:read');
    for (const at of ['', '/events?until=2026-03-01T00:00:00.000Z', '/reports/rpt_1/files/x']) {
      expect((await service.send('GET', `/v1/archive${at}`, { key })).status).toBe(403);
    }
    expect(
      (await service.send('GET', '/v1/archive/policies?until=2026-03-01T00:00:00.000Z')).status,
    ).toBe(404);
    service.advance(2_000);
    await run();
    const other = await runCommandLine(
      ['server', 'archive', directory],
      settings({
        env: { GOVCTL_BASE_URL: 'https://other.test', GOVCTL_TOKEN: service.key, NO_COLOR: '1' },
      }),
    );
    expect([other.exitCode, other.stderr]).toEqual([
      3,
      expect.stringContaining('contains archives of https://service.test'),
    ]);
    expect((await run('--within', 'soon')).exitCode).toBe(3);
  });
});
