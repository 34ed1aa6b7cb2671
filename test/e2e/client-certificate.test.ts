import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { BuiltServer } from '../support/built-cli.ts';
import { makeTempFolder, runCli, startBuiltServer } from '../support/built-cli.ts';
import { makeSelfSigned } from '../support/self-signed.ts';
import type { SelfSigned } from '../support/self-signed.ts';
import { runTool } from '../support/system-tool.ts';

const pairs = [makeSelfSigned('service.test'), makeSelfSigned(), makeSelfSigned()].filter(
  (pair) => pair !== undefined,
);
const [own, ann, other] = pairs as [SelfSigned, SelfSigned, SelfSigned];

const files = makeTempFolder();
const at = (name: string): string => path.join(files, name);
let server: BuiltServer;

beforeAll(async () => {
  if (pairs.length < 3) return;
  for (const [name, { cert, key }] of Object.entries({ own, ann, other })) {
    writeFileSync(at(`${name}.pem`), cert);
    writeFileSync(at(`${name}.key`), key, { mode: 0o600 });
  }
  const tls = { cert: at('own.pem'), key: at('own.key'), 'client-ca': at('ann.pem') };
  const args = Object.entries(tls).flatMap(([name, file]) => [`--tls-${name}`, file]);
  server = await startBuiltServer({ args });
});
afterAll(async () => void (await server?.stop()));

/** A machine of its own, where the server is trusted. */
function machine() {
  const home = makeTempFolder();
  const config = path.join(home, 'config');
  const run = (args: readonly string[], env: Record<string, string> = {}, input?: string) =>
    runCli(args, {
      cwd: files,
      env: { GOVCTL_CONFIG_DIR: config, NODE_EXTRA_CA_CERTS: at('own.pem'), ...env },
      ...(input === undefined ? {} : { input }),
    });
  const logIn = (...more: string[]) =>
    run(['auth', 'login', '--base-url', server.baseUrl, '--with-token', ...more], {}, server.key);
  const list = (env: Record<string, string> = {}) =>
    run(['policy', 'list'], { GOVCTL_BASE_URL: server.baseUrl, GOVCTL_TOKEN: server.key, ...env });
  return { config, run, logIn, list };
}

const shown = (cert: string, key: string) => ({ GOVCTL_CLIENT_CERT: cert, GOVCTL_CLIENT_KEY: key });
const ofAnn = shown('ann.pem', 'ann.key');

