import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import type { GovctlError } from '../../../src/contract/errors.ts';
import { serverState } from '../../../src/server/keys/collection.ts';
import { openSecretBox } from '../../../src/server/keys/secret-key.ts';
import { createSecretBox } from '../../../src/server/keys/secret-box.ts';
import { startServer } from '../../../src/server/start.ts';
import { openLowdbStore } from '../../../src/server/store/lowdb/open.ts';
import type { Store } from '../../../src/server/store/store.ts';

const random = (bytes: number): Uint8Array => randomBytes(bytes);
const newKey = (): string => randomBytes(32).toString('base64');

describe('a sealed secret', () => {
  const box = createSecretBox(random(32), random);
  const text = fc.string({ unit: 'binary' });

  it('opens under its owner, and only so', () => {
    fc.assert(
      fc.property(text, text, text, (secret, owner, other) => {
        const sealed = box.seal(secret, owner);
        expect(box.open(sealed, owner)).toBe(secret);
        if (owner !== other) expect(() => box.open(sealed, other)).toThrow();
      }),
    );
  });

  it('is another text each time and never shows what it holds', () => {
    const texts = Array.from({ length: 50 }, () => box.seal('tell-nobody', 'wh_1'));
    expect(new Set(texts).size).toBe(50);
    for (const text of texts) {
      expect(text).toMatch(/^v1:[\w-]+$/);
      expect(Buffer.from(text.slice(3), 'base64url').toString('latin1')).not.toContain('nobody');
    }
  });

  it('does not open with any of its bits changed, cut, or with another key', () => {
    const sealed = box.seal('tell-nobody', 'wh_1');
    const bytes = Buffer.from(sealed.slice(3), 'base64url');
    for (const [at, byte] of bytes.entries()) {
      const changed = Buffer.from(bytes);
      changed[at] = byte ^ 1;
      expect(() => box.open(`v1:${changed.toString('base64url')}`, 'wh_1')).toThrow();
      const cut = bytes.subarray(0, at).toString('base64url');
      expect(() => box.open(`v1:${cut}`, 'wh_1')).toThrow();
    }
    expect(() => box.open(sealed.replace('v1', 'v2'), 'wh_1')).toThrow();
    expect(() => createSecretBox(random(32), random).open(sealed, 'wh_1')).toThrow();
  });
});

