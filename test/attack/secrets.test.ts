import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { contract } from '../../src/contract/contract.ts';
import { composeTiny, renderText } from '../server/reports/report-world.ts';
import { join, password } from '../server/sign-in/people.ts';
import type { Sent, TestService } from '../server/test-service.ts';
import { startTestService } from '../server/test-service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({
    reports: { compose: composeTiny, render: renderText },
    receive: () => Promise.resolve({ durationMs: 1, status: 500, headers: {}, body: 'no' }),
  });
});
afterAll(() => service.close());

/** What was shown or sent once, by what it is. */
const secrets = new Map<string, string>();

const shownOnce = ['key', 'client_secret', 'access_token', 'signing_secret', 'secret'];

/** Keeps the secrets of an answer. */
function gather(name: string, answer: Readonly<Record<string, unknown>>): void {
  for (const field of shownOnce) {
    const value = answer[field];
    if (typeof value === 'string') secrets.set(`${name} ${field}`, value);
  }
  const { invitation_url: link } = answer;
  if (typeof link === 'string') secrets.set(`${name} invitation`, link.split('/').at(-1) ?? '');
}

async function ask(method: string, url: string, sent: Sent = {}) {
  const { status, text } = await service.send(method, url, sent);
  expect([url, status < 300, text]).toEqual([url, true, text]);
  const json = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  gather(`${method} ${url}`, json);
  return json;
}

/** Every file below a folder, as text. */
async function textsIn(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return new Map(
    await Promise.all(
      files.map(async ({ parentPath, name }) => {
        const file = path.join(parentPath, name);
        return [path.relative(folder, file), await readFile(file, 'latin1')] as const;
      }),
    ),
  );
}

it('no secret that was shown or sent is in the data directory, snapshots, the log or the record of uses', async () => {
  secrets.set('bootstrap key', service.key);
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

  secrets.set('webhook secret', 'whole-webhook-secret-7f3a');
  const webhook = { url: 'https://hooks.example.com/', events: ['user.login', 'api.key.created'] };
  const { id } = await ask('POST', '/v1/webhooks', { body: { ...webhook, secret: 'whole-webhook-secret-7f3a' } }); // prettier-ignore
  await ask('POST', '/v1/api-keys', { body: { name: 'later', scopes } });
  await service.deliveries?.idle();
  await ask('GET', `/v1/webhooks/${String(id)}/deliveries`);

  secrets.set('report password', 'whole-report-password-91');
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
        if (begun.kind === 'enrolling') secrets.set('second factor', begun.secret);
        return begun;
      },
    },
    'ann',
    'admin',
  );
  secrets.set('password', password);
  secrets.set('session', person.token);
  if (person.device !== undefined) secrets.set('device', person.device);
  for (const code of person.recovery) secrets.set(`recovery code ${code}`, code);
  expect(secrets.size).toBeGreaterThan(15);

  const snapshot = await service.send('GET', contract.local.snapshot.path);
  expect(snapshot.status).toBe(200);
  await service.maintain();
  await service.uses.stop();
  const texts = await textsIn(path.dirname(service.usesDir));
  texts.set('snapshot', snapshot.text);
  texts.set('log', JSON.stringify(service.logged));
  // The path is for the request log of a local server, in memory only.
  texts.set('requests', JSON.stringify(service.events.map(({ path: _, ...event }) => event)));
  expect([...texts.keys()].some((file) => file.startsWith('uses'))).toBe(true);
  expect([...texts.values()].join('')).toContain(String(client_id));
  const found = [...secrets].flatMap(([name, secret]) =>
    [...texts].flatMap(([file, text]) => (text.includes(secret) ? [`${name} in ${file}`] : [])),
  );
  expect(found).toEqual([]);
});
