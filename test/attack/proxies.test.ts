import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { BlockList, connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { clientOf } from '../../src/server/http/proxies.ts';
import { startServer } from '../../src/server/start.ts';
import { startCpuTime } from '../support/cpu-time.ts';

const trusted = new BlockList();
trusted.addSubnet('10.0.0.0', 8, 'ipv4');

/** All that a request's head has room for. */
const room = 16_000;
const hostile: readonly (readonly [string, string])[] = [
  ['commas', ','.repeat(room)],
  ['spaces', `a${' '.repeat(room)}b`],
  ['spaces in Forwarded', `for=a${' '.repeat(room)}b`],
  ['a long token', 'a'.repeat(room)],
  ['a long token and spaces', `for=${'a'.repeat(room / 2)}${' '.repeat(room / 2)}"`],
  ['pairs without end', `${'a=b;'.repeat(room / 4)}"`],
  ['names without end', `${Array.from({ length: 2_000 }, (_, n) => `a${n}=b`).join(';')}"`],
  ['elements without end', `${'for=10.0.0.1,'.repeat(room / 13)}"`],
  ['trusted addresses without end', '10.0.0.1,'.repeat(room / 9)],
  ['quotes', '"'.repeat(room)],
  ['backslashes', `for="${'\\'.repeat(room)}`],
  ['brackets', '['.repeat(room)],
  ['colons', ':'.repeat(room)],
];

it.each(hostile)('reads a header of %s in milliseconds, or refuses it', (_, header) => {
  const worked = startCpuTime();
  for (const name of ['forwarded', 'x-forwarded-for']) {
    const headers = new Headers({ [name]: header });
    try {
      clientOf(headers, { remoteAddress: '10.0.0.5' }, trusted);
    } catch (error) {
      expect(error).toMatchObject({ error: 'malformed_request' });
    }
  }
  expect(worked()).toBeLessThan(250);
});

it('reads every line of a header that comes more than once, and whoever is no proxy can say nothing', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'govctl-proxies-'));
  const configFile = path.join(folder, 'server.yaml');
  const start = async (range: string) => {
    await writeFile(configFile, `trusted_proxies: [${range}]\n`);
    const server = await startServer({
      host: '127.0.0.1',
      port: 0,
      dataDir: path.join(folder, range.replace('/', '-')),
      store: 'lowdb',
      allowTargets: [],
      metrics: true,
      logLevel: 'silent',
      configFile,
      clock: { now: () => Date.parse('2026-03-01T12:00:00Z'), monotonic: () => performance.now() },
    });
    onTestFinished(async () => void (await server.stop()));
    const ask = async (...lines: string[]): Promise<number> => {
      const socket = connect(server.port, '127.0.0.1');
      socket.write(
        `GET /v1/policies HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer wrong\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`,
      );
      return Number((await text(socket)).split(' ')[1]);
    };
    return { server, ask };
  };
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const behind = await start('127.0.0.1/32');
  const spoofed = 'X-Forwarded-For: 198.51.100.1';
  for (let n = 0; n < 60; n++) {
    expect(await behind.ask(spoofed, 'x-forwarded-for: 203.0.113.9')).toBe(401);
  }
  expect(await behind.ask('X-Forwarded-For: 203.0.113.9')).toBe(429);
  expect(await behind.ask('Forwarded: for=198.51.100.1', 'Forwarded: for=203.0.113.9')).toBe(429);
  expect(await behind.ask('Forwarded: for="', 'Forwarded: for=203.0.113.9')).toBe(400);
  expect(await behind.ask('Forwarded: for=198.51.100.1', 'X-Forwarded-For: 203.0.113.9')).toBe(400);
  expect(await behind.ask('X-Forwarded-For: 203.0.113.8')).toBe(401);
  // Something stands before it: it is no place for test aids, however requests come.
  expect(behind.server.isLocal).toBe(false);
  const key = behind.server.apiKey?.key ?? '';
  const aids = await fetch(`${behind.server.baseUrl}/v1/local`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(aids.status).toBe(403);

  const open = await start('10.0.0.0/8');
  for (let n = 0; n < 60; n++) {
    expect(await open.ask(`X-Forwarded-For: 203.0.113.${n}`)).toBe(401);
  }
  expect(await open.ask('X-Forwarded-For: 203.0.113.77')).toBe(429);
  expect(await open.ask('Forwarded: for="')).toBe(429);
});
