import { mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type {
  ReportMessage,
  StoredChannel,
} from '../../../src/server/report-delivery/channels/channel.ts';
import { createSftpChannel } from '../../../src/server/report-delivery/channels/sftp.ts';
import { knownHosts } from '../../../src/server/report-delivery/collection.ts';
import { explainSftp } from '../../../src/server/report-delivery/channels/sftp-result.ts';
import type { Store } from '../../../src/server/store/store.ts';
import { tempFolder } from '../store/lowdb/temp-folder.ts';
import { bound, openReportWorld } from './report-world.ts';
import type { ReportWorld, WorldOptions } from './report-world.ts';
import { hasOpenSsh, startOpenSsh } from './ssh-server.ts';
import type { SshServer } from './ssh-server.ts';
import { startPasswordSsh } from '../../support/password-ssh.ts';
import type { PasswordSsh } from '../../support/password-ssh.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function openWorld(options: WorldOptions): Promise<ReportWorld> {
  const world = await openReportWorld(options);
  open.push(world);
  return world;
}

const withPassword = (value: string, port: number): WorldOptions => ({
  config: { secrets: { SFTP_PASSWORD: bound(value, `127.0.0.1:${port}`) } },
});

async function folder(): Promise<string> {
  const made = await tempFolder();
  open.push({ close: () => made.remove() });
  return made.path;
}

type Sftp = Extract<StoredChannel, { kind: 'sftp' }>;

async function deliver(world: ReportWorld, channel: StoredChannel, reportId: string) {
  const { id } = await world.queue(reportId, channel);
  await world.idle();
  return world.delivery(id);
}

const hasSsh = hasOpenSsh();

