import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { listen } from '../../src/server/http/listener.ts';
import { until } from '../support/until.ts';

const request = 'GET /some HTTP/1.1\r\nHost: x\r\n\r\n';
const inChunks = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';

/** A listener whose answers begin, and go on and end when they are told to; and what a connection to it has got. */
async function connected() {
  const ends: (() => void)[] = [];
  const refused: number[] = [];
  const fetch = (): Response => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(Buffer.from('begun,'));
        ends.push(() => {
          controller.enqueue(Buffer.from('ended'));
          controller.close();
        });
      },
    });
    return new Response(body);
  };
  const refuse = (status: number, said: string): Response => {
    refused.push(status);
    return new Response(said, { status });
  };
  const listener = await listen({ host: '127.0.0.1', port: 0, fetch, refuse });
  let [got, isClosed] = ['', false];
  const socket = connect(listener.port, '127.0.0.1')
    .on('error', () => undefined)
    .on('data', (chunk) => (got += chunk.toString('latin1')))
    .once('close', () => (isClosed = true));
  onTestFinished(async () => {
    socket.destroy();
    await listener.stopListening();
    await listener.close(0);
  });
  return { socket, ends, refused, got: () => got, isClosed: () => isClosed };
}

it.each([
  ['is no HTTP', 'GET nonsense\r\n\r\n', 400],
  ['has two lengths', `${inChunks.replace('\r\n\r\n', '\r\nContent-Length: 3\r\n\r\n')}abc`, 400],
  ['has too many headers', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ['has a body in thousands of tiny chunks', inChunks + '1\r\nx\r\n'.repeat(5_000), 400],
])('a request that %s gets no answer into the one that is under way', async (_, broken, status) => {
  const { socket, ends, refused, got, isClosed } = await connected();
  socket.write(request);
  await until(() => got().includes('begun,'));
  socket.write(broken);
  await until(isClosed);
  expect(ends).toHaveLength(1);
  expect(refused).toEqual([status]);
  expect(got().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  expect(got()).toMatch(/begun,\r\n$/);
});

it('a request that is broken is refused in words where the answers before it have gone out', async () => {
  const { socket, ends, got, isClosed } = await connected();
  socket.write(request);
  await until(() => got().includes('begun,'));
  ends[0]?.();
  await until(() => got().endsWith('0\r\n\r\n'));
  socket.write('GET nonsense\r\n\r\n');
  await until(isClosed);
  expect(got().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
  expect(got()).toMatch(/The request is not valid HTTP$/);
});

const withBody = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc';

it.each([
  ['ends too early', withBody, ''],
  ['ends too early, in chunks', `${inChunks}3\r\nabc\r\n`, ''],
  ['is no chunk any more', `${inChunks}3\r\nabc\r\n`, 'nonsense\r\n'],
])('a request whose body %s after its answer gets no second one', async (_, begun, rest) => {
  const { socket, ends, got, isClosed } = await connected();
  socket.write(begun);
  await until(() => got().includes('begun,'));
  ends[0]?.();
  await until(() => got().endsWith('0\r\n\r\n'));
  socket.end(rest);
  await until(isClosed);
  expect(got().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  expect(got()).toMatch(/ended\r\n0\r\n\r\n$/);
});

it.each([
  ['no Host', 'GET / HTTP/1.1\r\n\r\n', 'The request has no Host header'],
  ['two Hosts', 'GET / HTTP/1.1\r\nHost: x\r\nhost: y\r\n\r\n', 'more than one Host header'],
])('a request with %s is refused before anybody answers it', async (_, sent, said) => {
  const { socket, ends, refused, got } = await connected();
  socket.write(sent);
  await until(() => got().includes(said));
  expect(ends).toHaveLength(0);
  expect(refused).toEqual([400]);
});
