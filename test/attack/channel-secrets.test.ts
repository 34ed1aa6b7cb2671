import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { StoredChannel } from '../../src/server/report-delivery/service.ts';
import { schedules } from '../../src/server/schedules/collection.ts';
import { startServer } from '../../src/server/start.ts';
import { openLowdbStore } from '../../src/server/store/lowdb/open.ts';
import { collections, lanes } from '../../src/server/wiring/modules.ts';
import { startPasswordSsh } from '../support/password-ssh.ts';

// Somebody with a key of compliance:write, and hosts of their own, is after the operator's credentials.

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

type Json = Record<string, unknown>;

/** What the server has, and no host of the thief's may see. */
const env = {
  GOVCTL_CHANNEL_SFTP: 'pr3fixed-password',
  SFTP_PASSWORD: 'l1sted-password',
  PLAIN: 'unl1sted-password',
  AWS_ACCESS_KEY_ID: 'AKIDOPERATOR',
  AWS_SECRET_ACCESS_KEY: 'st0rage-key',
  AWS_SESSION_TOKEN: 'sess10n-token',
};
const values = Object.values(env);

/** Notes each request, and answers with a status and headers. */
async function startHttp(status = 200, headers: Record<string, string> = {}) {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(JSON.stringify([request.url, request.headers]));
    request.resume().on('end', () => response.writeHead(status, headers).end());
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  open.push(() => new Promise((closed) => server.close(closed)));
  const { port } = server.address() as AddressInfo; // of a socket that listens on a port
  return { seen, host: `127.0.0.1:${port}`, url: `http://127.0.0.1:${port}` };
}

async function start(config: string, stored: readonly StoredChannel[] = []) {
  const folder = mkdtempSync(path.join(tmpdir(), 'govctl-secrets-test-'));
  open.push(() => rmSync(folder, { recursive: true, force: true }));
  const configFile = path.join(folder, 'server.yaml');
  writeFileSync(configFile, config);
  const dataDir = path.join(folder, 'data');
  if (stored.length > 0) {
    // As an earlier version took them.
    const store = await openLowdbStore({ dir: dataDir, collections, lanes });
    const at = '2026-03-01T12:00:00.000Z';
    const fields = { schedule: { cron: '0 9 * * 1' }, enabled: true, created_by: 'user_x' };
    const template = { name: 'R', type: 'compliance', format_options: { formats: ['csv'] } };
    for (const [index, channel] of stored.entries()) {
      const id = `sch_${index}`;
      await store.transact((tx) =>
        tx.insert(schedules, {
          ...fields,
          id,
          name: id,
          report_template: template as never, // as the schema makes it
          channels: [channel],
          created_at: at,
          updated_at: at,
        }),
      );
    }
    await store.close();
  }
  const admin = `gk_${'a'.repeat(43)}`;
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    dataDir,
    store: 'lowdb',
    apiKey: admin,
    allowTargets: [],
    rateLimit: 'off',
    metrics: false,
    logLevel: 'silent',
    configFile,
    env,
  });
  open.push(() => server.stop());
  const answers: string[] = [];
  const send = async (
    key: string,
    method: string,
    url: string,
    body?: unknown,
    type = 'application/json',
  ) => {
    const response = await server.fetch(new URL(url, server.baseUrl).href, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': type },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    answers.push(text);
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    return { status: response.status, json: (isJson ? JSON.parse(text) : {}) as Json };
  };
  const scopes = ['compliance:write', 'governance:read'];
  const made = await send(admin, 'POST', '/v1/api-keys', { name: 'thief', scopes });
  const key = String(made.json.key);
  return {
    server,
    answers,
    call: (method: string, url: string, body?: unknown) => send(key, method, url, body),
    asAdmin: (method: string, url: string, body?: unknown) => send(admin, method, url, body),
    restore: (snapshot: string) =>
      send(admin, 'POST', '/v1/local/restore', snapshot, 'application/x-ndjson'),
    create: (delivery: Json) =>
      send(key, 'POST', '/v1/reports/schedules', {
        name: 'Stolen',
        schedule: { cron: '0 9 * * 1' },
        report_template: { name: 'R', type: 'compliance', format_options: { formats: ['csv'] } },
        delivery,
      }),
    /** The delivery of a run, once it has been tried. */
    async runOnce(id: unknown): Promise<Json> {
      const at = `/v1/reports/schedules/${String(id)}`;
      const { json } = await send(key, 'POST', `${at}/run`);
      let delivery: Json | undefined;
      await expect
        .poll(
          async () => {
            const { runs } = (await send(key, 'GET', `${at}/runs`)).json as { runs: Json[] };
            const run = runs.find((one) => one.id === json.id);
            [delivery] = (run?.deliveries ?? []) as Json[];
            return Number(delivery?.attempts ?? 0);
          },
          { timeout: 20_000 },
        )
        .toBeGreaterThan(0);
      return delivery ?? {};
    },
  };
}

