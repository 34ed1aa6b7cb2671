import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tempFolder } from '../server/store/lowdb/temp-folder.ts';
import type { TempFolder } from '../server/store/lowdb/temp-folder.ts';
import { startBuiltServer } from '../support/built-cli.ts';
import type { BuiltServer } from '../support/built-cli.ts';
import { hasTool, isAllowed, runTool, startTool } from '../support/system-tool.ts';
import { until } from '../support/until.ts';

/** The store's own rounds are cheaper; these show that the whole server keeps its word, too. */
const ROUNDS = Math.min(10, Number(process.env['GOVCTL_CRASH_ROUNDS'] ?? 2));

let folder: TempFolder;
let dataDir: string;
let running: BuiltServer | undefined;
beforeEach(async () => {
  folder = await tempFolder();
  dataDir = join(folder.path, 'data');
});
afterEach(async () => {
  await running?.stop('SIGKILL');
  running = undefined;
  await folder.remove();
});

const start = async (): Promise<BuiltServer> => {
  running = await startBuiltServer({ dataDir });
  return running;
};

interface Policy {
  readonly id: string;
  readonly name: string;
}

const call = (
  server: BuiltServer,
  method: string,
  path: string,
  body?: object,
): Promise<Response> =>
  fetch(`${server.baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });

const aPolicy = (name: string): object => ({
  name,
  description: 'd'.repeat(200),
  resource_type: 'AWS::S3::Bucket',
  severity: 'HIGH',
  rules: [{ condition: 'resource.encrypted == false', effect: 'DENY', message: 'Encrypt it.' }],
  tags: ['crash', name],
});

const listPolicies = async (server: BuiltServer): Promise<Policy[]> => {
  const found: Policy[] = [];
  for (let cursor = ''; ;) {
    const response = await call(server, 'GET', `/v1/policies?limit=100${cursor}`);
    const page = (await response.json()) as {
      policies: Policy[];
      pagination: { total: number; next_cursor?: string };
    };
    found.push(...page.policies);
    if (page.pagination.next_cursor === undefined) {
      expect(found).toHaveLength(page.pagination.total);
      return found;
    }
    cursor = `&cursor=${encodeURIComponent(page.pagination.next_cursor)}`;
  }
};

interface Load {
  readonly acknowledged: Map<string, Policy>;
  readonly refused: { readonly name: string; readonly status: number; readonly body: unknown }[];
  /** Asked for, never answered. */
  readonly unanswered: Set<string>;
  /** Ends when `until` does, the server stops answering, or it has refused something. */
  readonly done: Promise<void>;
}

/** Creates policies over and over, a number of callers at once. */
const createPolicies = (server: BuiltServer, prefix: string): Load => {
  const acknowledged = new Map<string, Policy>();
  const refused: Load['refused'] = [];
  const unanswered = new Set<string>();
  const caller = async (number: number): Promise<void> => {
    for (let at = 0; refused.length === 0; at += 1) {
      const name = `${prefix} ${number}.${at}`;
      unanswered.add(name);
      try {
        const response = await call(server, 'POST', '/v1/policies', aPolicy(name));
        const body: unknown = await response.json();
        unanswered.delete(name);
        if (response.status === 201) acknowledged.set(name, body as Policy);
        else refused.push({ name, status: response.status, body });
      } catch {
        return; // The server is gone; whether this one lasted is open.
      }
    }
  };
  const done = Promise.all(Array.from({ length: 16 }, (_, number) => caller(number))).then(
    () => {},
  );
  return { acknowledged, refused, unanswered, done };
};

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** What is stored is all that was acknowledged, whole, and nothing that wasn't at least asked for. */
const checkStored = (stored: readonly Policy[], loads: readonly Load[]): void => {
  const byName = new Map(stored.map((policy) => [policy.name, policy]));
  expect(byName.size).toBe(stored.length);
  for (const { acknowledged } of loads) {
    for (const [name, policy] of acknowledged) expect(byName.get(name)).toEqual(policy);
  }
  for (const policy of stored) {
    expect(policy).toMatchObject(aPolicy(policy.name));
    const known = loads.some(
      ({ acknowledged, unanswered }) =>
        acknowledged.has(policy.name) || unanswered.has(policy.name),
    );
    expect(known, policy.name).toBe(true);
  }
};

describe('the server', () => {
  test('keeps every policy it has acknowledged through kill -9, and no half of another', async () => {
    const loads: Load[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const server = await start();
      const load = createPolicies(server, `round ${round}`);
      loads.push(load);
      await until(() => load.acknowledged.size > 0);
      await pause(Math.random() * 500);
      await server.stop('SIGKILL');
      await load.done;
      expect(load.acknowledged.size).toBeGreaterThan(0);
    }
    const server = await start();
    checkStored(await listPolicies(server), loads);
    // Whole also means found by its tags, and by its name when one tries to take it again.
    const [name] = loads[0]?.acknowledged.keys() ?? [];
    const tagged = await call(server, 'GET', `/v1/policies?tags=${encodeURIComponent(name ?? '')}`);
    expect(await tagged.json()).toMatchObject({ pagination: { total: 1 } });
    expect((await call(server, 'POST', '/v1/policies', aPolicy(name ?? ''))).status).toBe(409);
  }, 180_000);

  test('leaves whole files and an empty journal after a graceful stop under load', async () => {
    const server = await start();
    const load = createPolicies(server, 'stop');
    await until(() => load.acknowledged.size > 0);
    expect(await server.stop('SIGTERM')).toBe(0);
    await load.done;
    const names = await readdir(dataDir);
    expect(names).toContain('policies.json');
    expect(names).not.toContain('lock');
    checkStored(await listPolicies(await start()), [load]);
  });

  test('refuses to start on a folder that another one uses, and says which', async () => {
    const server = await start();
    await expect(startBuiltServer({ dataDir })).rejects.toThrow(
      new RegExp(`in use by process ${server.process.pid}`),
    );
    expect((await call(server, 'GET', '/v1/policies')).status).toBe(200);
  });

  /** After the disk has failed: nothing more is taken, what is there is served, and a restart agrees. */
  const checkReadOnly = async (server: BuiltServer, load: Load): Promise<void> => {
    await load.done;
    expect(load.acknowledged.size).toBeGreaterThan(0);
    expect(load.refused.length).toBeGreaterThan(0);
    for (const { status, body } of load.refused) {
      expect([status, body]).toEqual([
        503,
        expect.objectContaining({ error: 'unavailable', error_code: 'SRV_002' }),
      ]);
      // Where the files lie is for the log.
      expect(JSON.stringify(body)).not.toContain(dataDir);
    }
    expect((await call(server, 'POST', '/v1/policies', aPolicy('late'))).status).toBe(503);
    expect((await fetch(`${server.baseUrl}/readyz`)).status).toBe(503);
    expect((await fetch(`${server.baseUrl}/healthz`)).status).toBe(200);
    checkStored(await listPolicies(server), [load]);
  };

  const strace = hasTool('strace', () => runTool('strace', '-V'));
  test.skipIf(!strace)(
    'answers 503 when flushes fail (EIO), tells no lie, and recovers',
    async () => {
      const server = await start();
      const load = createPolicies(server, 'eio');
      await until(() => load.acknowledged.size > 0);
      const journals = (await readdir(dataDir)).filter((name) => name.endsWith('.ndjson'));
      const tracer = startTool(
        'strace',
        ...['-f', '-qq', '-o', '/dev/null', '-p', String(server.process.pid)],
        ...['-P', join(dataDir, journals.at(-1) ?? ''), '-e', 'trace=fdatasync'],
        ...['-e', 'inject=fdatasync:error=EIO'],
      );
      try {
        await checkReadOnly(server, load);
      } finally {
        tracer.kill();
      }
      await server.stop('SIGTERM');
      checkStored(await listPolicies(await start()), [load]);
    },
  );

  const mounting = isAllowed('the right to mount a tmpfs', () =>
    runTool('unshare', '-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'),
  );
  test.skipIf(!mounting)('answers 503 when the disk is full (ENOSPC), and recovers', async () => {
    await mkdir(dataDir, { mode: 0o700 });
    runTool('mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', dataDir);
    try {
      const server = await start();
      const load = createPolicies(server, 'full');
      await checkReadOnly(server, load);
      await server.stop('SIGKILL');
      runTool('mount', '-t', 'tmpfs', '-o', 'remount,size=16m', 'tmpfs', dataDir);
      const again = await start();
      checkStored(await listPolicies(again), [load]);
      expect((await call(again, 'POST', '/v1/policies', aPolicy('again'))).status).toBe(201);
      await again.stop();
    } finally {
      // Lazily: a test that failed may have left files open.
      runTool('umount', '-l', dataDir);
    }
  });
});
