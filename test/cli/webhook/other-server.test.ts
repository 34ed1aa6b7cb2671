import { beforeEach, describe, expect, it } from 'vitest';
import { createFakeWorld, runCommandLine } from '../../support/fake-world.ts';
import type { FakeWorldSettings, Outcome } from '../../support/fake-world.ts';
import { violationCreated } from '../../support/signed-delivery.ts';
import type { MinimalWebhooks } from '../../support/minimal-webhooks.ts';
import { createMinimalWebhooks } from '../../support/minimal-webhooks.ts';
import { until } from '../../support/until.ts';
import { signBody } from '../../../src/webhook/sign.ts';

const url = 'https://hooks.example.com/a';
const nothingElse = () => Promise.resolve(new Response('{"message": "no path"}', { status: 404 }));

/** Posts an event to every webhook, with the headers that the description names and no others. */
const deliver = ({ webhooks }: MinimalWebhooks, event: unknown): Promise<number[]> => {
  const body = JSON.stringify(event);
  return Promise.all(
    [...webhooks.values()].map(async ({ id, url: target, secret }) => {
      const headers = {
        'X-Service-Signature': signBody(String(secret), body),
        'X-Service-Timestamp': '1768478400',
        'X-Service-Webhook-ID': id,
      };
      return (await fetch(target, { method: 'POST', headers, body })).status;
    }),
  );
};

describe.each([
  ['that answers objects', false],
  ['that answers changes with nothing', true],
])('a server that only does what the description says, %s', (_, emptyAnswers) => {
  let minimal: MinimalWebhooks;
  let requests: string[];
  beforeEach(() => {
    minimal = createMinimalWebhooks(nothingElse, { refusesUnknown: true, emptyAnswers });
    requests = [];
  });
  const settings = (): FakeWorldSettings => ({
    env: { GOVCTL_BASE_URL: 'http://127.0.0.1:1', GOVCTL_TOKEN: 'any', HOOK: 'long enough' },
    fetch: async (address, init) => {
      requests.push(address);
      return address.endsWith('/test')
        ? new Response(emptyAnswers ? '' : '{"ok": true}')
        : minimal.fetch(address, init);
    },
  });
  const run = (...argv: string[]): Promise<Outcome> => runCommandLine(argv, settings());

  it('has webhooks created, listed, shown, changed, paused, rotated, tested and deleted', async () => {
    const flags = ['--url', url, '--event', 'scan.completed', '--secret-env', 'HOOK'];
    const created = await run('webhook', 'create', ...flags);
    expect([created.exitCode, created.stderr]).toEqual([0, '']);
    const table = await run('webhook', 'list');
    expect(table.stdout).toMatch(
      /^WEBHOOK .*\nhttps:\/\/hooks\.example\.com\/a +active +scan\.completed +- +wh_1\n$/,
    );
    const got = await run('webhook', 'get', url, '-o', 'json');
    expect(JSON.parse(got.stdout)).toEqual({
      format_version: 1,
      id: 'wh_1',
      url,
      events: ['scan.completed'],
    });
    const steps = [
      ['update', 'wh_1', '--event', 'scan.failed', '--severity', 'HIGH'],
      ['pause', 'wh_1', '--yes'],
      ['resume', url],
      ['rotate-secret', 'wh_1', '--generate-secret'],
      ['test', 'wh_1'],
    ];
    for (const step of steps) {
      expect([step, (await run('webhook', ...step)).exitCode]).toEqual([step, 0]);
    }
    expect(minimal.webhooks.get('wh_1')).toMatchObject({
      events: ['scan.failed'],
      filters: { severity: ['HIGH'] },
      active: true,
      secret: expect.stringMatching(/^whsec_/) as string,
    });
    const tested = await run('webhook', 'test', 'wh_1');
    expect(tested.stderr).toContain('does not report whether the event was delivered');
    const rotated = await run('webhook', 'rotate-secret', 'wh_1', '--secret-env', 'HOOK');
    expect(rotated.stderr).toContain('does not report whether deliveries are also signed');
    expect((await run('webhook', 'delete', 'wh_1', '--yes')).exitCode).toBe(0);
    expect(minimal.webhooks.size).toBe(0);
    // Nothing was asked that the description does not offer.
    expect(requests.filter((address) => address.includes('?'))).toEqual([]);
  });

  it('is listened to: a temporary webhook without a name, one signature, and its removal', async () => {
    const stop = new AbortController();
    const world = createFakeWorld({ ...settings(), signal: stop.signal });
    const ended = runCommandLine(['webhook', 'listen', '--events', 'scan.completed'], world);
    await until(() => world.written.stderr.includes('Listening'));
    expect(await deliver(minimal, violationCreated)).toEqual([200]);
    expect(world.written.stdout).toContain('policy.violation.created  valid signature');
    stop.abort();
    expect((await ended).exitCode).toBe(0);
    expect(minimal.webhooks.size).toBe(0);
  });

  it.each([
    [['webhook', 'deliveries', 'wh_1'], 'deliveries'],
    [['webhook', 'deliveries', 'wh_1', 'dlv_1'], 'deliveries'],
    [['webhook', 'redeliver', 'wh_1', '--failed'], 'deliveries'],
    [['event', 'list'], 'events'],
    [['event', 'list', '--follow'], 'events'],
    [['event', 'get', 'evt_1'], 'events'],
    [['event', 'trigger', 'scan.completed'], 'events'],
    [['event', 'replay', 'evt_1'], 'events'],
  ])('says in one line what %j lacks', async (argv, feature) => {
    await run('webhook', 'create', '--url', url, '--event', 'all', '--secret-env', 'HOOK');
    const outcome = await run(...argv);
    expect([outcome.exitCode, outcome.stderr]).toEqual([
      1,
      expect.stringContaining(`This server does not support ${feature}`),
    ]);
  });
});
