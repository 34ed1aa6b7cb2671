import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TestService } from '../../server/test-service.ts';
import { startTestService } from '../../server/test-service.ts';
import { runCommandLine } from '../../support/fake-world.ts';
import type { FakeWorldSettings, Outcome } from '../../support/fake-world.ts';

const secret = 'a secret of sixteen';
const url = 'https://hooks.example.com/governance';

let service: TestService;
beforeEach(async () => {
  service = await startTestService({
    receive: (outgoing) =>
      Promise.resolve(
        outgoing.url.includes('broken')
          ? { durationMs: 3, status: 500, body: 'no\u001b[31m red' }
          : { durationMs: 3, status: 204 },
      ),
  });
});
afterEach(() => service.close());

const run = (argv: readonly string[], settings: FakeWorldSettings = {}): Promise<Outcome> =>
  runCommandLine(argv, {
    fetch: async (address, init) => service.app.fetch(new Request(address, init), {}),
    now: () => service.deps.clock.now(),
    ...settings,
    env: {
      GOVCTL_BASE_URL: 'https://service.test',
      GOVCTL_TOKEN: service.key,
      HOOK_SECRET: secret,
      ...settings.env,
    },
  });
const json = async (...argv: string[]): Promise<Record<string, unknown>> => {
  const outcome = await run([...argv, '-o', 'json']);
  expect(outcome.stderr).toBe('');
  return JSON.parse(outcome.stdout) as Record<string, unknown>;
};
const create = (...flags: string[]): Promise<Record<string, unknown>> =>
  json(
    ...['webhook', 'create', '--url', url, '--event', 'scan.completed'],
    ...['--secret-env', 'HOOK_SECRET', ...flags],
  );

describe('govctl webhook create', () => {
  it('sends what its flags say, and shows no secret that it was given', async () => {
    const outcome = await run(
      [
        ...['webhook', 'create', '--url', url, '--event', 'scan.completed,scan.failed'],
        ...['--event', 'user.login', '--secret-env', 'HOOK_SECRET', '--name', 'chat'],
        ...['--severity', 'high', '--severity', 'CRITICAL', '--environment', 'prod'],
        ...['--provider', 'aws,gcp', '--max-attempts', '5', '--backoff-multiplier', '1.5'],
        ...['--timeout', '10', '--header', 'X-Team: core', '--header-env', 'X-Key: KEY'],
        ...['--tag', 'team:core', '-o', 'json'],
      ],
      { env: { KEY: 'hidden value' } },
    );
    expect(outcome.stderr).toBe('');
    expect(JSON.parse(outcome.stdout)).toMatchObject({
      url,
      events: ['scan.completed', 'scan.failed', 'user.login'],
      name: 'chat',
      filters: {
        severity: ['HIGH', 'CRITICAL'],
        environments: ['prod'],
        cloud_providers: ['aws', 'gcp'],
      },
      retry_config: { max_attempts: 5, backoff_multiplier: 1.5 },
      timeout_seconds: 10,
      headers: { 'X-Team': 'core', 'X-Key': 'hidden value' },
      tags: ['team:core'],
      secret_hint: 'teen',
    });
    expect(outcome.stdout).not.toContain(secret);
    const shown = await run(['webhook', 'get', 'chat']);
    expect(shown.stdout).toContain('X-Team, X-Key');
    expect(shown.stdout).not.toMatch(/hidden value|a secret of/);
  });

  it('takes every type, and a secret from standard input, a question, or made here', async () => {
    const flags = ['webhook', 'create', '--url', url, '--event', 'all'];
    const piped = await run([...flags, '--secret-stdin', '-o', 'json'], { stdin: `${secret}\n` });
    expect(JSON.parse(piped.stdout)).toMatchObject({ secret_hint: 'teen' });
    expect((JSON.parse(piped.stdout) as { events: string[] }).events).toHaveLength(20);
    const asked = await run(flags, { tty: true, answers: [secret] });
    expect([asked.exitCode, asked.stdout]).toEqual([0, expect.not.stringContaining(secret)]);
    const made = await run([...flags, '--generate-secret', '-o', 'json']);
    const { secret: shown, secret_hint: hint } = JSON.parse(made.stdout) as Record<string, string>;
    expect(shown).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(hint).toBe(shown?.slice(-4));
    const told = await run([...flags, '--generate-secret']);
    expect(told.stdout).toMatch(/Secret {2}whsec_\S+ {3}shown this once/);
  });

  it.each([
    [['--event', 'scan.complete'], 'Did you mean scan.completed?'],
    [['--event', ','], 'names no event type'],
    [['--severity', 'hihg'], 'Did you mean HIGH?'],
    [['--max-attempts', '21'], '1 to 20'],
    [['--backoff-multiplier', '0'], 'from 1 to 10'],
    [['--timeout', '31'], '1 to 30'],
    [['--header', 'X-Team'], "write it as 'Name: value'"],
    [['--header', 'X-Team: a\nX-Other: b'], 'in one line'],
    [['--header', 'X Team: a'], "write it as 'Name: value'"],
    [['--header-env', 'X-Key: NOT_SET'], 'not set'],
    [['--url', 'ftp://example.com'], 'neither https:// nor http://'],
    [['--url', 'nonsense'], 'is not a url'],
    [['--url', 'https://me:hunter2@example.com/'], 'must not hold a user name or password'],
    [['--secret-env', 'NOT_SET'], 'not set'],
    [['--secret-env', 'SHORT'], 'at least 8'],
    [['--secret-env', 'BROKEN'], 'line break'],
    [['--secret-stdin'], 'exclude each other'],
  ])('refuses %j with 3, and sends nothing', async (flags, message) => {
    const outcome = await run(
      [
        ...['webhook', 'create', '--url', url, '--event', 'user.login'],
        ...['--secret-env', 'HOOK_SECRET', ...flags],
      ],
      { env: { SHORT: 'short', BROKEN: 'two lines\nin one' } },
    );
    expect([outcome.exitCode, outcome.stderr]).toEqual([3, expect.stringContaining(message)]);
    expect(outcome.stderr).not.toMatch(/hunter2|two lines/);
    expect(service.events).toEqual([]);
  });

  it('needs a secret, and has no flag that would show one in process lists', async () => {
    const flags = ['webhook', 'create', '--url', url, '--event', 'all'];
    const none = await run(flags);
    expect([none.exitCode, none.stderr]).toEqual([3, expect.stringContaining('--secret-env NAME')]);
    expect((await run([...flags, '--secret', secret])).exitCode).toBe(3);
  });

  it("says what the service refuses, in the service's words", async () => {
    const outcome = await run([
      ...['webhook', 'create', '--url', 'http://hooks.example.com', '--event', 'all'],
      ...['--secret-env', 'HOOK_SECRET'],
    ]);
    expect([outcome.exitCode, outcome.stderr]).toEqual([3, expect.stringContaining('WHK_001')]);
    expect(outcome.stderr).toContain('url');
  });
});