const sftpTo = (port: number, fields: Json = {}): Json => ({
  sftp: { host: '127.0.0.1', port, username: 'u', path: '/', ...fields },
});

describe('a schedule cannot have a credential of the server sent elsewhere', () => {
  test.each(['GOVCTL_CHANNEL_SFTP', 'PLAIN', 'AWS_SECRET_ACCESS_KEY', 'NOT_SET', 'toString'])(
    'the variable %s, which no configuration binds, is refused when a schedule names it',
    async (name) => {
      const thief = await startHttp();
      const { create, answers } = await start('');
      const said: unknown[] = [];
      for (const [field, delivery] of [
        ['sftp.password_env', sftpTo(22, { password_env: name })],
        ['sftp.private_key_env', sftpTo(22, { private_key_env: name })],
        ['webhook.secret_env', { webhook: { url: thief.url, secret_env: name } }],
        ['team_chat.webhook_url_env', { team_chat: { webhook_url_env: name } }],
      ] as const) {
        const { status, json } = await create(delivery);
        expect([status, json.details]).toEqual([
          400,
          [
            {
              field: `delivery.${field}`,
              message: expect.stringContaining(`uses ${name}`) as string,
            },
          ],
        ]);
        said.push(json.details);
      }
      // Whether there is such a variable is not told.
      expect(JSON.stringify(said)).not.toMatch(/not set/);
      expect(values.filter((value) => answers.join().includes(value))).toEqual([]);
    },
  );

  test.each([
    ['another host', { host: 'localhost' }],
    ['another port', { port: 22 }],
    ['a host that only ends like it', { host: 'x127.0.0.1' }],
    ['the same host in IPv6', { host: '::ffff:127.0.0.1' }],
    ['a secret that is bound to a bucket', { password_env: 'AWS_SECRET_ACCESS_KEY' }],
  ])('a password that is bound to a host goes to no other: %s', async (_, fields) => {
    const { create, call } = await start(
      'secrets:\n  SFTP_PASSWORD: {hosts: ["127.0.0.1:2222"]}\n  AWS_SECRET_ACCESS_KEY: {hosts: ["127.0.0.1:2222"], buckets: [reports]}\n',
    );
    const bound = sftpTo(2222, { password_env: 'SFTP_PASSWORD' });
    const { status, json } = await create(bound);
    expect(status).toBe(201);
    const moved = sftpTo(2222, { password_env: 'SFTP_PASSWORD', ...fields });
    expect(await create(moved)).toMatchObject({ status: 400, json: { error: 'invalid_schedule' } });
    const at = `/v1/reports/schedules/${String(json.id)}`;
    expect(await call('PUT', at, { delivery: moved })).toMatchObject({ status: 400 });
    expect((await call('GET', at)).json.delivery).toEqual(bound);
  });

  test.each([
    ['another bucket', { bucket: 'reports2' }, 'bucket'],
    ['another host', { endpoint: 'http://127.0.0.1:9' }, 'endpoint'],
    ['a host in front of an @', { endpoint: 'http://127.0.0.1:9000@127.0.0.1:9' }, 'endpoint'],
    ['a host behind a backslash', { endpoint: 'http://127.0.0.1:9\\@127.0.0.1:9000' }, 'endpoint'],
    ['a query that swallows the path', { endpoint: 'http://127.0.0.1:9?' }, 'endpoint'],
    ['a path that is another bucket', { endpoint: 'http://127.0.0.1:9000/secret' }, 'endpoint'],
    ['an empty step and another', { endpoint: 'http://127.0.0.1:9000//secret/' }, 'endpoint'],
    ['a step that hides one', { endpoint: 'http://127.0.0.1:9000/secret%2f..' }, 'endpoint'],
    ['a region that is a host', { endpoint: undefined, region: 'evil.example/' }, 'region'],
  ])('storage keys sign for their buckets and hosts only: %s', async (_, fields, field) => {
    const { create } = await start(
      'secrets: {AWS_SECRET_ACCESS_KEY: {hosts: ["127.0.0.1:9000"], buckets: [reports]}}\n',
    );
    const bound = { provider: 's3', bucket: 'reports', endpoint: 'http://127.0.0.1:9000' };
    expect((await create({ object_storage: bound })).status).toBe(201);
    const { status, json } = await create({ object_storage: { ...bound, ...fields } });
    expect([status, json.details]).toMatchObject([
      400,
      [{ field: `delivery.object_storage.${field}` }],
    ]);
  });
});

