import { randomBytes, getDiffieHellman } from 'node:crypto';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import ssh2 from 'ssh2';
import { afterEach, describe, expect, test } from 'vitest';
import { bound, openReportWorld } from '../server/report-delivery/report-world.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

/** Delivers a report to an SFTP server on this port, once. */
async function deliverTo(port: number) {
  const world = await openReportWorld({
    config: { secrets: { SFTP_PASSWORD: bound('a-password', `127.0.0.1:${port}`) } },
  });
  open.push(world);
  const report = await world.addReport({}, { pdf: 'x' });
  const { id } = await world.queue(report.id, {
    kind: 'sftp',
    host: '127.0.0.1',
    port,
    username: 'ann',
    path: '/inbox',
    password_env: 'SFTP_PASSWORD',
  });
  await world.idle();
  return world.delivery(id);
}

const portOf = (server: { address(): unknown }): number => (server.address() as AddressInfo).port; // of a socket that listens on a port

const text = (content: string | Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(Buffer.byteLength(content));
  return Buffer.concat([length, Buffer.from(content)]);
};

/** A packet of SSH before there are keys. */
function plainPacket(...parts: readonly Buffer[]): Buffer {
  const payload = Buffer.concat(parts);
  const padding = 16 - ((5 + payload.length) % 8);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(1 + payload.length + padding);
  head[4] = padding;
  return Buffer.concat([head, payload, Buffer.alloc(padding)]);
}

/** Of the packets that follow the greeting. */
function typesOf(heard: Buffer): number[] {
  const types: number[] = [];
  let at = heard.indexOf(10) + 1;
  while (at > 0 && at + 6 <= heard.length) {
    types.push(heard.readUInt8(at + 5));
    at += 4 + heard.readUInt32BE(at);
  }
  return types;
}

/** Closes the server and what is still connected to it. */
const closing = (server: Pick<Server, 'close'>, sockets: ReadonlySet<Socket>) => ({
  close(): Promise<void> {
    for (const socket of sockets) socket.destroy();
    return new Promise((closed) => server.close(() => closed()));
  },
});

async function startPlain(talk: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    talk(socket);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  open.push(closing(server, sockets));
  return portOf(server);
}

test('an SFTP server names no group whose prime would be tested for half a minute, in which nothing else is done', async () => {
  const names = ['diffie-hellman-group-exchange-sha256', 'ssh-ed25519', 'aes128-ctr', 'aes128-ctr', 'hmac-sha2-256', 'hmac-sha2-256', 'none', 'none', '', '']; // prettier-ignore
  const prime = Buffer.concat([Buffer.alloc(1), getDiffieHellman('modp18').getPrime()]);
  const port = await startPlain((socket) => {
    socket.write('SSH-2.0-x\r\n');
    socket.write(plainPacket(Buffer.from([20]), randomBytes(16), ...names.map(text), Buffer.alloc(5))); // prettier-ignore
    let heard = Buffer.alloc(0);
    let isAsked = false;
    socket.on('data', (said: Buffer) => {
      heard = Buffer.concat([heard, said]);
      // 34 asks for a group.
      if (isAsked || !typesOf(heard).includes(34)) return;
      isAsked = true;
      socket.write(plainPacket(Buffer.from([31]), text(prime), text(Buffer.from([5]))));
    });
  });
  const { error } = await deliverTo(port);
  expect(error).toContain('has no key exchange algorithm in common with this server');
});

interface Speaker {
  /** Sends this again and again, for as long as there is a connection. */
  flood(payload: Buffer): void;
}

/** What ssh2 has inside, with which anything can be said. */
interface Inside {
  readonly _sock: Socket;
  readonly _protocol: {
    readonly _packetRW: {
      readonly write: {
        alloc(length: number): Buffer;
        finalize(packet: Buffer): Buffer;
        readonly allocStart: number;
      };
    };
    readonly _cipher: { encrypt(packet: Buffer): void };
  };
}

async function startSsh(
  loggedIn: (speaker: Speaker) => void,
  algorithms: ssh2.ServerConfig['algorithms'] = {},
): Promise<number> {
  const { private: key } = ssh2.utils.generateKeyPairSync('ed25519');
  const sockets = new Set<Socket>();
  const server = new ssh2.Server({ hostKeys: [key], algorithms }, (client) => {
    const { _sock: socket, _protocol: protocol } = client as unknown as Inside;
    sockets.add(socket);
    const say = (payload: Buffer): void => {
      const { write } = protocol._packetRW;
      const packet = write.alloc(payload.length);
      packet.set(payload, write.allocStart);
      protocol._cipher.encrypt(write.finalize(packet));
    };
    const flood = (payload: Buffer): void => {
      if (socket.destroyed) return;
      for (let at = 0; at < 1_000; at++) say(payload);
      if (socket.writableLength < 4_000_000) setImmediate(flood, payload);
      else socket.once('drain', () => flood(payload));
    };
    client.on('error', () => undefined);
    client.on('authentication', (context) => context.accept());
    client.on('ready', () => {
      // It reads nothing more: what is answered stays with us.
      socket.pause();
      loggedIn({ flood });
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  // A socket that reads nothing may never learn that its peer has left.
  open.push(closing(server, sockets));
  return portOf(server);
}

test('an SFTP server sends nothing packed, a thousand times as long once it is unpacked', async () => {
  const port = await startSsh(() => undefined, { compress: ['zlib@openssh.com'] });
  expect((await deliverTo(port)).error).toContain('has no compression in common with this server');
});

describe('an SFTP server that never stops to talk', () => {
  const channel = Buffer.alloc(12);
  test.each([
    ['asks for what is none of ours', [Buffer.from([80]), text('x'), Buffer.from([1])]],
    ['opens channels', [Buffer.from([90]), text('x'), channel]],
    ['greets', [Buffer.from([53]), text('hello'), text('')]],
    ['says nothing', [Buffer.from([2]), text('')]],
  ])('and %s is left, before it fills the memory with answers', async (_, parts) => {
    const port = await startSsh(({ flood }) => flood(Buffer.concat(parts)));
    const delivery = await deliverTo(port);
    expect(delivery).toMatchObject({ status: 'pending', attempts: 1 });
    expect(delivery.error).toContain('sent too much data');
  });
});