describe('a webhook', () => {
  it('is named by id, name or url, and by nothing that several have', async () => {
    const { id } = await create('--name', 'chat');
    for (const named of [String(id), 'chat', url]) {
      expect(await json('webhook', 'get', named)).toMatchObject({ id });
    }
    const missing = await run(['webhook', 'get', 'chatt']);
    expect(missing.exitCode).toBe(1);
    expect(missing.stderr).toContain('Did you mean "chat"?');
    const { id: other } = await create();
    const several = await run(['webhook', 'get', url]);
    expect(several.exitCode).toBe(3);
    expect(several.stderr).toContain(String(other));
    expect((await run(['webhook', 'get', ' '])).exitCode).toBe(3);
  });

  it('is listed with its state, by any field, also in part', async () => {
    await create('--name', 'b');
    await create('--name', 'a', '--paused');
    const table = await run(['webhook', 'list', '--sort', 'name', '--order', 'asc']);
    expect(table.stdout).toMatch(/^WEBHOOK.*\na +disabled .*\nb +active /);
    const paused = (await json('webhook', 'list', '--status', 'disabled')).webhooks;
    expect(paused).toMatchObject([{ name: 'a' }]);
    const one = await run(['webhook', 'list', '--limit', '1', '-o', 'ndjson']);
    expect(one.stdout.trim().split('\n')).toHaveLength(1);
    expect(one.stderr).toContain('Shown: 1 of 2');
  });

  it('keeps the filters and headers that an update does not name', async () => {
    await create(
      '--name',
      'chat',
      '--severity',
      'HIGH',
      '--environment',
      'prod',
      '--header',
      'A: 1',
    );
    const updated = await json(
      ...['webhook', 'update', 'chat', '--severity', 'LOW', '--header', 'b: 2', '--header', 'a: 3'],
    );
    expect(updated).toMatchObject({
      filters: { severity: ['LOW'], environments: ['prod'] },
      headers: { a: '3', b: '2' },
    });
    expect(updated.headers).not.toHaveProperty('A');
    const cleared = await json('webhook', 'update', 'chat', '--clear', 'filters');
    expect(cleared).not.toHaveProperty('filters');
    const both = await run(['webhook', 'update', 'chat', '--clear', 'name', '--name', 'x']);
    expect(both.exitCode).toBe(3);
    expect((await run(['webhook', 'update', 'chat'])).stderr).toContain('Nothing to change');
    expect(
      (await run(['webhook', 'update', 'chat', '--name', 'x', '--if-match', '"0"'])).exitCode,
    ).toBe(5);
  });

  it('that git keeps is changed with a warning, and stays kept', async () => {
    await create('--name', 'chat', '--tag', 'govctl.owner:shop', '--tag', 'team:core');
    const outcome = await run(['webhook', 'update', 'chat', '--tag', 'team:web', '-o', 'json']);
    expect(outcome.stderr).toContain('kept in git by project "shop"');
    expect(JSON.parse(outcome.stdout)).toMatchObject({ tags: ['team:web', 'govctl.owner:shop'] });
    const shown = (await run(['webhook', 'get', 'chat'])).stdout;
    expect(shown).toMatch(/tags +team:web\n +git +kept by project shop\n/);
    const cleared = await run(['webhook', 'update', 'chat', '--clear', 'tags', '-o', 'json']);
    expect(JSON.parse(cleared.stdout)).toMatchObject({ tags: ['govctl.owner:shop'] });
  });

  it('is paused and resumed, and says so where it is already', async () => {
    await create('--name', 'chat');
    expect((await run(['webhook', 'pause', 'chat'])).stdout).toMatch(/^Paused chat \(wh_/);
    expect((await run(['webhook', 'pause', 'chat'])).stdout).toContain('is paused already');
    const shown = await run(['webhook', 'get', 'chat']);
    expect(shown.stdout).toContain('paused by a user');
    expect(shown.stdout).toContain('govctl webhook resume');
    expect((await run(['webhook', 'resume', 'chat'])).stdout).toMatch(/^Resumed chat/);
  });

  it('gets another secret, and says until when the old one signs', async () => {
    await create('--name', 'chat');
    const outcome = await run(['webhook', 'rotate-secret', 'chat', '--generate-secret']);
    expect(outcome.stdout).toMatch(/^Rotated the secret of chat .*\nSecret {2}whsec_/);
    expect(outcome.stderr).toContain('Until 2026-03-02T12:00:00.000Z');
    expect((await run(['webhook', 'get', 'chat'])).stdout).toContain('signs too until 2026-03-02');
    expect((await run(['webhook', 'rotate-secret', 'chat'])).exitCode).toBe(3);
  });

  it('goes only after a yes', async () => {
    const { id } = await create('--name', 'chat');
    const silent = await run(['webhook', 'delete', 'chat']);
    expect([silent.exitCode, silent.stderr]).toEqual([3, expect.stringContaining('--yes')]);
    const no = await run(['webhook', 'delete', 'chat'], { tty: true, answers: [false] });
    expect(no.exitCode).toBe(3);
    const yes = await run(['webhook', 'delete', 'chat', '-y', '-o', 'json']);
    expect(JSON.parse(yes.stdout)).toMatchObject({ deleted: id });
    expect((await run(['webhook', 'list'])).stderr).toContain('No webhooks match.');
  });

  it('is tested: 0 where the receiver takes it, 2 where not', async () => {
    await create('--name', 'good');
    const good = await run(['webhook', 'test', 'good', '--event', 'user.login']);
    expect([good.exitCode, good.stdout]).toEqual([
      0,
      'Delivered user.login to good: answered 204, after 3 ms\n',
    ]);
    await create('--name', 'bad', '--url', 'https://broken.example.com');
    const bad = await run(['webhook', 'test', 'bad']);
    expect([bad.exitCode, bad.stdout]).toEqual([
      2,
      expect.stringMatching(/^Not delivered scan.completed to bad: answered 500/),
    ]);
    expect((await run(['webhook', 'test', 'bad', '--event', 'nope'])).exitCode).toBe(3);
  });
});
