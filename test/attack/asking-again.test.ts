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

/** A listener that writes down the paths of requests in the order in which they are begun. */
async function startListener(
  seen: (peer: Peer, pathname: string) => void,
): Promise<{ begun: string[]; open: () => Socket }> {
  const begun: string[] = [];
  const listener = await listen({
    host: '127.0.0.1',
    port: 0,
    fetch: (request, peer) => {
      const { pathname } = new URL(request.url);
      begun.push(pathname);
      seen(peer, pathname);
      return new Response(pathname);
    },
    refuse: (status) => new Response('', { status }),
  });
  onTestFinished(async () => {
    await listener.stopListening();
    await listener.close(0);
  });
  const open = (): Socket => {
    const socket = connect(listener.port, '127.0.0.1').on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    return socket;
  };
  return { begun, open };
}

const trust = (peer: Peer, pathname: string): void =>
  void (pathname !== '/new' && peer.trust?.('a token'));

it.each([
  ['show no token', () => {}],
  ['show one token', trust],
])('of connections that %s', async (_, seen) => {
  const { begun, open } = await startListener(seen);
  const many = Array.from({ length: connections }, () => open().resume());
  for (const socket of many) ask(socket, '/first');
  await until(() => begun.length === connections);

  for (const socket of many) ask(socket, '/again');
  ask(open().resume(), '/new');
  await until(() => begun.length === 2 * connections + 1);
  expect(begun.indexOf('/new') - connections).toBeLessThan(connections / 2);
});

it('accepts who waits before a caller has had many turns', async () => {
  const { begun, open } = await startListener(trust);
  const others = connections / 4;
  const isOver = (): boolean => begun.filter((path) => path === '/new').length === others;
  for (let nth = 0; nth < connections; nth++) {
    const socket = open().on('data', () => isOver() || ask(socket, '/again'));
    ask(socket, '/first');
  }
  await until(() => begun.filter((path) => path === '/again').length > connections);

  const from = begun.length;
  for (let nth = 0; nth < others; nth++) ask(open().resume(), '/new');
  await until(isOver);
  const between = begun.slice(from, begun.lastIndexOf('/new'));
  expect(between.filter((path) => path === '/again').length).toBeLessThan(5 * others);
});

it('keeps the order of what a connection sends at once, though it shows a token in between', async () => {
  const { begun, open } = await startListener((peer, pathname) => {
    if (pathname === '/2') peer.trust?.('a token');
  });
  let got = '';
  const socket = open().on('data', (data) => (got += data.toString()));
  const paths = Array.from({ length: 50 }, (_, nth) => `/${nth}`);
  for (const path of paths) ask(socket, path);
  await until(() => begun.length === 50 && got.endsWith('/49'));
  expect(begun).toEqual(paths);
});
