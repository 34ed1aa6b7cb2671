import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LaunchServer, ServerOptions, Stopped } from '../../../src/cli/server/launcher.ts';
import { GovctlError } from '../../../src/contract/errors.ts';
import { startServer } from '../../../src/server/start.ts';
import type { FakeWorldSettings } from '../../support/fake-world.ts';
import { createFakeWorld, runCommandLine } from '../../support/fake-world.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'govctl-server-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A launcher that starts nothing, remembers its options, and is asked to stop at once. */
function fakeLauncher(
  more: {
    baseUrl?: string;
    notices?: string[];
    isLocal?: boolean;
    generated?: string;
    apiKeyWorks?: boolean;
    stopped?: Stopped;
  } = {},
) {
  const controller = new AbortController();
  const launched: ServerOptions[] = [];
  let stopped = 0;
  let reloaded = 0;
  const launchServer: LaunchServer = async (options) => {
    launched.push(options);
    setTimeout(() => controller.abort(), 5);
    return {
      baseUrl: more.baseUrl ?? 'http://127.0.0.1:8787',
      ...(options.apiKey !== undefined
        ? { apiKey: { key: options.apiKey, generated: false } }
        : more.generated
          ? { apiKey: { key: more.generated, generated: true } }
          : {}),
      notices: more.notices ?? [],
      ...(more.isLocal ? { isLocal: true } : {}),
      apiKeyWorks: more.apiKeyWorks ?? true,
      fetch: () => Promise.reject(new Error('not asked')),
      reload: async () => void reloaded++,
      stop: async () => {
        stopped++;
        return more.stopped ?? { cutOff: [] };
      },
    };
  };
  return {
    launched,
    stopped: () => stopped,
    reloaded: () => reloaded,
    launchServer,
    signal: controller.signal,
  };
}

const run = (argv: readonly string[], settings: FakeWorldSettings = {}) =>
  runCommandLine(['server', ...argv], { cwd: folder, ...settings });

