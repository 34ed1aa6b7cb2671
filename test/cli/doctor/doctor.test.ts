import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkNode } from '../../../src/cli/doctor/machine.ts';
import { checkClock } from '../../../src/cli/doctor/service.ts';
import type { Finding } from '../../../src/cli/doctor/finding.ts';
import type { FakeWorldSettings } from '../../support/fake-world.ts';
import { fakeNow, runCommandLine } from '../../support/fake-world.ts';
import { createMinimalService } from '../../support/minimal-service.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'govctl-doctor-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs doctor over the real network and gives its findings by name. */
async function examine(baseUrl: string | undefined, more: FakeWorldSettings = {}) {
  const outcome = await runCommandLine(['doctor', '-o', 'json'], {
    cwd: folder,
    realNetwork: more.fetch === undefined,
    ...more,
    env: {
      PATH: process.env.PATH,
      GOVCTL_CONFIG_DIR: path.join(folder, 'config'),
      GOVCTL_KEYRING: 'off',
      ...(baseUrl === undefined ? {} : { GOVCTL_BASE_URL: baseUrl, GOVCTL_TOKEN: 'token' }),
      ...more.env,
    },
  });
  const { checks } = JSON.parse(outcome.stdout) as { checks: Finding[] };
  return {
    ...outcome,
    found: Object.fromEntries(checks.map((finding) => [finding.check, finding])),
  };
}

