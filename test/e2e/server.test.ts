import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { get as httpsGet } from 'node:https';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { BuiltServer } from '../support/built-cli.ts';
import { makeTempFolder, startBuiltServer } from '../support/built-cli.ts';
import { makeSelfSigned } from '../support/self-signed.ts';
import type { SelfSigned } from '../support/self-signed.ts';
import { hasTool, runTool } from '../support/system-tool.ts';
import { until } from '../support/until.ts';

type StartOptions = NonNullable<Parameters<typeof startBuiltServer>[0]>;

/** Does not outlive its test. */
async function start(options?: StartOptions): Promise<BuiltServer> {
  const server = await startBuiltServer(options);
  onTestFinished(async () => void (await server.stop('SIGKILL')));
  return server;
}

const aPolicy = (name: string) => ({
  name,
  description: 'words-of-a-body',
  resource_type: 'AWS::S3::Bucket',
  rules: [{ condition: 'resource.public == true', effect: 'DENY' }],
});

const post = async (
  server: BuiltServer,
  where: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Record<string, unknown>> => {
  const response = await fetch(server.baseUrl + where, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${server.key}`,
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Record<string, unknown>;
};

describe('the built server', () => {
  it('logs a line for every request and never a key, token, secret, query or body', async () => {
    const server = await start();
    const client = await post(server, '/v1/oauth-clients', {
      name: 'ci',
      scopes: ['governance:read'],
    });
    const key = await post(server, '/v1/api-keys', { name: 'ci', scopes: ['governance:read'] });
    const basic = (secret: string) =>
      `Basic ${Buffer.from(`${String(client.client_id)}:${secret}`).toString('base64')}`;
    const [right, wrong] = [basic(String(client.client_secret)), basic('gcs_wrong-secret')];
    const grant = { grant_type: 'client_credentials' };
    const token = await post(server, '/auth/token', grant, { authorization: right });
    await post(server, '/auth/token', grant, { authorization: wrong });
    await post(server, '/v1/policies', aPolicy('logged'), { 'idempotency-key': 'once-only-key' });
    await post(server, '/v1/policies', aPolicy('refused'), {
      authorization: 'Bearer gk_wrong-key',
    });
    await fetch(`${server.baseUrl}/v1/policies?tags=words-of-a-query`, {
      headers: { authorization: `Bearer ${String(token.access_token)}` },
    });

    expect(await server.stop()).toBe(0);
    const log = String((await server.process).stderr);
    const lines = log.split('\n').filter((line) => line.startsWith('{'));
    const requests = lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ msg }) => msg === 'request');
    expect(requests.map(({ method, route, status }) => [method, route, status])).toEqual([
      ['POST', '/v1/oauth-clients', 201],
      ['POST', '/v1/api-keys', 201],
      ['POST', '/auth/token', 200],
      ['POST', '/auth/token', 401],
      ['POST', '/v1/policies', 201],
      ['POST', '/v1/policies', 401],
      ['GET', '/v1/policies', 200],
    ]);
    expect(new Set(requests.map(({ address }) => address))).toEqual(new Set(['127.0.0.1']));
    const secrets = [
      server.key,
      client.client_secret,
      key.key,
      token.access_token,
      'gcs_wrong-secret',
      right,
      wrong,
      'gk_wrong-key',
      'once-only-key',
      'words-of-a-body',
      'words-of-a-query',
    ];
    for (const secret of secrets) {
      expect(secret).toMatch(/^.{10,}/);
      expect(log).not.toContain(secret);
    }
  });

  it('on SIGTERM answers what it has begun, takes nothing new, and leaves whole files', async () => {
    const folder = makeTempFolder();
    const dataDir = path.join(folder, 'data');
    const server = await start({ dataDir });
    const body = JSON.stringify(aPolicy('begun'));
    const begun = httpRequest(`${server.baseUrl}/v1/policies`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${server.key}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        expect: '100-continue',
      },
    });
    const answer = new Promise<IncomingMessage>((resolve, reject) =>
      begun.once('response', resolve).once('error', reject),
    );
    begun.flushHeaders();
    // The server has seen the request's head.
    await new Promise((resolve) => begun.once('continue', resolve));
    begun.write(body.slice(0, 20));
    const stopped = server.stop('SIGTERM');
    await untilRefused(server);
    begun.end(body.slice(20));

    expect((await answer).statusCode).toBe(201);
    expect(await stopped).toBe(0);
    expect(readFileSync(path.join(dataDir, 'policies.json'), 'utf8')).toContain('"name":"begun"');
    expect(existsSync(path.join(dataDir, 'lock'))).toBe(false);
  });

  const certifies = hasTool('openssl', () => runTool('openssl', 'version'));

  it.skipIf(!certifies)('speaks TLS with the certificate it was given', async () => {
    const folder = makeTempFolder();
    const [cert, key] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const made = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', ...subject];
    runTool('openssl', 'req', ...made, '-keyout', key, '-out', cert);
    const server = await start({ args: ['--tls-cert', cert, '--tls-key', key] });
    expect(server.baseUrl).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    const answer = await new Promise<IncomingMessage>((resolve, reject) =>
      httpsGet(
        `${server.baseUrl}/v1/policies`,
        { ca: readFileSync(cert), headers: { authorization: `Bearer ${server.key}` } },
        resolve,
      ).once('error', reject),
    );
    expect(answer.statusCode).toBe(200);
    expect(JSON.parse(await text(answer))).toMatchObject({ policies: [] });
    expect(await server.stop()).toBe(0);
  });

  it.skipIf(!certifies)(
    'reloads its certificate at SIGHUP, and requires those of clients',
    async () => {
      const folder = makeTempFolder();
      const [one, other] = [makeSelfSigned(), makeSelfSigned()] as [SelfSigned, SelfSigned];
      const [cert, key, ca] = ['cert', 'key', 'ca'].map((name) => path.join(folder, name)) as [string, string, string]; // prettier-ignore
      writeFileSync(cert, one.cert);
      writeFileSync(key, one.key);
      writeFileSync(ca, other.cert);
      const server = await start({
        args: ['--tls-cert', cert, '--tls-key', key, '--tls-client-ca', ca],
      });
      const ask = (client: object, trusted: string) =>
        new Promise<number | undefined>((resolve) =>
          httpsGet(
            `${server.baseUrl}/healthz`,
            { ca: trusted, agent: false, ...client },
            ({ statusCode }) => resolve(statusCode),
          ).once('error', () => resolve(undefined)),
        );
      expect(await ask(other, one.cert)).toBe(200);
      expect(await ask({}, one.cert)).toBeUndefined();
      writeFileSync(cert, other.cert);
      writeFileSync(key, other.key);
      server.process.kill('SIGHUP');
      await until(async () => (await ask(other, other.cert)) === 200);
      writeFileSync(key, one.key);
      server.process.kill('SIGHUP');
      expect(await ask(other, other.cert)).toBe(200);
      expect(await server.stop()).toBe(0);
    },
  );

  it('goes on at SIGHUP where there is nothing to reload', async () => {
    const server = await start();
    for (let n = 0; n < 3; n++) {
      server.process.kill('SIGHUP');
      expect((await fetch(`${server.baseUrl}/healthz`)).status).toBe(200);
    }
    expect(await server.stop()).toBe(0);
    expect(String((await server.process).stderr)).toContain('nothing to reload');
  });
});

/** Until the listener has gone away. */
const untilRefused = (server: BuiltServer): Promise<void> =>
  until(() =>
    fetch(`${server.baseUrl}/healthz`, { headers: { connection: 'close' } }).then(
      () => false,
      () => true,
    ),
  );
