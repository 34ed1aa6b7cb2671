import path from 'node:path';
import { deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { contract } from '../../src/contract/contract.ts';
import { writeZip } from '../../src/report/formats/zip.ts';
import type { ZipEntry } from '../../src/report/formats/zip.ts';
import { composeTiny, renderText } from '../server/reports/report-world.ts';
import { join, password } from '../server/sign-in/people.ts';
import type { Sent, TestService } from '../server/test-service.ts';
import { startTestService } from '../server/test-service.ts';
import { createSecretScan } from '../support/secret-scan.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({
    reports: { compose: composeTiny, render: renderText },
    receive: () => Promise.resolve({ durationMs: 1, status: 500, headers: {}, body: 'no' }),
  });
});
afterAll(() => service.close());

/** For what was shown or sent once. */
const scan = createSecretScan();

const shownOnce = ['key', 'client_secret', 'access_token', 'signing_secret', 'secret'];

/** Keeps the secrets of an answer. */
function gather(name: string, answer: Readonly<Record<string, unknown>>): void {
  for (const field of shownOnce) {
    const value = answer[field];
    if (typeof value === 'string') scan.secret(`${name} ${field}`, value);
  }
  const { invitation_url: link } = answer;
  if (typeof link === 'string') scan.secret(`${name} invitation`, link.split('/').at(-1));
}

async function ask(method: string, url: string, sent: Sent = {}) {
  const { status, text } = await service.send(method, url, sent);
  expect([url, status < 300, text]).toEqual([url, true, text]);
  const json = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  gather(`${method} ${url}`, json);
  return json;
}

async function zipOf(text: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  const entry: ZipEntry = { name: 'a.txt', write: (write) => write(Buffer.from(text.repeat(9))) };
  const settings = { modified: '2026-03-01T12:00:00Z', signal: new AbortController().signal };
  await writeZip([entry], (chunk) => Promise.resolve(void chunks.push(chunk)), settings);
  return Buffer.concat(chunks);
}

it('the scan finds a secret however it is encoded, and in compressed files', async () => {
  const [value, text] = ['a "secret"/of+ours?', (secret: string): string => `before ${secret} after`]; // prettier-ignore
  const encoded = [
    ...[0, 1, 2].map((before) => Buffer.from(' '.repeat(before) + text(value)).toString('base64')),
    Buffer.from(text(value)).toString('base64url'),
    Buffer.from(value).toString('hex').toUpperCase(),
    encodeURIComponent(value),
    JSON.stringify({ value }),
    gzipSync(text(value)),
    await zipOf(text(value)),
    Buffer.concat([Buffer.from('stream\n'), deflateSync(text(value)), Buffer.from('endstream')]),
  ];
  for (const one of encoded) {
    const own = createSecretScan();
    own.secret('ours', value);
    own.text('here', one);
    expect([String(one), own.found()]).toEqual([String(one), ['ours in here']]);
  }
});

it('no secret that was shown or sent is in the data directory, snapshots, the log or the record of uses', async () => {
  scan.secret('bootstrap key', service.key);
  const once = { 'idempotency-key': 'once' };
  const scopes = ['governance:read', 'compliance:write'];
  const key = await ask('POST', '/v1/api-keys', { headers: once, body: { name: 'k', scopes, require_signature: false } }); // prettier-ignore
  await ask('POST', `/v1/api-keys/${String(key.id)}/rotate`, { body: { overlap_seconds: 60, require_signature: true } }); // prettier-ignore
  const client = await ask('POST', '/v1/oauth-clients', { body: { name: 'c', scopes } });
  const { client_id, client_secret } = client;
  const grant = { grant_type: 'client_credentials', client_id, client_secret };
  const token = await ask('POST', '/auth/token', { key: null, headers: once, body: grant });
  await service.send('GET', `/v1/policies?tags=${String(token.access_token)}`, { key: String(token.access_token) }); // prettier-ignore
  await service.send('GET', `/v1/policies/${String(key.key)}`, { key: String(key.key) });
  await service.send('POST', '/auth/token', { key: null, body: { ...grant, client_secret: `${String(client_secret)}x` } }); // prettier-ignore

  scan.secret('webhook secret', 'whole-webhook-secret-7f3a');
  const webhook = { url: 'https://hooks.example.com/', events: ['user.login', 'api.key.created'] };
  const { id } = await ask('POST', '/v1/webhooks', { body: { ...webhook, secret: 'whole-webhook-secret-7f3a' } }); // prettier-ignore
  await ask('POST', '/v1/api-keys', { body: { name: 'later', scopes } });
  await service.deliveries?.idle();
  await ask('GET', `/v1/webhooks/${String(id)}/deliveries`);

  scan.secret('report password', 'whole-report-password-91');
  const security = { password: 'whole-report-password-91' };
  await ask('POST', '/v1/reports', { body: { name: 'r', type: 'compliance', scope: {}, format_options: { formats: ['pdf'], security } } }); // prettier-ignore
  await service.reportWork.idle();

  await ask('POST', '/v1/users', { body: { email: 'waits@example.com', roles: ['viewer'] } });
  const { signIn } = service;
  const person = await join(
    service,
    {
      ...signIn,
      async enrol(asked) {
        const begun = await signIn.enrol(asked);
        if (begun.kind === 'enrolling') scan.secret('second factor', begun.secret);
        return begun;
      },
    },
    'ann',
    'admin',
  );
  scan.secret('password', password);
  scan.secret('session', person.token);
  scan.secret('device', person.device);
  for (const code of person.recovery) scan.secret(`recovery code ${code}`, code);
  expect(scan.size).toBeGreaterThan(15);

  const snapshot = await service.send('GET', contract.local.snapshot.path);
  expect(snapshot.status).toBe(200);
  await service.maintain();
  await service.uses.stop();
  scan.files('files', path.dirname(service.usesDir));
  scan.text('snapshot', snapshot.text);
  scan.text('log', JSON.stringify(service.logged));
  // The path is for the request log of a local server, in memory only.
  scan.text('requests', JSON.stringify(service.events.map(({ path: _, ...event }) => event)));
  expect(scan.places.some((place) => place.startsWith('files/uses'))).toBe(true);
  expect(scan.found()).toEqual([]);
});
