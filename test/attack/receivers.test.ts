import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { bytesInUse } from '../support/bytes-in-use.ts';
import { systemClock } from '../../src/server/deps.ts';
import { parseRanges } from '../../src/server/http/address.ts';
import { systemResolve } from '../../src/server/outbound/resolve.ts';
import { createSender } from '../../src/server/outbound/send.ts';
import type { Outcome, Sender } from '../../src/server/outbound/send.ts';

let sender: Sender;
const servers: Server[] = [];
const sockets = new Set<Socket>();
beforeEach(() => {
  const rules = { local: true, allowed: parseRanges([]) };
  sender = createSender({ rules, resolve: systemResolve }, systemClock);
});
afterEach(async () => {
  await sender.close();
  for (const socket of sockets) socket.destroy();
  for (const server of servers.splice(0)) await new Promise((closed) => server.close(closed));
});

/** A receiver that answers these texts, the last one again and again. @returns its url */
async function listen(begin: string, again?: string): Promise<string> {
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.once('data', () => {
      const more = (): void => {
        while (socket.writable && socket.write(again ?? ''));
        socket.once('drain', more);
      };
      socket.write(begin);
      if (again !== undefined) more();
    });
  });
  servers.push(server);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** What comes of so many requests at once. */
function sendMany(url: string, count = 100): Promise<Outcome[]> {
  const signal = new AbortController().signal;
  const outgoing = { url, headers: {}, body: '{}', timeoutMs: 60_000 };
  return Promise.all(Array.from({ length: count }, () => sender.send(outgoing, signal)));
}

const kinds = (outcomes: readonly Outcome[], kindOf: (outcome: Outcome) => unknown) => [
  ...new Set(outcomes.map(kindOf)),
];

it('of an answer with endless short headers, no more is parsed than a beginning', async () => {
  const outcomes = await sendMany(await listen('HTTP/1.1 200 OK\r\n', 'A:\r\n'.repeat(16_384)));
  expect(kinds(outcomes, ({ error }) => error)).toEqual([
    'the response has too many or too large headers',
  ]);
});

it('a receiver that never gets further than interim answers is given up', async () => {
  const early = 'HTTP/1.1 103 Early Hints\r\n\r\n';
  const outcomes = await sendMany(await listen(early, early.repeat(2_000)));
  expect(kinds(outcomes, ({ error }) => error)).toEqual([
    'returned 103 more than 16 times instead of a final response',
  ]);
});

it('a connection that has ended is let go of', async () => {
  const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n';
  const url = await listen(answer);
  await sendMany(url);
  const before = bytesInUse();
  for (let round = 0; round < 20; round += 1) await sendMany(url);
  expect(bytesInUse() - before).toBeLessThan(4 << 20);
});

it('an answer in pieces of a byte is read in part, and counts by its status', async () => {
  const begin = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
  const outcomes = await sendMany(await listen(begin, '1\r\nx\r\n'.repeat(10_000)));
  expect(kinds(outcomes, ({ status, truncated }) => [status, truncated].join())).toEqual([
    '200,true',
  ]);
  expect(Math.max(...outcomes.map(({ body = '' }) => body.length))).toBeLessThan(2_000);
});