test('an endpoint with a path of its own has the buckets that are bound with that path', async () => {
  const http = await startHttp();
  const { create, runOnce } = await start(
    `secrets: {AWS_SECRET_ACCESS_KEY: {hosts: ["${http.host}"], buckets: [storage/v1/s3/reports]}}\n`,
  );
  const reports = { provider: 's3', bucket: 'reports' };
  const { json } = await create({
    object_storage: { ...reports, endpoint: `${http.url}/storage/v1/s3/` },
  });
  await runOnce(json.id);
  expect(http.seen.join()).toContain('"/storage/v1/s3/reports/');
  const elsewhere = { ...reports, endpoint: `${http.url}/storage/v2/s3` };
  expect((await create({ object_storage: elsewhere })).status).toBe(400);
});

test('schedules that an earlier version took say what they lack, fail at their run, and send nothing', async () => {
  const [ssh, http] = [await startPasswordSsh(), await startHttp()];
  open.push(ssh.close);
  const place = { host: '127.0.0.1', port: ssh.port, username: 'u', path: '/' };
  const { call, runOnce, answers, server } = await start('secrets: {SFTP_PASSWORD: "${PLAIN}"}\n', [
    { kind: 'sftp', ...place, password_env: 'GOVCTL_CHANNEL_SFTP' },
    { kind: 'sftp', ...place, password_env: 'SFTP_PASSWORD' },
    { kind: 'webhook', url: http.url, secret_env: 'PLAIN' },
    { kind: 'team_chat', webhook_url_env: 'PLAIN' },
    { kind: 'object_storage', provider: 's3', bucket: 'mine', endpoint: http.url },
    { kind: 'object_storage', provider: 's3', bucket: 'mine', endpoint: `${http.url}/x?acl=` },
  ]);
  expect(server.notices.join('\n')).toContain('secrets.SFTP_PASSWORD has no hosts');
  const fields = ['sftp.password_env', 'sftp.password_env', 'webhook.secret_env', 'team_chat.webhook_url_env', 'object_storage.bucket', 'object_storage.endpoint']; // prettier-ignore
  for (const [index, field] of fields.entries()) {
    const { json } = await call('GET', `/v1/reports/schedules/sch_${index}`);
    expect(json.problems).toEqual([
      { field: `delivery.${field}`, message: expect.stringContaining('--config') as string },
    ]);
    // What was read can be sent back, and changes nothing of it.
    expect((await call('PUT', `/v1/reports/schedules/sch_${index}`, json)).status).toBe(200);
    expect(await runOnce(`sch_${index}`)).toMatchObject({
      status: 'failed',
      attempts: 1,
      error: expect.stringMatching(`^delivery\\.${field} .*--config`) as string,
    });
  }
  expect([ssh.passwords, http.seen]).toEqual([[], []]);
  expect(values.filter((value) => answers.join().includes(value))).toEqual([]);
});