describe.skipIf(!hasSsh)('a report that is uploaded to OpenSSH', () => {
  async function ready(): Promise<{
    server: SshServer;
    world: ReportWorld;
    inbox: string;
    channel: Sftp;
  }> {
    // prettier-ignore
    const home = await folder();
    const server = await startOpenSsh(path.join(home, 'ssh'));
    open.push(server);
    const at = `127.0.0.1:${server.port}`;
    const world = await openWorld({
      config: {
        secrets: { SFTP_KEY: bound(server.privateKey, at), NO_KEY: bound('not-a-key', at) },
      },
    });
    const inbox = path.join(home, 'in box ü');
    mkdirSync(inbox);
    const channel: Sftp = {
      kind: 'sftp',
      host: '127.0.0.1',
      port: server.port,
      username: server.username,
      path: inbox,
      private_key_env: 'SFTP_KEY',
    };
    return { server, world, inbox, channel };
  }

  test('lies there whole, with its SHA-256 beside it, and comes once however often it is sent', async () => {
    const { world, inbox, channel } = await ready();
    const pdf = Buffer.from(Array.from({ length: 200_000 }, (_, at) => (at * 7) % 256));
    const report = await world.addReport({}, { pdf, csv: 'a,b\r\n' });
    const delivery = await deliver(world, channel, report.id);
    expect(delivery).toMatchObject({ status: 'delivered', attempts: 1, target: `sftp://127.0.0.1:${channel.port}${inbox}` }); // prettier-ignore
    const names = ['csv', 'pdf'].flatMap((extension) => {
      const name = `report-2026-03-01-${report.id.slice(-8)}.${extension}`;
      return [name, `${name}.sha256`];
    });
    expect(readdirSync(inbox).sort()).toEqual(names);
    expect(readFileSync(path.join(inbox, names[2] ?? ''))).toEqual(pdf);
    const sha256 = report.result?.files[0]?.sha256;
    expect(readFileSync(path.join(inbox, names[3] ?? ''), 'utf8')).toBe(`${sha256}  ${names[2]}\n`);
    expect(await deliver(world, channel, report.id)).toMatchObject({ status: 'delivered' });
    expect(readdirSync(inbox).sort()).toEqual(names);
  });

  test('goes to the server that was seen first, and to no other', async () => {
    const { server, world, inbox, channel } = await ready();
    const report = await world.addReport({}, { pdf: 'x' });
    await deliver(world, channel, report.id);
    const place = `127.0.0.1:${channel.port}`;
    expect((await world.store.get(knownHosts, place))?.doc.key).toBe(server.hostKey);
    const other = `SHA256:${'A'.repeat(43)}`;
    await world.store.transact((tx) => tx.replace(knownHosts, { id: place, key: other, seen_at: '' })); // prettier-ignore
    const before = readdirSync(inbox).length;
    const second = await world.addReport({}, { pdf: 'y' });
    const refused = await deliver(world, channel, second.id);
    expect(refused).toMatchObject({ status: 'failed', attempts: 1 });
    expect(refused.error).toContain(`an unexpected host key: ${server.hostKey}, not ${other}`);
    expect(readdirSync(inbox)).toHaveLength(before);
    const told = { ...channel, host_key: server.hostKey };
    expect(await deliver(world, told, second.id)).toMatchObject({ status: 'delivered' });
    expect((await world.store.get(knownHosts, place))?.doc.key).toBe(server.hostKey);
  });

  test('goes nowhere where the key is not the one that was given', async () => {
    const { world, inbox, channel } = await ready();
    const report = await world.addReport({}, { pdf: 'x' });
    const wrong = { ...channel, host_key: `SHA256:${'B'.repeat(43)}` };
    expect(await deliver(world, wrong, report.id)).toMatchObject({ status: 'failed' });
    expect(readdirSync(inbox)).toEqual([]);
  });

  test('leaves the folder for nothing, whatever it is called', async () => {
    const { world, inbox, channel } = await ready();
    const report = await world.addReport({}, { pdf: 'x' });
    const [file] = report.result?.files ?? [];
    if (!report.result || !file) throw new Error('one was written');
    const files = ['../../evil\r\n.pdf', '/etc/evil.pdf', '..', 'x'.repeat(400)].map((filename) => ({ ...file, filename })); // prettier-ignore
    const hostile = await world.addReport({ result: { ...report.result, files } });
    const delivery = await deliver(world, channel, hostile.id);
    expect(delivery).toMatchObject({ status: 'delivered' });
    expect(readdirSync(inbox)).toHaveLength(8);
    expect(readdirSync(path.dirname(inbox)).sort()).toEqual(['in box ü', 'ssh']);
  });

  test('is tried again where the connection ends, and then lies there once', async () => {
    const { server, world, inbox, channel } = await ready();
    const report = await world.addReport({}, { pdf: Buffer.alloc(4_000_000) });
    const { id } = await world.queue(report.id, channel);
    const idle = world.idle();
    const watch = setInterval(() => {
      if (readdirSync(inbox).length > 0) server.hangUp();
    }, 1);
    await idle;
    clearInterval(watch);
    const first = await world.delivery(id);
    await world.pass(60_000);
    expect(await world.delivery(id)).toMatchObject({ status: 'delivered' });
    // It may have been through before the first look.
    expect(first.attempts).toBe(1);
    const names = readdirSync(inbox).filter((name) => !name.startsWith('.'));
    expect(names).toHaveLength(2);
  });

  test.each([
    ['the folder is not there', { path: '/nowhere/at/all' }, 'has no such directory'],
    ['the user is not let in', { username: 'nobody-of-that-name' }, 'rejected the user'],
    [
      'the variable is not set',
      { private_key_env: 'NOT_SET' },
      'private_key_env uses NOT_SET, which this server does not send to 127.0.0.1:',
    ],
    [
      'the variable holds no key',
      { private_key_env: 'NO_KEY' },
      'must contain an OpenSSH or PEM private key',
    ],
  ] as const)('says so where %s', async (_, fields, said) => {
    const { world, channel } = await ready();
    const report = await world.addReport({}, { pdf: 'x' });
    const { id } = await world.queue(report.id, { ...channel, ...fields });
    await world.pass(3_600_000);
    const delivery = await world.delivery(id);
    expect(delivery.status).toBe('failed');
    expect(delivery.error).toContain(said);
    expect(JSON.stringify([delivery, world.logged])).not.toContain('not-a-key');
  });
});

test.each([
  ['ends the connection before it greets', '', 'closed the connection before the login'],
  ['is none of SSH', '220 smtp.example ESMTP\r\n', 'closed the connection before the login'],
  ['speaks an SSH of long ago', 'SSH-1.5-old\r\n', 'does not respond like an SSH server'],
])('a server that %s is told of in our own words', async (_, greeting, said) => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined).resume();
    socket.end(greeting);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  open.push({ close: () => new Promise((closed) => server.close(() => closed())) });
  const { port } = server.address() as AddressInfo; // of a socket that listens on a port
  const world = await openWorld(withPassword('x', port));
  const report = await world.addReport({}, { pdf: 'x' });
  const place = { host: '127.0.0.1', port, path: '/inbox' };
  const login = { username: 'ann', password_env: 'SFTP_PASSWORD' };
  const delivery = await deliver(world, { kind: 'sftp', ...place, ...login }, report.id);
  expect(delivery.error).toContain(`The SFTP server 127.0.0.1:${port} ${said}`);
  expect(delivery.error).not.toMatch(/getConnection|Connection lost/);
});

