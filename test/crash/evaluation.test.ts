import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tempFolder } from '../server/store/lowdb/temp-folder.ts';
import type { TempFolder } from '../server/store/lowdb/temp-folder.ts';
import { startBuiltServer } from '../support/built-cli.ts';
import type { BuiltServer } from '../support/built-cli.ts';

const resources = 1_500;
const policies = 20;

let folder: TempFolder;
let running: BuiltServer | undefined;
beforeEach(async () => void (folder = await tempFolder()));
afterEach(async () => {
  await running?.stop('SIGKILL');
  running = undefined;
  await folder.remove();
});

const start = async (): Promise<BuiltServer> =>
  (running = await startBuiltServer({ dataDir: join(folder.path, 'data') }));

async function ask(
  server: BuiltServer,
  method: string,
  path: string,
  text?: string,
  type = 'application/json',
): Promise<Record<string, unknown>> {
  const response = await fetch(`${server.baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${server.key}`, 'content-type': type },
    ...(text === undefined ? {} : { body: text }),
  });
  if (!response.ok)
    throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks again and again until the answer will do. */
async function until<T>(ask: () => Promise<T>, isEnough: (answer: T) => boolean): Promise<T> {
  for (let tries = 0; tries < 3_000; tries++) {
    const answer = await ask();
    if (isEnough(answer)) return answer;
    await pause(10);
  }
  throw new Error('it did not come to that');
}

const openIn = async (server: BuiltServer): Promise<number> => {
  const page = await ask(server, 'GET', '/v1/violations?status=OPEN&limit=1');
  return (page.pagination as { total: number }).total;
};

test('background evaluation that was killed goes on where it was, and counts nothing twice', async () => {
  let server = await start();
  const lines = Array.from({ length: resources }, (_, at) =>
    JSON.stringify({ id: `r-${at}`, type: 'AWS::S3::Bucket', size: at }),
  );
  const ndjson = 'application/x-ndjson';
  await ask(server, 'POST', '/v1/resources/import', lines.join('\n'), ndjson);
  for (let at = 0; at < policies; at++) {
    const rules = [{ condition: `resource.size % 10 == ${at % 10}`, effect: 'DENY' }];
    const policy = { name: `p ${at}`, resource_type: 'AWS::S3::Bucket', rules };
    await ask(server, 'POST', '/v1/policies', JSON.stringify(policy));
  }
  const expected = (resources / 10) * policies;
  // Three times in the middle of it, at places of chance.
  let before = 0;
  for (let round = 1; round <= 3; round++) {
    const goal = before + 1 + Math.floor(Math.random() * (expected / 5));
    const reached = await until(
      () => openIn(server),
      (open) => open >= Math.min(goal, expected),
    );
    await server.stop('SIGKILL');
    server = await start();
    before = await openIn(server);
    expect(before).toBeGreaterThanOrEqual(reached);
  }
  await until(
    () => openIn(server),
    (open) => open >= expected,
  );
  const scan = await ask(server, 'POST', '/v1/scans', '{}');
  const read = () => ask(server, 'GET', `/v1/scans/${String(scan.id)}`);
  await until(read, ({ progress }) => Number(progress) > 0);
  await server.stop('SIGKILL');
  server = await start();
  const done = await until(read, ({ status }) => status === 'completed');
  expect(done).toMatchObject({
    resources_scanned: resources,
    summary: { evaluated: resources * policies, fail: expected, error: 0 },
  });
  expect(await openIn(server)).toBe(expected);
}, 180_000);
