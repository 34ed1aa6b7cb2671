import { chmod, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { X509Certificate } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Log } from '../../../src/server/deps.ts';
import { listen } from '../../../src/server/http/listener.ts';
import type { Listener } from '../../../src/server/http/listener.ts';
import { makeSelfSigned } from '../../support/self-signed.ts';
import type { SelfSigned } from '../../support/self-signed.ts';
import { runTool } from '../../support/system-tool.ts';
import { until } from '../../support/until.ts';

const pairs = [makeSelfSigned(), makeSelfSigned(), makeSelfSigned()].filter(
  (pair) => pair !== undefined,
);
const [first, second, third] = pairs as [SelfSigned, SelfSigned, SelfSigned];
const fingerprintOf = ({ cert }: SelfSigned): string => new X509Certificate(cert).fingerprint256;

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(path.join(tmpdir(), 'govctl-tls-'))));
afterEach(() => rm(folder, { recursive: true, force: true }));

const at = (name: string): string => path.join(folder, name);
const write = async ({ cert, key }: SelfSigned): Promise<void> => {
  await writeFile(at('cert.pem'), cert);
  await writeFile(at('key.pem'), key);
};

interface Started {
  readonly listener: Listener;
  /** What the log was told. */
  readonly told: string[];
}

async function start({ clientCa }: { clientCa?: string } = {}): Promise<Started> {
  const told: string[] = [];
  const note: Log['info'] = (fields, message) =>
    void told.push(`${message}${'reason' in fields ? `: ${String(fields.reason)}` : ''}`);
  const listener = await listen({
    host: '127.0.0.1',
    port: 0,
    tls: {
      cert: at('cert.pem'),
      key: at('key.pem'),
      ...(clientCa === undefined ? {} : { clientCa }),
      log: { debug: note, info: note, warn: note, error: note },
      every: 10,
    },
    fetch: () => new Response('done'),
    refuse: (status, said) => new Response(said, { status }),
  });
  onTestFinished(async () => {
    await listener.stopListening();
    await listener.close(0);
  });
  return { listener, told };
}

/** The certificate that a new connection gets. */
async function servedBy({ listener: { port } }: Started): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  await new Promise((resolve, reject) =>
    socket.once('secureConnect', resolve).once('error', reject),
  );
  const fingerprint = socket.getPeerX509Certificate()?.fingerprint256 ?? '';
  socket.destroy();
  return fingerprint;
}

const untilServedBy = (started: Started, pair: SelfSigned): Promise<void> =>
  until(async () => (await servedBy(started)) === fingerprintOf(pair));

interface Asked {
  /** The status of a request, or the error's code. */
  readonly got: number | string;
  readonly isLast?: boolean;
  readonly socket?: TLSSocket;
  /** Of the server's certificate. */
  readonly fingerprint?: string | undefined;
}

async function ask(
  { listener: { port } }: Started,
  options: ConnectionOptions & { agent?: Agent } = {},
) {
  return new Promise<Asked>((resolve) =>
    request({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options }, (answer) => {
      const socket = answer.socket as TLSSocket;
      const fingerprint = socket.getPeerX509Certificate()?.fingerprint256;
      const isLast = answer.headers.connection === 'close';
      void text(answer).then(() =>
        resolve({ got: answer.statusCode ?? 0, isLast, socket, fingerprint }),
      );
    })
      .once('error', ({ code, message }: NodeJS.ErrnoException) =>
        resolve({ got: code ?? message }),
      )
      .end(),
  );
}