describe('the key that secrets are sealed with', () => {
  let dataDir: string;
  let store: Store;
  beforeEach(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'govctl-secrets-test-'));
    store = await openLowdbStore({ dir: dataDir, collections: [serverState] });
  });
  afterEach(async () => {
    await store.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const file = (): string => path.join(dataDir, 'secret.key');
  const open = (isUsed: boolean, given?: string) =>
    openSecretBox({ store, random }, { dataDir, given, isUsed: () => isUsed });
  const refusal = async (opening: Promise<unknown>): Promise<GovctlError> =>
    opening.then(
      () => expect.unreachable('it opened'),
      (error: unknown) => error as GovctlError,
    );

  it('is made at the first start, for the owner only, and stays', async () => {
    const sealed = (await open(false)).seal('s', 'o');
    expect(await readFile(file(), 'utf8')).toMatch(/^[A-Za-z0-9+/]{43}=\n$/);
    if (process.platform !== 'win32') expect((await stat(file())).mode & 0o777).toBe(0o600);
    expect((await open(true)).open(sealed, 'o')).toBe('s');
    expect((await readdir(dataDir)).filter((name) => name.startsWith('secret'))).toEqual([
      'secret.key',
    ]);
  });

  it('that was given takes the place of the file, and no file is made', async () => {
    const key = newKey();
    const sealed = (await open(false, key)).seal('s', 'o');
    await expect(stat(file())).rejects.toThrow();
    expect((await open(true, ` ${key}\n`)).open(sealed, 'o')).toBe('s');
  });

  it('may be moved from the file into the environment', async () => {
    const sealed = (await open(false)).seal('s', 'o');
    const key = await readFile(file(), 'utf8');
    await rm(file());
    expect((await open(true, key)).open(sealed, 'o')).toBe('s');
  });

  it('that is lost is never made anew over what was sealed with it', async () => {
    await open(false);
    await copyFile(file(), path.join(dataDir, 'backup'));
    await rm(file());
    const { error, message, hint } = await refusal(open(true));
    expect(error).toBe('data_refused');
    expect(message).toContain(file());
    expect(hint).toContain('backup');
    await expect(stat(file())).rejects.toThrow();
    await copyFile(path.join(dataDir, 'backup'), file());
    await open(true);
  });

  it('that is another one is refused, wherever it comes from', async () => {
    await open(false);
    expect((await refusal(open(true, newKey()))).message).toContain('GOVCTL_SERVER_SECRET_KEY');
    await writeFile(file(), `${newKey()}\n`);
    expect((await refusal(open(true))).message).toContain(file());
  });

  it('may be another one as long as nothing was sealed', async () => {
    await open(false);
    const key = newKey();
    await open(false, key);
    await open(true, key);
  });

  it.each(['short', newKey().slice(1), randomBytes(31).toString('base64'), 'a b', `${newKey()}A`])(
    'is refused as wrong usage where it is given as %j',
    async (given) => {
      const { error, message } = await refusal(open(false, given));
      expect(error).toBe('usage_error');
      expect(message).not.toContain(given);
    },
  );

  it('is refused, not replaced, where its file holds something else', async () => {
    await writeFile(file(), 'oh no\n');
    expect((await refusal(open(false))).error).toBe('data_refused');
    expect(await readFile(file(), 'utf8')).toBe('oh no\n');
  });
});

it('a server makes its secret key at the first start and finds it again', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'govctl-secrets-test-'));
  const start = () =>
    startServer({
      host: '127.0.0.1',
      port: 0,
      dataDir: folder,
      store: 'lowdb',
      allowTargets: [],
      metrics: false,
      logLevel: 'silent',
    });
  await (await start()).stop();
  const key = await readFile(path.join(folder, 'secret.key'), 'utf8');
  await (await start()).stop();
  expect(await readFile(path.join(folder, 'secret.key'), 'utf8')).toBe(key);
  await rm(folder, { recursive: true, force: true });
});

describe('a server whose key is gone does not start over what it sealed:', () => {
  const body = (fields: object) =>
    JSON.stringify({
      name: 'x',
      schedule: { cron: '0 9 * * *' },
      report_template: { name: 'R', type: 'audit' },
      ...fields,
    });
  const security = { password: 'open sesame' };
  test.each<[string, string, string, string | undefined]>([
    [
      "a schedule's webhook",
      'POST',
      '/v1/reports/schedules',
      body({ delivery: { webhook: { url: 'https://93.184.216.34/', secret: 'long-enough' } } }),
    ],
    [
      "a schedule's password",
      'POST',
      '/v1/reports/schedules',
      body({ report_template: { name: 'R', type: 'audit', format_options: { security } } }),
    ],
    ['the key that signs', 'GET', '/v1/reports/signing/certificate', undefined],
  ])('%s', async (_, method, url, text) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'govctl-secrets-test-'));
    const start = () =>
      startServer({
        host: '127.0.0.1',
        port: 0,
        dataDir: folder,
        store: 'lowdb',
        allowTargets: [],
        metrics: false,
        logLevel: 'silent',
      });
    const server = await start();
    const got = await server.fetch(`${server.baseUrl}${url}`, {
      method,
      headers: {
        authorization: `Bearer ${server.apiKey?.key ?? ''}`,
        'content-type': 'application/json',
      },
      ...(text === undefined ? {} : { body: text }),
    });
    expect(got.status, await got.text()).toBeLessThan(300);
    await server.stop();
    await rm(path.join(folder, 'secret.key'));
    await expect(start()).rejects.toThrow('secret.key is missing');
    await rm(folder, { recursive: true, force: true });
  });
});