test("a snapshot of another server's schedules brings no bindings along", async () => {
  const ssh = await startPasswordSsh();
  open.push(ssh.close);
  const there = await start(`secrets: {SFTP_PASSWORD: {hosts: ["127.0.0.1:${ssh.port}"]}}\n`);
  await there.create(sftpTo(ssh.port, { password_env: 'SFTP_PASSWORD' }));
  await there.asAdmin('GET', '/v1/local/snapshot');
  const here = await start('');
  const restored = await here.restore(there.answers.at(-1) ?? '');
  expect(restored.json).toMatchObject({ restored: { schedules: 1 } });
  const { json } = await here.asAdmin('GET', '/v1/reports/schedules');
  const [schedule] = json.schedules as Json[];
  expect(schedule?.problems).toMatchObject([{ field: 'delivery.sftp.password_env' }]);
  expect(await here.runOnce(schedule?.id)).toMatchObject({ status: 'failed', attempts: 1 });
  expect(ssh.passwords).toEqual([]);
});

test('what is bound to a host goes there, and is in no answer and no snapshot', async () => {
  const ssh = await startPasswordSsh({ right: [env.SFTP_PASSWORD] });
  open.push(ssh.close);
  const { create, runOnce, answers, asAdmin } = await start(
    `secrets: {SFTP_PASSWORD: {hosts: ["127.0.0.1:${ssh.port}"]}}\n`,
  );
  const { json } = await create(sftpTo(ssh.port, { password_env: 'SFTP_PASSWORD' }));
  expect(json.problems).toBeUndefined();
  await runOnce(json.id);
  expect(ssh.passwords).toEqual([env.SFTP_PASSWORD]);
  const snapshot = await asAdmin('GET', '/v1/local/snapshot');
  expect(snapshot.status).toBe(200);
  expect(values.filter((value) => answers.join().includes(value))).toEqual([]);
});

test('a redirect of a bound host does not take a signed request elsewhere', async () => {
  const thief = await startHttp();
  const bound = await startHttp(307, { location: `${thief.url}/reports/x` });
  const { create, runOnce } = await start(
    `secrets: {AWS_SECRET_ACCESS_KEY: {hosts: ["${bound.host}"], buckets: [reports]}}\n`,
  );
  const { json } = await create({
    object_storage: { provider: 's3', bucket: 'reports', endpoint: bound.url },
  });
  expect(await runOnce(json.id)).toMatchObject({
    error: expect.stringContaining('redirects are not followed') as string,
  });
  expect(bound.seen.join()).toContain(env.AWS_SESSION_TOKEN);
  expect(bound.seen.join()).not.toContain(env.AWS_SECRET_ACCESS_KEY);
  expect(thief.seen).toEqual([]);
});

test('another SSH server in the place of a known one gets no password, however its host is spelled', async () => {
  const real = await startPasswordSsh({ right: [env.SFTP_PASSWORD] });
  const { create, runOnce } = await start(
    `secrets: {SFTP_PASSWORD: {hosts: ["localhost:${real.port}"]}}\n`,
  );
  const to = (host: string) => create(sftpTo(real.port, { host, password_env: 'SFTP_PASSWORD' }));
  await runOnce((await to('localhost')).json.id);
  expect(real.passwords).toEqual([env.SFTP_PASSWORD]);
  await real.close();
  const impostor = await startPasswordSsh({ port: real.port });
  open.push(impostor.close);
  for (const host of ['localhost', 'LocalHost', 'localhost.']) {
    const { error } = await runOnce((await to(host)).json.id);
    expect(error).toContain('has an unexpected host key');
  }
  expect(impostor.passwords).toEqual([]);
});