describe.skipIf(pairs.length < 3)('a service that requires client certificates', () => {
  it('is shown the one that auth login was given, from then on', async () => {
    const { config, run, logIn } = machine();
    const outcome = await logIn('--client-cert', 'ann.pem', '--client-key', 'ann.key');
    expect([outcome.exitCode, outcome.stderr]).toEqual([0, '']);
    const kept = readFileSync(path.join(config, 'profiles.json'), 'utf8');
    expect(JSON.parse(kept)).toMatchObject({
      profiles: { default: { client_cert: at('ann.pem'), client_key: at('ann.key') } },
    });
    expect(await run(['policy', 'list'])).toMatchObject({ exitCode: 0 });
    expect(await run(['api', 'GET', '/healthz'])).toMatchObject({ exitCode: 0 });
    const { stdout } = await run(['doctor']);
    expect(stdout).toContain(`client cert   ${at('ann.pem')}, 1 day left`);
    expect(stdout).toContain('/healthz returns 200');
    // A new login for the same service keeps it.
    expect(await logIn()).toMatchObject({ exitCode: 0 });
    expect(await run(['policy', 'list'])).toMatchObject({ exitCode: 0 });
  });

  it('is shown the one of the environment, before that of a profile', async () => {
    const { run, logIn, list } = machine();
    expect(await list(ofAnn)).toMatchObject({ exitCode: 0 });
    await logIn('--client-cert', 'ann.pem', '--client-key', 'ann.key');
    const wrong = await run(['policy', 'list'], shown('other.pem', 'other.key'));
    expect(wrong.stderr).toContain('may have rejected the client certificate');
  });

  it.each<[string, Record<string, string>, number, string]>([
    ['none', {}, 1, `cannot be reached: the server requires a client certificate\n  → Set GOVCTL_CLIENT_CERT and GOVCTL_CLIENT_KEY, or pass --client-cert`], // prettier-ignore
    ['one of another authority', shown('other.pem', 'other.key'), 1, 'the server closed the connection; it may have rejected the client certificate\n'], // prettier-ignore
    ['one whose key is missing', { GOVCTL_CLIENT_CERT: 'ann.pem' }, 3, 'GOVCTL_CLIENT_CERT is set, but GOVCTL_CLIENT_KEY is not'], // prettier-ignore
    ['one that is nowhere', shown('nowhere.pem', 'ann.key'), 1, `The client certificate, ${at('nowhere.pem')}, cannot be read: no such file`], // prettier-ignore
    ['one with the key of another', shown('ann.pem', 'other.key'), 3, `The key ${at('other.key')} does not belong to the client certificate ${at('ann.pem')}`], // prettier-ignore
    ['a key in place of one', shown('ann.key', 'ann.key'), 3, `${at('ann.key')} contains no client certificate in PEM format`], // prettier-ignore
    ['one in place of the key', shown('ann.pem', 'ann.pem'), 3, `The key of the client certificate, ${at('ann.pem')}, is not an unencrypted PEM key`], // prettier-ignore
  ])('says what is wrong where it is shown %s', async (_, env, exitCode, words) => {
    const outcome = await machine().list(env);
    expect(outcome).toMatchObject({ exitCode, stdout: '' });
    expect(outcome.stderr.replace(/^\S+ cannot be reached: .*; retrying.*\n/, '')).toContain(words); // prettier-ignore
  });

  it('says how a key with a password is converted', async () => {
    runTool('openssl', 'pkey', '-in', at('ann.key'), '-aes256', '-passout', 'pass:x', '-out', at('locked.key')); // prettier-ignore
    const { exitCode, stderr } = await machine().list(shown('ann.pem', 'locked.key'));
    expect([exitCode, stderr]).toEqual([
      3,
      expect.stringContaining(`openssl pkey -in ${at('locked.key')} -out KEY.pem`),
    ]);
  });

  it('is reached with a warning where others can read the key, whose mode stays', async () => {
    if (process.platform === 'win32') return;
    writeFileSync(at('open.key'), ann.key);
    chmodSync(at('open.key'), 0o644);
    const { exitCode, stderr } = await machine().list(shown('ann.pem', 'open.key'));
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringContaining(`${at('open.key')} can be read by every user of this machine`),
    ]);
    expect(statSync(at('open.key')).mode & 0o777).toBe(0o644);
  });

  it('is shown it through a proxy, which is shown none', async () => {
    writeFileSync(at('trusted.pem'), own.cert + ann.cert);
    const seen: (string | undefined)[] = [];
    const proxy = createServer({
      cert: ann.cert,
      key: ann.key,
      requestCert: true,
      rejectUnauthorized: false,
    });
    proxy.on('connect', ({ socket, url }: IncomingMessage, client: Duplex) => {
      seen.push(url, (socket as TLSSocket).getPeerX509Certificate()?.fingerprint256);
      const onwards = connect(Number(new URL(server.baseUrl).port), '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        client.pipe(onwards).pipe(client);
      });
      for (const end of [client, onwards]) end.on('error', () => undefined);
    });
    proxy.listen(0, '127.0.0.1');
    onTestFinished(() => void proxy.close());
    await once(proxy, 'listening');
    const outcome = await machine().list({
      ...ofAnn,
      GOVCTL_BASE_URL: 'https://service.test',
      NODE_EXTRA_CA_CERTS: at('trusted.pem'),
      HTTPS_PROXY: `https://localhost:${(proxy.address() as AddressInfo).port}`,
    });
    expect(outcome).toMatchObject({ exitCode: 0, stderr: 'No policies match.\n' });
    expect(seen).toEqual(['service.test:443', undefined]);
  });

  it('alone is shown it: not the provider of a CI job that asks for one, too', async () => {
    const seen: (string | undefined)[] = [];
    const provider = createServer(
      { cert: own.cert, key: own.key, requestCert: true, rejectUnauthorized: false },
      (request, response) => {
        seen.push((request.socket as TLSSocket).getPeerX509Certificate()?.fingerprint256);
        response.writeHead(403).end();
      },
    ).listen(0, '127.0.0.1');
    onTestFinished(() => void provider.close());
    await once(provider, 'listening');
    const { port } = provider.address() as AddressInfo;
    const outcome = await machine().run(['auth', 'login', '--oidc', '--base-url', server.baseUrl], {
      ...ofAnn,
      GITHUB_ACTIONS: 'true',
      ACTIONS_ID_TOKEN_REQUEST_URL: `https://127.0.0.1:${port}/token`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'x',
    });
    expect(outcome.stderr).toContain('GitHub issued no ID token');
    expect(seen).toEqual([undefined]);
  });

  it('is shown none that a repo names', async () => {
    const repo = at('repo');
    mkdirSync(repo);
    const own = `base_url: ${server.baseUrl}\nproject: x\n`;
    const more = `client_cert: ${at('ann.pem')}\nclient_key: ${at('ann.key')}\n`;
    writeFileSync(path.join(repo, 'govctl.yaml'), own + more);
    const outcome = await runCli(['policy', 'list'], {
      cwd: repo,
      env: { NODE_EXTRA_CA_CERTS: at('own.pem'), GOVCTL_CONFIG_DIR: at('config') },
    });
    expect([outcome.exitCode, outcome.stderr]).toEqual([3, expect.stringContaining('client_cert')]);
  });
});