describe.skipIf(pairs.length < 3)('TLS files that change', () => {
  it.each<[string, (pair: SelfSigned) => Promise<void>]>([
    ['are written over', write],
    [
      'are renamed into place',
      async ({ cert, key }) => {
        await writeFile(at('next'), key);
        await rename(at('next'), at('key.pem'));
        await writeFile(at('next'), cert);
        await rename(at('next'), at('cert.pem'));
      },
    ],
  ])('%s: are used for new connections, and open ones stay', async (_, change) => {
    await write(first);
    const started = await start();
    expect(await servedBy(started)).toBe(fingerprintOf(first));
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const before = await ask(started, { agent });
    await change(second);
    await untilServedBy(started, second);
    const after = await ask(started, { agent });
    expect([after.got, after.isLast]).toEqual([200, false]);
    expect(after.socket).toBe(before.socket);
    agent.destroy();
    await change(third);
    await untilServedBy(started, third);
    // Between the two files a look may come, which tells that they do not match yet.
    const reloads = started.told.filter((line) => !line.includes('do not match'));
    expect(reloads).toEqual(['TLS files reloaded', 'TLS files reloaded']);
  });

  it('are found behind a link to their folder, as Kubernetes mounts them', async () => {
    for (const [name, pair] of [
      ['one', first],
      ['two', second],
    ] as const) {
      await mkdir(at(name));
      await writeFile(path.join(at(name), 'cert.pem'), pair.cert);
      await writeFile(path.join(at(name), 'key.pem'), pair.key);
    }
    await symlink('one', at('data'));
    for (const file of ['cert.pem', 'key.pem']) await symlink(`data/${file}`, at(file));
    const started = await start();
    expect(await servedBy(started)).toBe(fingerprintOf(first));
    await symlink('two', at('next'));
    await rename(at('next'), at('data'));
    await untilServedBy(started, second);
  });

  it.each<[string, () => Promise<void>, string]>([
    ['are of two pairs', () => writeFile(at('key.pem'), second.key), 'do not match'],
    [
      'are half written',
      () => writeFile(at('cert.pem'), second.cert.slice(0, 300)),
      'is truncated',
    ],
    [
      'have half an intermediate certificate',
      () => writeFile(at('cert.pem'), first.cert + second.cert.slice(0, 300)),
      'the file is truncated',
    ],
    ['are empty', () => writeFile(at('cert.pem'), ''), 'the file contains no PEM certificate'],
    ['have an empty key', () => writeFile(at('key.pem'), ''), 'do not match'],
    ['are gone', () => rm(at('key.pem')), 'cannot be read: ENOENT'],
    [
      'are a folder',
      () => rm(at('cert.pem')).then(() => void mkdir(at('cert.pem'))),
      'cannot be read: EISDIR',
    ],
    [
      'have a key of another kind, which OpenSSL takes',
      async () => runTool('openssl', 'genrsa', '-out', at('key.pem'), '2048'),
      'the key belongs to a different certificate',
    ],
  ])('and %s change nothing until they can be used; that is told once', async (_, spoil, why) => {
    await write(first);
    const started = await start();
    await spoil();
    await until(() => started.told.length > 0);
    expect(started.told[0]).toContain(why);
    expect(started.told[0]).toMatch(/^TLS files cannot be used; the previous files stay in use/);
    // It is tried again meanwhile.
    await sleep(100);
    expect(await servedBy(started)).toBe(fingerprintOf(first));
    expect(started.told).toHaveLength(1);
    await rm(at('cert.pem'), { recursive: true, force: true });
    await write(second);
    await untilServedBy(started, second);
    expect(started.told.at(-1)).toBe('TLS files reloaded');
  });

  it.skipIf(process.getuid?.() === 0)('and may not be read change nothing', async () => {
    await write(first);
    const started = await start();
    await chmod(at('key.pem'), 0);
    await until(() => started.told.length > 0);
    expect(started.told[0]).toContain('EACCES');
    expect(await servedBy(started)).toBe(fingerprintOf(first));
  });

  it('are read at once when asked, and whoever asks learns how that went', async () => {
    await write(first);
    const started = await start();
    await started.listener.reload?.();
    expect(started.told).toEqual(['TLS files have not changed']);
    await write(second);
    await started.listener.reload?.();
    expect(await servedBy(started)).toBe(fingerprintOf(second));
    await writeFile(at('key.pem'), first.key);
    await started.listener.reload?.();
    await started.listener.reload?.();
    const [, , ...failures] = started.told;
    expect(failures.length).toBeGreaterThanOrEqual(2);
    expect(await servedBy(started)).toBe(fingerprintOf(second));
  });

  it('may have certificate and key in one file', async () => {
    for (const text of [first.cert + first.key, first.key + first.cert]) {
      await write({ cert: text, key: text });
      expect(await servedBy(await start())).toBe(fingerprintOf(first));
    }
  });

  it('speak TLS 1.2 at least, before and after', async () => {
    await write(first);
    const started = await start();
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' } as const;
    const refused = async () =>
      expect((await ask(started, old)).got).toMatch(/PROTOCOL|ALERT|EPROTO/);
    await refused();
    expect((await ask(started, { maxVersion: 'TLSv1.2' })).got).toBe(200);
    await write(second);
    await started.listener.reload?.();
    await refused();
    expect((await ask(started, { maxVersion: 'TLSv1.2' })).got).toBe(200);
  });
});

