// As many webhooks as there can be, whose receivers do all they can to fill the server.
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AddressInfo, Server, Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { systemClock } from '../../src/server/deps.ts';
import { events as storedEvents } from '../../src/server/events/collection.ts';
import { emit } from '../../src/server/events/emit.ts';
import { parseRanges } from '../../src/server/http/address.ts';
import { systemResolve } from '../../src/server/outbound/resolve.ts';
import { createSender } from '../../src/server/outbound/send.ts';
import type { Outcome, Send, Sender } from '../../src/server/outbound/send.ts';
import { allRows, countRows } from '../../src/server/store/all-rows.ts';
import { webhookLanes } from '../../src/server/webhooks/collection.ts';
import { answers, deliveries, ofWebhook } from '../../src/server/webhooks/delivery/collection.ts';
import { startTestService } from '../server/test-service.ts';
import type { TestService } from '../server/test-service.ts';
import { until } from '../support/until.ts';

const head = 'HTTP/1.1 200 OK\r\n';
const long = 'x'.repeat(65_536);

/** Writes the same again and again, as fast as it is taken. */
function pour(socket: Socket, text: string): void {
  const more = (): void => {
    while (socket.writable && socket.write(text));
    socket.once('drain', more);
  };
  more();
}

/** What each kind of receiver does with a request. */
const kinds: Readonly<Record<string, (socket: Socket) => void>> = {
  'never answers': () => undefined,
  'answers a byte now and then': (socket) => {
    let at = 0;
    const text = `${head}x-long: ${long}`;
    const timer = setInterval(() => socket.write(text[at++] ?? 'x'), 100);
    socket.on('close', () => clearInterval(timer));
  },
  'answers a body without end': (socket) => {
    socket.write(`${head}content-length: 1000000000000\r\n\r\n`);
    pour(socket, long);
  },
  'answers a body of a byte now and then': (socket) => {
    socket.write(`${head}transfer-encoding: chunked\r\n\r\n`);
    const timer = setInterval(() => socket.write('1\r\nx\r\n'), 100);
    socket.on('close', () => clearInterval(timer));
  },
  'answers headers without end': (socket) => {
    socket.write(head);
    pour(socket, 'a: b\r\n'.repeat(10_000));
  },
  'answers a header of a megabyte': (socket) => {
    socket.write(`${head}x-long: ${long.repeat(16)}\r\ncontent-length: 0\r\n\r\n`);
  },
  'redirects to itself': (socket) => {
    socket.write('HTTP/1.1 302 Found\r\nlocation: /\r\ncontent-length: 0\r\n\r\n');
  },
  'closes in the middle of a body': (socket) => {
    socket.end(`${head}content-length: 100000\r\n\r\n${long}`);
  },
  'wants its connection kept for a day': (socket) => {
    socket.write(`${head}keep-alive: timeout=86400\r\ncontent-length: 0\r\n\r\n`);
  },
  'answers without having been asked': (socket) => pour(socket, `${head}content-length: 0\r\n\r\n`),
};

interface Receiver {
  readonly kind: string;
  readonly url: string;
  readonly server: Server;
  readonly sockets: Set<Socket>;
  most: number;
}