describe('govctl doctor', () => {
  it('finds nothing wrong with a plain service that answers', async () => {
    const service = await createMinimalService().listen();
    try {
      const { exitCode, found } = await examine(service.baseUrl, { now: Date.now });
      expect(exitCode).toBe(0);
      expect(Object.values(found).filter(({ status }) => status !== 'ok')).toEqual([]);
      expect(Object.keys(found)).toEqual(
        expect.arrayContaining([
          'node',
          'logins',
          'keychain',
          'git',
          'disk',
          'dns',
          'tcp',
          'health',
          'clock',
          'login',
        ]),
      );
      expect(found.login?.message).toContain('can read 0 policies');
    } finally {
      await service.close();
    }
  });

  it('says what to do when no service is named', async () => {
    const { exitCode, found } = await examine(undefined);
    expect(exitCode).toBe(1);
    expect(found.service).toMatchObject({ status: 'fail' });
    expect(found.service?.hint).toContain('govctl auth login');
  });

  it('says that a port speaks plain http where https was meant', async () => {
    const server = createServer((_, answer) => answer.end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      const { found } = await examine(`https://127.0.0.1:${port}`);
      expect(found.tls).toMatchObject({
        status: 'fail',
        message: 'this port uses HTTP, not HTTPS',
        hint: expect.stringContaining('http://'),
      });
    } finally {
      server.close();
    }
  });

  it('finds where the way to the service ends, and stops there', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // it listens on TCP
    await new Promise((resolve) => server.close(resolve));
    const { exitCode, found } = await examine(`http://127.0.0.1:${port}`);
    expect(exitCode).toBe(1);
    expect(found.dns?.status).toBe('ok');
    expect(found.tcp).toMatchObject({ status: 'fail' });
    expect(found.login).toBeUndefined();
    const nowhere = await examine('https://no-such-host.invalid');
    expect(nowhere.found.dns).toMatchObject({ status: 'fail' });
    expect(nowhere.found.tcp).toBeUndefined();
  });

  it('finds a service that is up and still loads its data, whatever the login', async () => {
    const reasons = ['starting: the stored data is being loaded'];
    const { exitCode, found } = await examine('https://service.example.com', {
      fetch: async (url) =>
        url.endsWith('/healthz')
          ? new Response('{"status":"ok","version":"1"}')
          : new Response(JSON.stringify({ error: 'unavailable', status: 'not_ready', reasons }), {
              status: 503,
            }),
    });
    expect(exitCode).toBe(1);
    expect(found.health?.status).toBe('ok');
    expect(found.ready).toMatchObject({
      status: 'fail',
      message: 'the service is running, but not ready: starting: the stored data is being loaded',
    });
    expect(found.login).toBeUndefined();
  });

  it('warns of a service that cannot store changes, and goes on', async () => {
    const reasons = ['store: read-only because its disk cannot be written; see the log'];
    const { found } = await examine('https://service.example.com', {
      fetch: async (url) =>
        url.endsWith('/readyz')
          ? new Response(JSON.stringify({ status: 'degraded', reasons }))
          : new Response('{"status":"ok","version":"1"}'),
    });
    expect(found.ready).toEqual({
      check: 'ready',
      status: 'warn',
      message:
        'the service is degraded: store: read-only because its disk cannot be written; see the log',
      hint: expect.stringContaining('free space'),
    });
    expect(found.login).toBeDefined();
  });

  it('takes a service behind a gateway that answers 503 in its own words for not ready', async () => {
    const { found } = await examine('https://service.example.com', {
      fetch: async (url) =>
        url.endsWith('/healthz') ? new Response('ok') : new Response('<p>', { status: 503 }),
    });
    expect(found.ready?.message).toBe('the service is running, but not ready');
  });

  it('warns of webhooks whose waiting events are dropped', async () => {
    const dropped = { events: 5_005, since: '2026-03-01T12:00:00.000Z' };
    const hook = { url: 'https://a.example/', events: ['scan.failed'] };
    const webhooks = [
      { ...hook, id: 'wh_1', name: 'dead', waiting: 100_000, dropped },
      { ...hook, id: 'wh_2', name: 'well', dropped: { ...dropped, ended_at: dropped.since } },
      { ...hook, id: 'wh_3', name: 'slow', dropped },
    ];
    const { found } = await examine('https://service.example.com', {
      fetch: async (url) =>
        new Response(
          JSON.stringify(url.includes('/v1/webhooks') ? { webhooks } : { policies: [] }),
        ),
    });
    expect(found.webhooks).toEqual({
      check: 'webhooks',
      status: 'warn',
      message:
        '5,005 events of dead dropped since 2026-03-01T12:00:00.000Z, and of 1 other webhook',
      hint: expect.stringContaining('govctl webhook get wh_1'),
    });
  });

  it('finds a refused login', async () => {
    const { exitCode, found } = await examine('https://service.example.com', {
      fetch: async (url) =>
        url.endsWith('/healthz')
          ? new Response('{"status":"ok","version":"1"}')
          : new Response(
              JSON.stringify({ error: 'invalid_token', error_description: 'Unknown key' }),
              {
                status: 401,
              },
            ),
    });
    expect(exitCode).toBe(1);
    expect(found.login).toMatchObject({ status: 'fail', message: 'Unknown key' });
  });

  it('finds a broken govctl.yaml with its place, and logins that others can read', async () => {
    writeFileSync(path.join(folder, 'govctl.yaml'), 'projet: x\n');
    const credentials = path.join(folder, 'config', 'credentials');
    mkdirSync(credentials, { recursive: true });
    writeFileSync(path.join(credentials, 'default.json'), '{}');
    chmodSync(path.join(credentials, 'default.json'), 0o644);
    const { found } = await examine(undefined);
    expect(found['govctl.yaml']).toMatchObject({ status: 'fail' });
    expect(found['govctl.yaml']?.message).toMatch(/govctl\.yaml:1:1/);
    expect(found.logins).toMatchObject({ status: 'warn' });
    expect(found.logins?.hint).toContain('chmod');
  });

  it('does without git and without a keychain, but says so', async () => {
    const { found } = await examine(undefined, { env: { PATH: folder, GOVCTL_KEYRING: 'on' } });
    expect(found.git).toMatchObject({ status: 'warn' });
    expect(found.keychain).toMatchObject({ status: 'warn' });
  });

  it('writes one line for each finding, what to do under it', async () => {
    const outcome = await runCommandLine(['doctor'], {
      cwd: folder,
      env: { GOVCTL_CONFIG_DIR: folder, GOVCTL_KEYRING: 'off' },
    });
    expect(outcome.stdout).toMatch(/^ok {4}govctl +0\.0\.0-test\n/);
    expect(outcome.stdout).toMatch(/fail {2}service +No service given\n +→ /);
    expect(outcome.stdout).toMatch(/\d+ ok, (\d+ warnings?|no warnings), 1 failed\n$/);
  });
});

describe('single findings', () => {
  it.each([
    ['20.19.0', 'ok'],
    ['24.0.0', 'ok'],
    ['20.18.9', 'fail'],
    ['18.20.0', 'fail'],
  ])('Node %s: %s', (version, status) => {
    expect(checkNode(version).status).toBe(status);
  });

  it.each([
    [0, 'ok', 'matches'],
    [59_000, 'ok', 'matches'],
    [300_000, 'warn', '300 s ahead of'],
    [-300_000, 'warn', '300 s behind'],
  ])('a clock %d ms off: %s', (off, status, words) => {
    const finding = checkClock(new Date(fakeNow).toUTCString(), fakeNow + off);
    expect(finding).toMatchObject({ status });
    expect(finding?.message).toContain(words);
  });

  it('no clock is judged without a date', () => {
    expect(checkClock(null, 0)).toBeUndefined();
    expect(checkClock('soon', 0)).toBeUndefined();
  });
});