describe.skipIf(pairs.length < 3)('certificates of clients', () => {
  const clientCa = (): string => at('ca.pem');

  it('are required, and must be signed by one of the authorities', async () => {
    await write(first);
    await writeFile(clientCa(), second.cert);
    const started = await start({ clientCa: clientCa() });
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
      expect((await ask(started, { ...second, maxVersion })).got).toBe(200);
      for (const client of [{}, third, first]) {
        expect((await ask(started, { ...client, maxVersion })).got).toEqual(expect.any(String));
      }
    }
  });

  it('are those of the file as it is now; who came by another gets one more answer', async () => {
    await write(first);
    await writeFile(clientCa(), second.cert);
    const started = await start({ clientCa: clientCa() });
    const agent = new Agent({
      keepAlive: true,
      maxSockets: 1,
      ...second,
      rejectUnauthorized: false,
    });
    expect(await ask(started, { agent })).toMatchObject({ got: 200, isLast: false });
    await write(third);
    await started.listener.reload?.();
    expect(await ask(started, { agent })).toMatchObject({ got: 200, isLast: false });
    await writeFile(clientCa(), third.cert);
    await started.listener.reload?.();
    expect((await ask(started, third)).got).toBe(200);
    expect((await ask(started, second)).got).toEqual(expect.any(String));
    expect(await ask(started, { agent })).toMatchObject({ got: 200, isLast: true });
    // On a new connection, and with the session of the earlier one.
    expect((await ask(started, { agent })).got).toEqual(expect.any(String));
    agent.destroy();
  });

  it.each([
    ['no certificate', 'nonsense', 'the file contains no PEM certificate'],
    ['nothing', '', 'the file contains no PEM certificate'],
    ['half a certificate', first.cert.slice(0, 300), 'the file is truncated'],
    ['one that is none', first.cert.replace(/\n.{20}/, '\nAAAAAAAAAAAAAAAAAAAA'), 'cannot be used'],
  ])('are not asked of nobody by a file with %s', async (_, contents, why) => {
    await write(first);
    await writeFile(clientCa(), contents);
    await expect(start({ clientCa: clientCa() })).rejects.toMatchObject({
      error: 'usage_error',
      message: expect.stringContaining(why),
    });
    await writeFile(clientCa(), second.cert);
    const started = await start({ clientCa: clientCa() });
    await writeFile(clientCa(), contents);
    await until(() => started.told.length > 0);
    expect(started.told[0]).toContain(why);
    expect((await ask(started, second)).got).toBe(200);
    expect((await ask(started)).got).toEqual(expect.any(String));
  });
});

it.skipIf(pairs.length < 3)(
  'rotates certificates while 64 clients call: no request fails',
  async () => {
    await write(first);
    const started = await start();
    const known = pairs.map(({ cert }) => cert);
    const seen = new Set<string>();
    const failures: (number | string)[] = [];
    let isOver = false;
    let answers = 0;
    const call = async (n: number): Promise<void> => {
      const isKept = n % 2 === 0;
      const agent = new Agent({ keepAlive: isKept, ca: known, servername: 'localhost' });
      while (!isOver) {
        const { got, fingerprint } = await ask(started, { agent, rejectUnauthorized: true });
        answers += 1;
        if (got !== 200) failures.push(got);
        if (fingerprint !== undefined) seen.add(fingerprint);
      }
      agent.destroy();
    };
    const clients = Array.from({ length: 64 }, (_, n) => call(n));
    for (let round = 1; round <= 9; round++) {
      const next = pairs[round % 3] ?? first;
      // In either order: between the two writes they are of two pairs.
      await writeFile(at('key.pem'), round % 2 ? next.key : next.key.slice(0, 100));
      if (round % 3 === 0) await sleep(60);
      await writeFile(at('cert.pem'), next.cert);
      await writeFile(at('key.pem'), next.key);
      if (round % 2) await started.listener.reload?.();
      await untilServedBy(started, next);
    }
    isOver = true;
    await Promise.all(clients);
    expect(failures).toEqual([]);
    expect(answers).toBeGreaterThan(64);
    expect(seen).toEqual(new Set(pairs.map(fingerprintOf)));
  },
);
