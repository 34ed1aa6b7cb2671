// Hundreds of connections that ask again and again: somebody new is answered before all of them are.
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { listen } from '../../src/server/http/listener.ts';
import type { Peer } from '../../src/server/http/peer.ts';
import { until } from '../support/until.ts';

const connections = 400;

const ask = (socket: Socket, path: string): void =>
  void socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);

it.each([
  ['show no token', () => {}],
  ['show one token', (peer: Peer) => peer.trust?.('a token')],
])('of connections that %s', async (_, seen) => {
  /** Paths of requests, in the order in which they were begun. */
  const begun: string[] = [];
  const listener = await listen({
    host: '127.0.0.1',
    port: 0,
    fetch: (request, peer) => {
      const { pathname } = new URL(request.url);
      begun.push(pathname);
      if (pathname !== '/new') seen(peer);
      return new Response('');
    },
    refuse: (status) => new Response('', { status }),
  });
  onTestFinished(() => {
    listener.stopListening();
    return listener.close(0);
  });
  const open = (): Socket => {
    const socket = connect(listener.port, '127.0.0.1').on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    return socket.resume();
  };
  const many = Array.from({ length: connections }, open);
  for (const socket of many) ask(socket, '/first');
  await until(() => begun.length === connections);

  for (const socket of many) ask(socket, '/again');
  ask(open(), '/new');
  await until(() => begun.length === 2 * connections + 1);
  expect(begun.indexOf('/new') - connections).toBeLessThan(connections / 2);
});

it('keeps the order of what a connection sends at once, though it shows a token in between', async () => {
  const begun: string[] = [];
  const listener = await listen({
    host: '127.0.0.1',
    port: 0,
    fetch: (request, peer) => {
      const { pathname } = new URL(request.url);
      begun.push(pathname);
      if (pathname === '/2') peer.trust?.('a token');
      return new Response(pathname);
    },
    refuse: (status) => new Response('', { status }),
  });
  onTestFinished(() => {
    listener.stopListening();
    return listener.close(0);
  });
  let got = '';
  const socket = connect(listener.port, '127.0.0.1').on('data', (data) => (got += data.toString()));
  onTestFinished(() => void socket.destroy());
  const paths = Array.from({ length: 50 }, (_, nth) => `/${nth}`);
  for (const path of paths) ask(socket, path);
  await until(() => begun.length === 50 && got.endsWith('/49'));
  expect(begun).toEqual(paths);
});
