import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { contract } from '../../src/contract/contract.ts';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { tempFolder } from '../server/store/lowdb/temp-folder.ts';
import type { TempFolder } from '../server/store/lowdb/temp-folder.ts';
import { startBuiltServer } from '../support/built-cli.ts';
import type { BuiltServer } from '../support/built-cli.ts';
import { canMount, mountSmallDisk } from '../support/small-disk.ts';
import type { SmallDisk } from '../support/small-disk.ts';
import { hasTool, runTool, startTool } from '../support/system-tool.ts';
import { until } from '../support/until.ts';

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

  /** After the disk has failed: nothing more is taken, and what is there is served. */
  const checkReadOnly = async (
    server: BuiltServer,
    load: Load,
    stored: Load = load,
  ): Promise<void> => {
    await load.done;
    expect(stored.acknowledged.size).toBeGreaterThan(0);
    expect(load.refused.length).toBeGreaterThan(0);
    for (const { status, body } of load.refused) {
      expect([status, body]).toEqual([
        503,
        expect.objectContaining({
          error: 'unavailable',
          error_code: 'SRV_002',
          error_description:
            'The service cannot store changes at the moment; nothing was changed, and reads still work',
          hint: expect.stringContaining('disk is full or read-only'),
        }),
      ]);
      // Where the files lie is for the log.
      expect(JSON.stringify(body)).not.toContain(dataDir);
    }
    expect((await call(server, 'POST', '/v1/policies', aPolicy('late'))).status).toBe(503);
    // A load balancer that asks would take away reading, too, where this were another status.
    const ready = await fetch(`${server.baseUrl}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([
      200,
      {
        status: 'degraded',
        reasons: ['store: read-only because its disk cannot be written; see the log'],
      },
    ]);
    expect(await metric(server, 'govctl_store_writable')).toBe('0');
    expect((await fetch(`${server.baseUrl}/healthz`)).status).toBe(200);
    checkStored(await listPolicies(server), [stored]);
  };

  const metric = async (server: BuiltServer, name: string): Promise<string | undefined> =>
    new RegExp(`^${name} (.*)$`, 'm').exec(
      await (await call(server, 'GET', '/metrics')).text(),
    )?.[1];

  /** Once the disk takes changes, without a restart. */
  const checkResumed = async (server: BuiltServer, loads: readonly Load[]): Promise<void> => {
    const before = performance.now();
    await until(async () =>
      (await (await fetch(`${server.baseUrl}/readyz`)).text()).includes('"ready"'),
    );
    // Seconds on a machine that does nothing else.
    expect(performance.now() - before).toBeLessThan(30_000);
    expect(await metric(server, 'govctl_store_writable')).toBe('1');
    checkStored(await listPolicies(server), loads);
    const after = createPolicies(server, `after ${loads.length}`);
    await until(() => after.acknowledged.size > 20);
    await server.stop('SIGKILL');
    await after.done;
    expect(after.refused).toEqual([]);
    checkStored(await listPolicies(await start()), [...loads, after]);
  };

  const strace = hasTool('strace', () => runTool('strace', '-V'));
  // EROFS: as after an error that has the kernel remount a disk.
  test.skipIf(!strace).each(['EIO', 'EROFS'])(
    'answers 503 when flushes fail (%s), tells no lie, and takes changes by itself later',
    async (code) => {
      const server = await start();
      const load = createPolicies(server, code);
      await until(() => load.acknowledged.size > 0);
      const tracer = startTool(
        'strace',
        ...['-f', '-qq', '-o', '/dev/null', '-p', String(server.process.pid)],
        ...['-e', 'trace=fdatasync', '-e', `inject=fdatasync:error=${code}`],
      );
      const ended = new Promise((resolve) => tracer.once('exit', resolve));
      try {
        await checkReadOnly(server, load);
      } finally {
        tracer.kill();
        await ended;
      }
      await checkResumed(server, [load]);
    },
  );

  describe.skipIf(!canMount)('on a disk of a few megabytes', () => {
    let disk: SmallDisk;
    beforeEach(() => {
      disk = mountSmallDisk(join(folder.path, 'disk'), '3m');
      dataDir = join(disk.dir, 'data');
    });
    afterEach(async () => {
      await running?.stop('SIGKILL');
      disk.unmount();
    });

    test('answers 503 when it is full (ENOSPC), and takes changes by itself when there is room', async () => {
      const server = await start();
      const load = createPolicies(server, 'full');
      await until(() => load.acknowledged.size > 20);
      disk.fill();
      await checkReadOnly(server, load);
      disk.makeRoom();
      await checkResumed(server, [load]);
    });

    test.each(['full', 'read-only'] as const)(
      'comes up on one that is %s, serves what is there, and takes changes by itself later',
      async (outage) => {
        const first = await start();
        // Some make a key when they are asked for the first time. Before the load, which would fill the disk meanwhile.
        const reads = await readAll(first);
        const load = createPolicies(first, 'before');
        await until(() => load.acknowledged.size > 20);
        await first.stop('SIGKILL');
        await load.done;
        if (outage === 'full') disk.fill();
        else disk.setReadOnly(true);
        const server = await start();
        expect(await readAll(server)).toEqual(reads);
        await checkReadOnly(server, createPolicies(server, 'refused'), load);
        if (outage === 'full') disk.makeRoom();
        else disk.setReadOnly(false);
        await checkResumed(server, [load]);
      },
    );
  });
});

/** The status that each endpoint has which reads a list, or the whole of something. */
const readAll = async (server: BuiltServer): Promise<readonly string[]> => {
  const paths = Object.values(contract).flatMap((noun) =>
    Object.values(noun).flatMap(({ method, path }: Endpoint) =>
      method === 'GET' && !path.includes(':') && path !== '/readyz' ? [path] : [],
    ),
  );
  expect(paths.length).toBeGreaterThan(30);
  const statuses: string[] = [];
  for (const path of paths) {
    const response = await call(server, 'GET', path);
    await response.arrayBuffer();
    statuses.push(`${response.status} ${path}`);
  }
  return statuses;
};