describe('govctl server', () => {
  it('prints address, key and how to log in, and nothing else on stdout; stops at the signal with 0', async () => {
    const fake = fakeLauncher({ generated: 'gk_new', notices: ['A torn line was cut'] });
    const outcome = await run([], fake);
    expect(outcome.exitCode).toBe(0);
    expect(outcome.stdout).toBe(
      'Serving http://127.0.0.1:8787\n' +
        'API key  gk_new   (shown only once)\n' +
        'Log in   govctl auth login --base-url http://127.0.0.1:8787\n' +
        'Owner    govctl user create EMAIL --role owner (replaces this API key)\n',
    );
    expect(outcome.stderr).toContain('A torn line was cut');
    expect(outcome.stderr).toContain('Stopped.');
    expect(fake.stopped()).toBe(1);
    expect(fake.launched[0]).toEqual({
      host: '127.0.0.1',
      port: 8787,
      dataDir: path.join(folder, '.govctl/data'),
      store: 'lowdb',
      allowTargets: [],
      secretFiles: [],
      metrics: true,
      logLevel: 'info',
      env: {},
      signal: fake.signal,
    });
  });

  it('says to log in at the address that people reach it by', async () => {
    const { stdout } = await run(['--public-url', 'https://p.example.com'], fakeLauncher({}));
    expect(stdout).toMatch(/^Serving http:\/\/127\.0\.0\.1:8787\n/);
    expect(stdout).toContain('Log in   govctl auth login --base-url https://p.example.com\n');
  });

  it.each([
    [true, 'API key  shown at the first start (if lost, start with --new-api-key)'],
    [
      false,
      'API key  disabled, because owners sign in (if no owner can sign in, start with --new-api-key)',
    ],
  ])(
    'says of the key that no start shows again whether it works (%s)',
    async (apiKeyWorks, line) => {
      const { stdout } = await run([], fakeLauncher({ apiKeyWorks }));
      expect(stdout.split('\n')[1]).toBe(line);
    },
  );

  it('stops with 0 at a signal that comes while the stored data is loaded', async () => {
    const controller = new AbortController();
    const launchServer: LaunchServer = ({ signal }) => {
      setTimeout(() => controller.abort(), 5);
      return new Promise((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason as Error));
      });
    };
    const outcome = await run([], { launchServer, signal: controller.signal });
    expect(outcome).toMatchObject({ exitCode: 0, stdout: '' });
    expect(outcome.stderr).toContain('Stopped before the stored data was loaded.');
  });

  it('says what a stop cut off', async () => {
    const cutOff = ['2 responses not sent completely'];
    const { exitCode, stderr } = await run([], fakeLauncher({ stopped: { cutOff } }));
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringContaining('Stopped. Cut off: 2 responses not sent completely.\n'),
    ]);
  });

  it('ends at once with 130 where a stop does not end in time, and says what took so long', async () => {
    const stopped = { cutOff: [], stuck: 'writing to the disk' };
    let ended = 0;
    const endAtOnce = (): void => void ended++;
    const outcome = await run([], { ...fakeLauncher({ stopped }), endAtOnce });
    expect([outcome.exitCode, ended]).toEqual([130, 1]);
    expect(outcome.stderr).toContain('Stopped early: writing to the disk took too long.');
  });

  it('reloads at SIGHUP, from its start to its end', async () => {
    const { launchServer, reloaded, signal } = fakeLauncher();
    let hangUp: (() => void) | undefined;
    const heard: string[] = [];
    await run([], {
      signal,
      onHangUp(listener) {
        hangUp = listener;
        heard.push('listens');
        return () => void heard.push('stops');
      },
      async launchServer(options) {
        // The files are about to be read.
        hangUp?.();
        const server = await launchServer(options);
        setTimeout(() => hangUp?.(), 1);
        return { ...server, stop: () => server.stop().finally(() => heard.push('stopped')) };
      },
    });
    expect(reloaded()).toBe(1);
    expect(heard).toEqual(['listens', 'stopped', 'stops']);
  });

  it('says where tests may change it: only this machine can reach it', async () => {
    const { stdout } = await run([], fakeLauncher({ isLocal: true }));
    expect(stdout).toMatch(/^Local {4}clock and data can be changed for tests/m);
    const asJson = await run(['-o', 'json'], fakeLauncher({ isLocal: true }));
    expect(JSON.parse(asJson.stdout)).toMatchObject({ local: true });
  });

  it('gives one line of JSON with -o json', async () => {
    const outcome = await run(['-o', 'json'], fakeLauncher({ generated: 'gk_new' }));
    expect(outcome.stdout.trim().split('\n')).toHaveLength(1);
    expect(JSON.parse(outcome.stdout)).toEqual({
      format_version: 1,
      base_url: 'http://127.0.0.1:8787',
      api_key: 'gk_new',
      pid: process.pid,
      log_in: 'govctl auth login --base-url http://127.0.0.1:8787 --with-token',
    });
  });

  it('hands on every flag', async () => {
    const fake = fakeLauncher();
    await run(
      '--host 0.0.0.0 --port 0 --data-dir d --store postgres://h/db --ready-file r.json --config c.yaml --allow-target 10.0.0.0/8 --allow-target fd00::/8 --public-url https://p.example.com/ --tls-cert c.pem --tls-key k.pem --tls-client-ca ca.pem --rate-limit off --no-metrics --max-connections 100 --max-import 3 --log-level debug'.split(
        ' ',
      ),
      fake,
    );
    expect(fake.launched[0]).toEqual({
      host: '0.0.0.0',
      port: 0,
      dataDir: path.join(folder, 'd'),
      store: 'postgres://h/db',
      readyFile: path.join(folder, 'r.json'),
      configFile: path.join(folder, 'c.yaml'),
      allowTargets: ['10.0.0.0/8', 'fd00::/8'],
      publicUrl: 'https://p.example.com',
      tls: {
        cert: path.join(folder, 'c.pem'),
        key: path.join(folder, 'k.pem'),
        clientCa: path.join(folder, 'ca.pem'),
      },
      rateLimit: 'off',
      metrics: false,
      maxConnections: 100,
      maxImportBytes: 3_145_728,
      secretFiles: [path.join(folder, 'k.pem')],
      logLevel: 'debug',
      env: {},
      signal: fake.signal,
    });
  });

  it.each([
    ['127.0.0.1:9464', { host: '127.0.0.1', port: 9464 }],
    ['[::1]:0', { host: '::1', port: 0 }],
  ])('serves metrics on %s', async (given, metricsListen) => {
    const fake = fakeLauncher();
    await run(['--metrics-listen', given], fake);
    expect(fake.launched[0]).toMatchObject({ metrics: true, metricsListen });
  });

  it.each([
    [['--metrics-listen', '9464'], '127.0.0.1:9464 or [::1]:9464'],
    [['--metrics-listen', '127.0.0.1:70000'], '--metrics-listen 127.0.0.1:70000'],
    [
      ['--metrics-listen', '127.0.0.1:1', '--no-metrics'],
      'Use either --metrics-listen or --no-metrics',
    ],
    [['--max-connections', '2'], 'at least 16'],
    [['--max-connections', 'many'], 'at least 16'],
    [['--max-import', '0'], 'at least 1'],
  ])('refuses %s', async (argv, said) => {
    const outcome = await run(argv, fakeLauncher());
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stderr).toContain(said);
  });

  it('takes the key from flag, file or environment, and does not show it to people', async () => {
    const key = `gk_${'x'.repeat(43)}`;
    writeFileSync(path.join(folder, 'key.txt'), `${key}\n`);
    for (const [argv, env] of [
      [['--api-key', key], {}],
      [['--api-key-file', 'key.txt'], { GOVCTL_SERVER_API_KEY: 'not this one' }],
      [[], { GOVCTL_SERVER_API_KEY: key }],
    ] as const) {
      const fake = fakeLauncher();
      const outcome = await run(argv, { ...fake, env });
      expect(fake.launched[0]?.apiKey).toBe(key);
      expect(outcome.stdout).toContain('the key you provided');
      expect(outcome.stdout + outcome.stderr).not.toContain(key);
    }
  });

  it('hands on the key of secrets, and tells nobody', async () => {
    const env = { GOVCTL_SERVER_SECRET_KEY: 'c2VjcmV0' };
    const fake = fakeLauncher();
    const outcome = await run([], { ...fake, env });
    expect(fake.launched[0]?.secretKey).toBe('c2VjcmV0');
    expect(outcome.stdout + outcome.stderr).not.toContain('c2VjcmV0');
  });

  it('makes a new key for who lost the first one', async () => {
    const later = await run([], fakeLauncher());
    expect(later.stdout).toContain('--new-api-key');
    const fake = fakeLauncher();
    const outcome = await run(['--new-api-key'], fake);
    expect(fake.launched[0]?.apiKey).toMatch(/^gk_[A-Za-z0-9_-]{43}$/);
    expect(outcome.stdout).toContain(`${fake.launched[0]?.apiKey}   (shown only once)`);
  });

  it('warns where others could read the traffic', async () => {
    const outcome = await run([], fakeLauncher({ baseUrl: 'http://10.0.0.5:8787' }));
    expect(outcome.stderr).toContain('--tls-cert');
  });

  it.each([
    [['--port', '99999'], '--port 99999'],
    [['--port', 'http'], '--port http'],
    [['--store', 'mongo'], 'unknown store'],
    [['--tls-cert', 'c.pem'], '--tls-key'],
    [['--tls-client-ca', 'c.pem'], '--tls-client-ca requires --tls-cert and --tls-key'],
    [['--allow-target', '10.0.0.0'], 'must be an address range'],
    [['--allow-target', '10.0.0.0/33'], 'must be an address range'],
    [['--public-url', 'x'], '--public-url'],
    [['--rate-limit', 'on'], 'Allowed choices'],
    [['--api-key', 'a b'], 'not a token'],
    [['--api-key', 'x', '--new-api-key'], 'Use only one of --api-key, --new-api-key'],
  ])('refuses %j before anything starts', async (argv, why) => {
    const fake = fakeLauncher();
    const outcome = await run(argv, fake);
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stderr).toContain(why);
    expect(fake.launched).toEqual([]);
  });

  it('says which file of a key could not be read', async () => {
    const outcome = await run(['--api-key-file', 'none'], fakeLauncher());
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stderr).toContain('--api-key-file none could not be read');
  });

  it('ends in the words of what could not start', async () => {
    const outcome = await run([], {
      launchServer: () => Promise.reject(new GovctlError('data_refused', 'The journal is damaged')),
    });
    expect(outcome).toMatchObject({ exitCode: 1, stdout: '' });
    expect(outcome.stderr).toContain('The journal is damaged');
  });

  it('serves for real: what it prints logs in', async () => {
    const controller = new AbortController();
    const world = createFakeWorld({
      cwd: folder,
      launchServer: startServer,
      signal: controller.signal,
    });
    const argv = [
      'server',
      '--port',
      '0',
      '--log-level',
      'silent',
      '-o',
      'json',
      '--ready-file',
      'ready.json',
    ];
    const serving = runCommandLine(argv, world);
    while (!world.written.stdout.includes('\n')) {
      expect(world.written.stderr).toBe('');
      await new Promise((done) => setTimeout(done, 10));
    }
    const ready = JSON.parse(world.written.stdout) as { base_url: string; api_key: string };
    expect(JSON.parse(readFileSync(path.join(folder, 'ready.json'), 'utf8'))).toEqual({
      base_url: ready.base_url,
      pid: process.pid,
    });
    const { createHttpFetch } = await import('../../../src/cli/credentials/http-fetch.ts');
    const outcome = await runCommandLine(
      ['auth', 'login', '--base-url', ready.base_url, '--with-token'],
      {
        cwd: folder,
        env: { GOVCTL_CONFIG_DIR: path.join(folder, 'config'), GOVCTL_KEYRING: 'off' },
        stdin: ready.api_key,
        fetch: createHttpFetch({}),
      },
    );
    expect(outcome).toMatchObject({ exitCode: 0 });
    controller.abort();
    expect(await serving).toMatchObject({ exitCode: 0 });
  });
});
