import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { listen } from '../../src/server/http/listener.ts';
import { startTestService } from '../server/test-service.ts';
import { startCpuTime } from '../support/cpu-time.ts';
import { until } from '../support/until.ts';

const request = 'GET /some HTTP/1.1\r\nHost: x\r\n\r\n';

/** @returns the port of a listener that answers so. */
async function listening(
  fetch: () => Response | Promise<Response>,
  refuse = (status: number, said: string) => new Response(said, { status }),
): Promise<number> {
  const listener = await listen({ host: '127.0.0.1', port: 0, fetch, refuse });
  onTestFinished(async () => {
    await listener.stopListening();
    await listener.close(0);
  });
  return listener.port;
}

/** A connection that has sent something, and reads nothing. */
function send(port: number, text: string) {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  socket.pause();
  socket.write(text);
  return socket;
}

/** @returns how often it was called in each turn of the event loop, until it is over */
async function inTurns(count: () => number, isOver: () => boolean): Promise<number[]> {
  const turns: number[] = [];
  for (let before = count(); !isOver(); before = count()) {
    await new Promise((resolve) => setImmediate(resolve));
    turns.push(count() - before);
  }
  return turns;
}

it('of many requests over one connection one is worked on, until its answer has been taken', async () => {
  let asked = 0;
  const long = 'x'.repeat(16 << 20);
  const port = await listening(() => {
    asked += 1;
    return new Response(long);
  });
  const reader = send(port, request.repeat(3));
  await until(() => asked > 0);
  await sleep(300);
  expect(asked).toBe(1);
  let got = 0;
  reader.on('data', (chunk) => (got += chunk.length)).resume();
  await until(() => got >= 3 * long.length);
  expect(asked).toBe(3);
});

it('many requests over few connections let others have their turn', async () => {
  let asked = 0;
  const port = await listening(() => {
    asked += 1;
    return new Response('short');
  });
  for (let n = 0; n < 5; n += 1) send(port, request.repeat(200)).resume();
  const turns = await inTurns(
    () => asked,
    () => asked === 1_000,
  );
  expect(Math.max(...turns)).toBeLessThanOrEqual(50);
});

it('a connection with more requests than can wait is closed, and what it sent is forgotten', async () => {
  let isStuck = true;
  const port = await listening(() =>
    isStuck ? new Promise<Response>(() => undefined) : new Response('short'),
  );
  const flood = send(port, request.repeat(30_000)).resume();
  let isClosed = false;
  flood.once('close', () => (isClosed = true));
  await until(() => isClosed);
  isStuck = false;
  let got = '';
  send(port, request.repeat(500))
    .on('data', (chunk) => (got += chunk.toString()))
    .resume();
  await until(() => got.split('200 OK').length > 500);
});

it('a request that expects what there is not waits behind others, and is then refused', async () => {
  let answer: (() => void) | undefined;
  let refused = 0;
  const port = await listening(
    () => new Promise<Response>((resolve) => (answer = () => resolve(new Response('short')))),
    (status, said) => {
      refused += 1;
      return new Response(said, { status });
    },
  );
  let got = '';
  const expecting = request.replace('\r\n\r\n', '\r\nExpect: x\r\n\r\n');
  send(port, request + expecting.repeat(50))
    .on('data', (chunk) => (got += chunk.toString()))
    .resume();
  await until(() => answer !== undefined);
  await sleep(300);
  expect(refused).toBe(0);
  answer?.();
  await until(() => got.split('HTTP/1.1 417 ').length > 50);
});

it('long answers that a caller asks for at once are made in turn, and others do not wait for them', async () => {
  const service = await startTestService();
  onTestFinished(() => service.close());
  const [key, other] = [await service.keyWith('governance:read'), service.key];
  const body = JSON.stringify({
    id: 'long',
    type: 'AWS::S3::Bucket',
    provider: 'aws',
    name: 'n',
    text: 'x'.repeat(900_000),
  });
  const ask = async (token: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const sent = new Request('http://service.test/v1/resources/long', { headers, ...init });
    return (await service.app.fetch(sent, {})).status;
  };
  expect(await ask(other, { method: 'PUT', body })).toBe(201);
  // What was made for them before is of another turn.
  await new Promise((resolve) => setImmediate(resolve));
  let answered = 0;
  const all = Array.from({ length: 30 }, () => ask(key).finally(() => (answered += 1)));
  expect(await ask(other)).toBe(200);
  expect(answered).toBeLessThan(5);
  const turns = await inTurns(
    () => answered,
    () => answered === 30,
  );
  expect(Math.max(...turns)).toBeLessThan(5);
  expect(new Set(await Promise.all(all))).toEqual(new Set([200]));
});

it('paths of very many parts are compared with those there are in time with their length', async () => {
  const service = await startTestService();
  onTestFinished(() => service.close());
  const asked = new Request(`http://localhost/${'/'.repeat(30_000)}`);
  const spent = startCpuTime();
  for (let n = 0; n < 1_000; n++) expect((await service.app.fetch(asked, {})).status).toBe(404);
  // Split once for each endpoint, they took 40 s.
  expect(spent()).toBeLessThan(10_000);
});
