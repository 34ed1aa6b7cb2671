import { spawn } from 'node:child_process';
import { cp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dataDirectories } from '../../src/server/offline.ts';
import { tempFolder } from '../server/store/lowdb/temp-folder.ts';
import type { TempFolder } from '../server/store/lowdb/temp-folder.ts';
import { binary, cleanEnvironment, runCli, startBuiltServer } from '../support/built-cli.ts';
import type { BuiltServer } from '../support/built-cli.ts';

const rounds = Number(process.env['GOVCTL_CRASH_ROUNDS'] ?? 2);

let folder: TempFolder;
let dataDir: string;
const running = new Set<BuiltServer>();
beforeEach(async () => {
  folder = await tempFolder();
  dataDir = join(folder.path, 'data');
});
afterEach(async () => {
  for (const server of running) await server.stop('SIGKILL');
  running.clear();
  await folder.remove();
});

async function start(dir: string): Promise<BuiltServer> {
  const server = await startBuiltServer({ dataDir: dir });
  running.add(server);
  return server;
}

async function call(server: BuiltServer, method: string, path: string, body?: object) {
  const response = await fetch(`${server.baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

const aPolicy = (name: string): object => ({
  name,
  description: 'd'.repeat(2_000),
  resource_type: 'AWS::S3::Bucket',
  severity: 'HIGH',
  rules: [{ condition: 'resource.encrypted == false', effect: 'DENY', message: 'Encrypt it.' }],
});

/** Names of all policies, and the numbers of the events that created them. */
async function listStored(server: BuiltServer) {
  const names = new Set<string>();
  const sequences: number[] = [];
  for (const [noun, take] of [
    ['policies', (row: { name: string }) => void names.add(row.name)],
    ['events', (row: { sequence: number }) => void sequences.push(row.sequence)],
  ] as const) {
    for (let cursor = ''; ;) {
      const { json } = await call(server, 'GET', `/v1/${noun}?limit=100${cursor}`);
      for (const row of json[noun] as never[]) take(row);
      const { next_cursor: next } = json['pagination'] as { next_cursor?: string };
      if (next === undefined) break;
      cursor = `&cursor=${encodeURIComponent(next)}`;
    }
  }
  return { names, sequences };
}

const reading = { signal: new AbortController().signal, progress: () => undefined };

test('backups of a server under load, verified and restored elsewhere, have all that was acknowledged before, in one sequence', async () => {
  const server = await start(dataDir);
  const acknowledged: string[] = [];
  let isOver = false;
  const writing = Array.from({ length: 4 }, async (_, lane) => {
    for (let n = 0; !isOver; n += 1) {
      const name = `p-${lane}-${n}`;
      const { status } = await call(server, 'POST', '/v1/policies', aPolicy(name));
      if (status === 201) acknowledged.push(name);
    }
  });
  const backups: { readonly dir: string; readonly before: readonly string[] }[] = [];
  for (let at = 1; at <= Math.min(20, 2 * rounds); at += 1) {
    const before = [...acknowledged];
    const dir = join(folder.path, `b${at}`);
    await dataDirectories.backup({
      ...{ ...reading, source: dataDir, target: dir, version: '1', now: Date.now },
      withSecretKey: true,
    });
    backups.push({ dir, before });
  }
  isOver = true;
  await Promise.all(writing);
  for (const { dir, before } of backups) {
    expect(await dataDirectories.verify({ ...reading, dir })).toMatchObject({ damage: [] });
    const target = `${dir}-restored`;
    await dataDirectories.restore({ ...reading, dir, target, force: false, now: Date.now });
    const restored = await start(target);
    const { names, sequences } = await listStored(restored);
    expect(before.filter((name) => !names.has(name))).toEqual([]);
    const last = Math.max(...sequences);
    expect(sequences.sort((a, b) => a - b)).toEqual(Array.from({ length: last }, (_, n) => n + 1));
    expect((await call(restored, 'POST', '/v1/policies', aPolicy('after'))).status).toBe(201);
    await restored.stop();
    running.delete(restored);
  }
  await server.stop();
});

/** Runs the built program, and kills it after so many milliseconds. @returns whether it ended before */
const runAndKill = (args: readonly string[], ms: number): Promise<boolean> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, [binary, ...args], {
      env: cleanEnvironment(),
      stdio: 'ignore',
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), ms);
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve(code === 0);
    });
  });

test('a backup or a restore that is killed at any moment leaves nothing that passes for a complete one', async () => {
  const server = await start(dataDir);
  const created = await Promise.all(
    Array.from({ length: 300 }, (_, n) => call(server, 'POST', '/v1/policies', aPolicy(`p${n}`))),
  );
  expect(created.map(({ status }) => status)).toEqual(created.map(() => 201));
  const good = join(folder.path, 'good');
  const took = performance.now();
  expect(await runCli(['server', 'backup', good, '--data-dir', dataDir])).toMatchObject({ exitCode: 0 }); // prettier-ignore
  const longest = performance.now() - took;

  const check = async (name: string, ended: boolean): Promise<void> => {
    const names = await readdir(folder.path);
    if (names.includes(name)) {
      const verified = await dataDirectories.verify({ ...reading, dir: join(folder.path, name) });
      // Only its last step may be missing: then it says that it is not complete.
      if (!verified.intact) expect(verified.damage.map(({ file }) => file)).toEqual(['unfinished']);
      else expect(verified.records?.['policies']).toBe(300);
    } else expect(ended).toBe(false);
    if (names.includes(`${name}.partial`)) {
      const left = join(folder.path, `${name}.partial`);
      expect(await runCli(['server', 'verify', left]), name).toMatchObject({ exitCode: 1 });
    }
  };
  for (let at = 0; at < 2 * rounds; at += 1) {
    const ms = longest * (0.4 + (0.7 * at) / (2 * rounds));
    const backup = join(folder.path, 'b');
    await check('b', await runAndKill(['server', 'backup', backup, '--data-dir', dataDir], ms));
    await check('r', await runAndKill(['server', 'restore', good, '--data-dir', join(folder.path, 'r')], ms)); // prettier-ignore
    await rm(backup, { recursive: true, force: true });
    await rm(join(folder.path, 'r'), { recursive: true, force: true });
  }
  // What was left is no obstacle to the next one.
  expect(await runCli(['server', 'backup', join(folder.path, 'b'), '--data-dir', dataDir])).toMatchObject({ exitCode: 0 }); // prettier-ignore
  await cp(good, join(folder.path, 'copied'), { recursive: true });
  expect(await runCli(['server', 'verify', join(folder.path, 'copied')])).toMatchObject({ exitCode: 0 }); // prettier-ignore
  await server.stop();
});
