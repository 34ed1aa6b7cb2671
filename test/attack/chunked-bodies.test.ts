import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect as connectTls } from 'node:tls';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../../src/server/http/listener.ts';
import { noLog } from '../support/no-log.ts';
import { makeSelfSigned } from '../support/self-signed.ts';
import { until } from '../support/until.ts';

const certificate = makeSelfSigned();

/** A listener that answers with the body it was sent, and what it has read of bodies. */
async function start({ isSecure }: { readonly isSecure: boolean }) {
  const read = { parts: 0, ends: 0, cuts: 0 };
  const fetch = async (request: Request): Promise<Response> => {
    const parts: Uint8Array[] = [];
    try {
      for await (const part of request.body ?? []) {
        parts.push(part);
        read.parts += 1;
      }
      read.ends += 1;
    } catch {
      read.cuts += 1;
    }
    return new Response(`got ${Buffer.concat(parts).toString('latin1')};`);
  };
  const folder = await mkdtemp(path.join(tmpdir(), 'govctl-chunks-'));
  const tls = { cert: path.join(folder, 'cert.pem'), key: path.join(folder, 'key.pem') };
  await writeFile(tls.cert, certificate?.cert ?? '');
  await writeFile(tls.key, certificate?.key ?? '');
  const listener = await listen({
    host: '127.0.0.1',
    port: 0,
    fetch,
    refuse: (status, said) => new Response(said, { status }),
    ...(isSecure ? { tls: { ...tls, log: noLog } } : {}),
  });
  onTestFinished(async () => {
    await listener.stopListening();
    await listener.close(0);
    await rm(folder, { recursive: true });
  });
  return { port: listener.port, read, isSecure };
}

/** A connection, and what has come over it. */
function open({ port, isSecure }: { readonly port: number; readonly isSecure: boolean }) {
  const socket: Socket = isSecure
    ? connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    : connect(port, '127.0.0.1');
  let [got, isClosed] = ['', false];
  socket
    .on('error', () => undefined)
    .on('data', (chunk) => (got += chunk.toString('latin1')))
    .once('close', () => (isClosed = true));
  onTestFinished(() => void socket.destroy());
  return { socket, got: () => got, isClosed: () => isClosed };
}

const head = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
const end = '0\r\n\r\n';

describe.each([
  ['http', false],
  ['https', true],
])('a body in chunks over %s', (_, isSecure) => {
  it.skipIf(isSecure && !certificate)('comes as it was sent, however it is cut', async () => {
    const listener = await start({ isSecure });
    const { socket, got } = open(listener);
    let before = 0;
    const bodies = fc.array(fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 40 }));
    await fc.assert(
      fc.asyncProperty(bodies, fc.array(fc.nat(), { maxLength: 3 }), async (chunks, cuts) => {
        const sent = head + chunks.map(chunk).join('') + end;
        let from = 0;
        for (const cut of cuts.map((n) => n % sent.length).sort((a, b) => a - b)) {
          socket.write(sent.slice(from, cut));
          from = cut;
          await new Promise((resolve) => setImmediate(resolve));
        }
        socket.write(sent.slice(from));
        const said = `got ${chunks.join('')};`;
        await until(() => got().slice(before).includes(said));
        before = got().length;
      }),
      { numRuns: 40 },
    );
  });

  it.skipIf(isSecure && !certificate)(
    'of one byte each is handed on in few parts while they are thousands',
    async () => {
      const listener = await start({ isSecure });
      const { socket, got } = open(listener);
      socket.write(head + chunk('x').repeat(4_000) + end);
      await until(() => got().includes(`got ${'x'.repeat(4_000)};`));
      expect(listener.read.parts).toBeLessThan(400);
    },
  );

  it.skipIf(isSecure && !certificate)(
    'of one byte each is read no further where they are very many: 400, and the connection is closed',
    async () => {
      const listener = await start({ isSecure });
      const { socket, got, isClosed } = open(listener);
      socket.write(head);
      const many = chunk('x').repeat(10_000);
      const flood = setInterval(() => void (socket.writable && socket.write(many)), 1);
      onTestFinished(() => clearInterval(flood));
      await until(isClosed);
      clearInterval(flood);
      await until(() => listener.read.cuts === 1);
      expect(listener.read.ends).toBe(0);
      expect(got()).not.toContain('200 OK');
    },
  );
});

it('a body of a hundred thousand short lines, a chunk each, is read to its end', async () => {
  const listener = await start({ isSecure: false });
  const { socket, got } = open(listener);
  socket.write(head + chunk('{"id":"a","type":"b"}\n').repeat(100_000) + end);
  await until(() => got().endsWith('\n;') || got().endsWith('\n;\r\n0\r\n\r\n'));
  expect(listener.read.ends).toBe(1);
});

it('thousands of chunks of a byte, sent at once, are answered with what to do', async () => {
  const { socket, got, isClosed } = open(await start({ isSecure: false }));
  socket.write(head + chunk('x').repeat(5_000));
  await until(isClosed);
  expect(got()).toContain('400 Bad Request');
  expect(got()).toContain('send larger chunks');
});

it('a body that is cut off in the middle of its chunks is a cut, not an end', async () => {
  const listener = await start({ isSecure: false });
  const { socket } = open(listener);
  socket.write(head + chunk('x').repeat(10));
  await until(() => listener.read.parts > 0);
  socket.destroy();
  await until(() => listener.read.cuts === 1);
  expect(listener.read.ends).toBe(0);
});
