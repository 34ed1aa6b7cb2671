import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { tempFolder } from '../server/store/lowdb/temp-folder.ts';
import type { TempFolder } from '../server/store/lowdb/temp-folder.ts';
import { binary, cleanEnvironment, runCli, startBuiltServer } from '../support/built-cli.ts';
import type { BuiltServer, CliResult } from '../support/built-cli.ts';
import { canMount, mountSmallDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';

let folder: TempFolder;
let server: BuiltServer;
let env: Readonly<Record<string, string>>;
let archives: string;
/** A server with some hundred events, which archives contain once they are over a second old. */
beforeEach(async () => {
  folder = await tempFolder();
  archives = join(folder.path, 'archives');
  server = await startBuiltServer();
  env = { GOVCTL_BASE_URL: server.baseUrl, GOVCTL_TOKEN: server.key };
  for (let n = 0; n < 200; n += 1) {
    const made = await fetch(`${server.baseUrl}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'scan.failed' }),
    });
    expect(made.status).toBe(201);
  }
  const later = await runCli(['server', 'clock', 'advance', '1m'], { env });
  expect([later.exitCode, later.stderr]).toEqual([0, '']);
});
afterEach(async () => {
  await server.stop('SIGKILL');
  await folder.remove();
});

const archive = (to = archives): Promise<CliResult> => runCli(['server', 'archive', to], { env });

/** Names in a directory, but for what only a run that was killed leaves. */
const namesIn = async (dir: string): Promise<readonly string[]> => (await readdir(dir)).sort();
const whole = (names: readonly string[]): readonly string[] =>
  names.filter((name) => !name.startsWith('.'));

/** IDs of the events that archives contain. */
async function eventsIn(dir: string): Promise<readonly string[]> {
  return whole(await namesIn(dir)).flatMap((name) =>
    gunzipSync(readFileSync(join(dir, name, 'events.ndjson.gz')))
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: string }).id),
  );
}

/** Lets the reading of events take until the process that reads is gone, once. */
async function holdEvents(): Promise<void> {
  const { exitCode, stderr } = await runCli(
    ['server', 'fault', 'add', '/v1/archive/events', '--delay', '20s', '--count', '1'],
    { env },
  );
  expect([exitCode, stderr]).toEqual([0, '']);
}

/** A run that reads events, and waits for them. */
async function startHeld() {
  await holdEvents();
  const child = spawn(process.execPath, [binary, 'server', 'archive', archives], {
    env: cleanEnvironment(env),
    stdio: 'ignore',
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  await until(async () => {
    const names = await readdir(archives).catch(() => []);
    return names.some((name) => name.endsWith('.part'));
  });
  return { child, ended };
}

describe('govctl server archive, as a process', () => {
  test('leaves nothing without a server', async () => {
    await server.stop();
    const { exitCode, stderr } = await archive();
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(server.baseUrl)]);
    expect(await namesIn(archives)).toEqual([]);
  });

  test('has everything once, also where the run before was killed', async () => {
    const { child, ended } = await startHeld();
    child.kill('SIGKILL');
    await ended;
    expect(whole(await namesIn(archives))).toEqual([]);
    const { exitCode, stderr } = await archive();
    expect([exitCode, stderr]).toEqual([0, '']);
    const names = await namesIn(archives);
    expect(names).toEqual(whole(names));
    const ids = await eventsIn(archives);
    expect([new Set(ids).size, ids.length]).toEqual([ids.length, ids.length]);
    expect(ids.length).toBeGreaterThanOrEqual(200);
  });

  test('is refused while another run writes to the directory, and says which', async () => {
    const { child, ended } = await startHeld();
    const second = await archive();
    expect([second.exitCode, second.stderr]).toEqual([
      1,
      expect.stringContaining(`Process ${child.pid} is writing an archive to ${archives}`),
    ]);
    expect(await ended).toBe(0);
    const names = await namesIn(archives);
    expect([names, names.length]).toEqual([whole(names), 1]);
  });

  test.skipIf(!canMount)('leaves nothing on a disk that gets full, at any size', async () => {
    const disk = mountSmallDisk(join(folder.path, 'disk'), '4k');
    try {
      const to = join(disk.dir, 'archives');
      for (const size of ['4k', '8k', '12k']) {
        disk.resize(size);
        const { exitCode, stderr } = await archive(to);
        expect([size, exitCode, stderr]).toEqual([
          size,
          1,
          expect.stringContaining('the disk is full'),
        ]);
        expect([size, await namesIn(to)]).toEqual([size, []]);
      }
      disk.resize('4m');
      expect((await archive(to)).exitCode).toBe(0);
      expect((await eventsIn(to)).length).toBeGreaterThanOrEqual(200);
    } finally {
      disk.unmount();
    }
  });
});
