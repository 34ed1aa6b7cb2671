import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { startServer } from '../../src/server/start.ts';
import type { RunningServer } from '../../src/server/start.ts';
import { until } from '../support/until.ts';

let folder: string;
let server: RunningServer;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'govctl-bodies-'));
  server = await startServer({
    host: '127.0.0.1',
    port: 0,
    dataDir: path.join(folder, 'data'),
    store: 'lowdb',
    allowTargets: [],
    metrics: false,
    logLevel: 'silent',
  });
});
afterEach(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Sends the head of a large body and its first bytes. */
function halfSend(key: string) {
  const socket = connect(server.port, '127.0.0.1');
  let got = '';
  socket.on('error', () => undefined).on('data', (chunk) => (got += chunk.toString('latin1')));
  const lines = [
    'POST /v1/policies/validate HTTP/1.1',
    'Host: x',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    'Content-Length: 1000000',
  ];
  socket.write([...lines, '', '{"resources": ['].join('\r\n'));
  onTestFinished(() => void socket.destroy());
  return { socket, got: () => got };
}

const large = JSON.stringify({
  resources: [{ id: 'r', type: 'A::B::C', filler: 'x'.repeat(100_000) }],
});
const validate = async (key: string): Promise<number> => {
  const answer = await fetch(`${server.baseUrl}/v1/policies/validate`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: large,
  });
  await answer.arrayBuffer();
  return answer.status;
};

it('one key that sends many large bodies at once has some of them wait, and no other key', async () => {
  const owner = server.apiKey?.key ?? '';
  const created = await fetch(`${server.baseUrl}/v1/api-keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'greedy', scopes: ['governance:read'] }),
  });
  const { key: greedy } = (await created.json()) as { key: string };
  const halves = Array.from({ length: 4 }, () => halfSend(greedy));
  let status: number | undefined;
  // The four are there when one more waits: another key's is answered, and it is not.
  await until(async () => {
    const asked = validate(greedy).then((got) => (status = got));
    expect(await validate(owner)).toBe(200);
    if (status === undefined) return true;
    await asked;
    status = undefined;
    return false;
  });
  expect(await validate(owner)).toBe(200);
  expect(status).toBeUndefined();
  for (const { socket } of halves) socket.destroy();
  await until(() => status !== undefined);
  expect(status).toBe(200);
});