async function listen(kind: string, answer: (socket: Socket) => void): Promise<Receiver> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    receiver.most = Math.max(receiver.most, sockets.size);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    socket.on('data', (bytes) => {
      if (bytes.toString('latin1').includes('POST ')) answer(socket);
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = { kind, url: `http://127.0.0.1:${port}/`, server, sockets, most: 0 };
  return receiver;
}

let service: TestService;
let sender: Sender;
let receivers: readonly Receiver[] = [];
afterEach(async () => {
  await service.close();
  await sender.close();
  for (const { server, sockets } of receivers) {
    for (const socket of sockets) socket.destroy();
    await new Promise((closed) => server.close(closed));
  }
});

const webhookCount = 250;
const eventCount = 4;
/** The most requests to one host at once, see docs/webhooks.md. */
const mostOfHost = 64;
const longestBody = 65_536;

it('receivers of every hostile kind hold few connections and bytes, and no delivery is lost', async () => {
  const rules = { local: true, allowed: parseRanges([]) };
  sender = createSender({ rules, resolve: systemResolve }, systemClock);
  let underWay = 0;
  let mostUnderWay = 0;
  const outcomes: Outcome[] = [];
  const receive: Send = async (outgoing, signal) => {
    underWay += 1;
    mostUnderWay = Math.max(mostUnderWay, underWay);
    try {
      const outcome = await sender.send(outgoing, signal);
      outcomes.push(outcome);
      return outcome;
    } finally {
      underWay -= 1;
    }
  };
  service = await startTestService({ receive });
  receivers = await Promise.all(
    Object.entries(kinds).map(([kind, answer]) => listen(kind, answer)),
  );
  const { deps } = service;
  const ids: string[] = [];
  for (let n = 0; n < webhookCount; n += 1) {
    const { json, status } = await service.send('POST', '/v1/webhooks', {
      body: {
        url: receivers[n % receivers.length]?.url,
        events: ['scan.failed'],
        secret: 'a-long-enough-secret',
        timeout_seconds: 1,
        retry_config: { max_attempts: 2, backoff_multiplier: 1 },
      },
    });
    expect(status).toBe(201);
    ids.push(String(json.id));
  }
  for (let n = 0; n < eventCount; n += 1) {
    await deps.store.transact((tx) => emit(deps, tx, 'scan.failed', { scan: { id: `s${n}` } }));
  }
  // Each has been asked at least once, and those that answer soon have all their events behind them.
  const ended = (id: string) => countRows(deps.store, deliveries, ofWebhook(id, ['succeeded', 'failed'])); // prettier-ignore
  const kindOf = (at: number) => receivers[at % receivers.length]?.kind;
  const quick = ids.filter((_, at) => kindOf(at) === 'wants its connection kept for a day');
  const isOver = async (): Promise<boolean> => {
    for (const id of ids) {
      if ((await countRows(deps.store, deliveries, ofWebhook(id))) === 0) return false;
    }
    for (const id of quick) if ((await ended(id)) < eventCount) return false;
    return true;
  };
  while (!(await isOver())) {
    // What is to be tried again is due.
    service.advance(1_000);
    service.deliveries?.poke();
    await sleep(50);
  }
  for (const { kind, most } of receivers) {
    // One more while the connection of a request that was given up is closed.
    expect([kind, most <= 2 * mostOfHost]).toEqual([kind, true]);
  }
  expect(mostUnderWay).toBeLessThanOrEqual(webhookCount);
  const bodies = outcomes.map(({ body = '' }) => Buffer.byteLength(body));
  expect(Math.max(...bodies)).toBeLessThanOrEqual(longestBody);
  const headers = outcomes.map((one) => JSON.stringify(one.headers ?? {}).length);
  expect(Math.max(...headers)).toBeLessThan(20_000);

  await service.deliveries?.stop(5_000);
  // Everything is there: it has ended, or waits for its next attempt or its turn.
  for (const [at, id] of ids.entries()) {
    const { waiting } = await deps.store.laneState(webhookLanes, id);
    expect([kindOf(at), (await ended(id)) + waiting]).toEqual([kindOf(at), eventCount]);
  }
  expect(await countRows(deps.store, storedEvents, { type: { any: ['scan.failed'] } })).toBe(
    eventCount,
  );
  for await (const { doc } of allRows(deps.store, deliveries, {})) {
    for (const attempt of doc.attempts) expect(JSON.stringify(attempt).length).toBeLessThan(6_000);
  }
  expect(await countRows(deps.store, answers)).toBeLessThanOrEqual(1_000);
  // However long a receiver wants a connection kept, none of them is.
  await until(() => Promise.resolve(receivers.every(({ sockets }) => sockets.size === 0)));
});