test.each([
  ['ends', (socket: Socket) => void socket.end()],
  ['breaks', (socket: Socket) => void setTimeout(() => socket.resetAndDestroy(), 50)],
])('a server that %s the connection is told of, however slow our side is', async (_, leave) => {
  // prettier-ignore
  const server = createServer((socket) => leave(socket.on('error', () => undefined).resume()));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  open.push({ close: () => new Promise((closed) => server.close(() => closed())) });
  const { port } = server.address() as AddressInfo; // of a socket that listens on a port
  const { store, deps, surroundings } = await openWorld(withPassword('x', port));
  const slowStore: Store = { ...store, get: (...of) => sleep(300).then(() => store.get(...of)) };
  const send = createSftpChannel({ deps: { ...deps, store: slowStore }, surroundings });
  const channel: Sftp = {
    kind: 'sftp',
    host: '127.0.0.1',
    port,
    username: 'ann',
    path: '/inbox',
    password_env: 'SFTP_PASSWORD',
  };
  const message = { deliveryId: 'rdl_1', files: [] } as unknown as ReportMessage; // nothing else is read
  expect(await send(channel, message, AbortSignal.timeout(10_000))).toMatchObject({
    ok: false,
    error: expect.stringContaining('closed the connection before the login') as string,
  });
});

test.each([
  ['getConnection: Handshake failed: no matching key exchange algorithm', 'key exchange algorithm'],
  ['Handshake failed: no matching host key format', 'host key format'],
])('%j is told in our own words', (message, what) => {
  expect(explainSftp(new Error(message), 'a:22')).toMatchObject({
    ok: false,
    error: `The SFTP server a:22 has no ${what} in common with this server: the SFTP server is too old, or its configuration is too strict`,
  });
});

async function startPasswordServer(
  method: 'password' | 'keyboard-interactive',
): Promise<PasswordSsh> {
  const server = await startPasswordSsh({ method, right: ['right'] });
  open.push(server);
  return server;
}

describe('a password', () => {
  const channelOf = ({ port }: PasswordSsh): Sftp => ({
    kind: 'sftp',
    host: '127.0.0.1',
    port,
    username: 'ann',
    path: '/inbox',
    password_env: 'SFTP_PASSWORD',
  });

  test.each(['password', 'keyboard-interactive'] as const)(
    'is given by way of %s',
    async (method) => {
      // prettier-ignore
      const server = await startPasswordServer(method);
      const world = await openWorld(withPassword('right', server.port));
      const report = await world.addReport({}, { pdf: 'x' });
      const delivery = await deliver(world, channelOf(server), report.id);
      expect(delivery).toMatchObject({ status: 'failed', attempts: 1 });
      expect(delivery.error).toContain('does not let the user write to the directory');
    },
  );

  test('that is wrong is tried five times, and never shown', async () => {
    const server = await startPasswordServer('password');
    const world = await openWorld(withPassword('wr0ng-s3cret', server.port));
    const report = await world.addReport({}, { pdf: 'x' });
    const { id } = await world.queue(report.id, channelOf(server));
    await world.pass(3_600_000);
    const delivery = await world.delivery(id);
    expect(delivery).toMatchObject({ status: 'failed', attempts: 5 });
    expect(server.passwords.length).toBe(5);
    expect(JSON.stringify([delivery, world.logged])).not.toContain('wr0ng-s3cret');
  });

  test('is sent to no address within, whatever its host is called', async () => {
    const server = await startPasswordServer('password');
    const hosts = ['127.0.0.1', 'inside.example', 'localhost', '[::ffff:127.0.0.1]'];
    const world = await openWorld({
      local: false,
      resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
      config: {
        secrets: {
          SFTP_PASSWORD: bound('right', ...hosts.map((host) => `${host}:${server.port}`)),
        },
      },
    });
    for (const host of ['127.0.0.1', 'inside.example', 'localhost', '::ffff:127.0.0.1']) {
      const channel = { ...channelOf(server), host };
      const refused = await deliver(world, channel, (await world.addReport({}, { pdf: 'x' })).id);
      expect(refused.error).toContain('the address is not allowed as a target');
    }
    expect(server.passwords.length).toBe(0);
  });
});
