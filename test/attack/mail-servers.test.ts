import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { openReportWorld } from '../server/report-delivery/report-world.ts';
import type { ReportWorld } from '../server/report-delivery/report-world.ts';

let world: ReportWorld | undefined;
afterEach(async () => world?.close());

test.each([
  ['at once', ''],
  ['after its greeting', '220 hello\r\n'],
])('a mail server that says empty lines without end %s is left', async (_, greeting) => {
  let left = false;
  const server = createServer((socket) => {
    const blank = Buffer.alloc(64 * 1024, '\r\n');
    const say = (): void => {
      while (!socket.destroyed && socket.write(blank));
    };
    socket.on('error', () => undefined).on('drain', say);
    socket.on('close', () => (left = true));
    socket.write(greeting);
    say();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const from = { name: '', address: 'reports@sender.example' };
  const opened = await openReportWorld({
    config: { smtp: { host: '127.0.0.1', port, tls: 'none', from } },
  });
  world = opened;
  const { id: report } = await opened.addReport();
  const { id } = await opened.queue(report, { kind: 'email', recipients: ['ann@one.example'] });
  await opened.idle();
  expect(await opened.delivery(id)).toMatchObject({ status: 'pending', attempts: 1 });
  expect(left).toBe(true);
  server.close();
});
