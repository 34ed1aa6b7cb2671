import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TestService } from '../../server/test-service.ts';
import { startTestService } from '../../server/test-service.ts';
import { runCommandLine } from '../../support/fake-world.ts';
import type { FakeWorldSettings, Outcome } from '../../support/fake-world.ts';
import { makeRepo } from '../../support/temp-repo.ts';

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

describe('govctl webhook list', () => {
  it('shows in 80 columns how many events were dropped, also of a webhook that works again', async () => {
    const id = 'wh_01m8cecv400mam7vy6hmf5fxzb';
    const hook = { id, url: 'https://hooks.example.com/governance/production', events: ['scan.failed', 'scan.completed'], status: 'active', waiting: 100_000 }; // prettier-ignore
    const ended = '2026-03-02T12:00:00.000Z';
    const dropped = { events: 1_105, since: '2026-03-01T12:00:00.000Z', last_at: ended, ended_at: ended }; // prettier-ignore
    const list = async (webhooks: object[]) => {
      const fetch = () => Promise.resolve(Response.json({ webhooks }));
      const shown = { fetch, tty: true, columns: 80, env: { NO_COLOR: '1' } };
      const { stdout } = await run(['webhook', 'list'], shown);
      return stdout.split('\n');
    };
    const [head = '', row = ''] = await list([{ ...hook, dropped }]);
    expect(head).toMatch(/DROPPED +ID/);
    expect(row).toMatch(/active .* 1,105 +wh_/);
    expect([head, row].every(({ length }) => length <= 80)).toBe(true);
    expect((await list([hook]))[0]).not.toContain('DROPPED');
  });
});

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
    expect((JSON.parse(piped.stdout) as { events: string[] }).events).toHaveLength(24);
    const asked = await run(flags, { tty: true, answers: [secret] });
    expect([asked.exitCode, asked.stdout]).toEqual([0, expect.not.stringContaining(secret)]);
    const made = await run([...flags, '--generate-secret', '-o', 'json']);
    const { secret: shown, secret_hint: hint } = JSON.parse(made.stdout) as Record<string, string>;
    expect(shown).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(hint).toBe(shown?.slice(-4));
    const told = await run([...flags, '--generate-secret']);
    expect(told.stdout).toMatch(/Secret {2}whsec_\S+ {3}\(shown only once\)/);
  });

  it.each([
    [['--event', 'scan.complete'], 'Did you mean scan.completed?'],
    [['--event', 'polcy.quarantined'], 'Did you mean policy.quarantined?'],
    [['--event', 'policy.updated'], 'Use policy.violation.created, policy.violation.resolved, '],
    [['--event', 'violation'], 'Use policy.violation.created, policy.violation.resolved, '],
    [['--event', 'none.of.these'], 'Run `govctl webhook create --help`'],
    [['--event', ','], 'has no event type'],
    [['--severity', 'hihg'], 'Did you mean HIGH?'],
    [['--max-attempts', '21'], '1 to 20'],
    [['--backoff-multiplier', '0'], 'from 1 to 10'],
    [['--timeout', '31'], '1 to 30'],
    [['--header', 'X-Team'], "must be 'Name: value'"],
    [['--header', 'X-Team: a\nX-Other: b'], 'on one line'],
    [['--header', 'X Team: a'], "must be 'Name: value'"],
    [['--header-env', 'X-Key: NOT_SET'], 'not set'],
    [['--url', 'ftp://example.com'], 'does not start with https://'],
    [['--url', 'nonsense'], 'is not a URL'],
    [['--url', 'https://me:hunter2@example.com/'], 'must not contain a user name or password'],
    [['--secret-env', 'NOT_SET'], 'not set'],
    [['--secret-env', 'SHORT'], 'at least 8'],
    [['--secret-env', 'BROKEN'], 'line break'],
    [['--secret-stdin'], 'Use only one of'],
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

  it('says so where the url has a webhook already', async () => {
    const { id } = await create('--name', 'first');
    const again = ['--event', 'all', '--secret-env', 'HOOK_SECRET'];
    const outcome = await run(['webhook', 'create', '--url', url, ...again]);
    expect(outcome.exitCode).toBe(0);
    expect(outcome.stderr).toContain(`already has a webhook, first (${String(id)})`);
  });

  it('says how a url is written where its scheme is missing', async () => {
    const hint = async (given: string) =>
      (
        await run([
          ...['webhook', 'create', '--url', given, '--event', 'all'],
          ...['--secret-env', 'HOOK_SECRET'],
        ])
      ).stderr;
    expect(await hint('localhost:3000/a')).toContain('Use http://localhost:3000/a.');
    expect(await hint('hooks.example.com')).toContain('Use https://hooks.example.com.');
    expect(await hint('nonsense')).toContain('https://hooks.example.com/path');
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

describe('govctl webhook create, where an answer is lost', () => {
  const flags = [
    ...['webhook', 'create', '--url', url, '--event', 'all', '--generate-secret'],
    ...['-o', 'json'],
  ];
  const cut = (): Promise<never> =>
    Promise.reject(Object.assign(new Error('cut'), { code: 'ECONNRESET' }));
  const inProcess: NonNullable<FakeWorldSettings['fetch']> = async (address, init) =>
    service.app.fetch(new Request(address, init), {});
  const live = async () =>
    (await service.send('GET', '/v1/webhooks')).json.webhooks as { secret_hint: string }[];

  it('finds out that it was created, and shows its secret', async () => {
    const outcome = await run(flags, {
      fetch: async (address, init) => {
        const answer = await inProcess(address, init);
        return init.method === 'POST' ? cut() : answer;
      },
    });
    expect([outcome.exitCode, outcome.stderr]).toEqual([0, '']);
    const { secret: shown } = JSON.parse(outcome.stdout) as { secret: string };
    expect(await live()).toMatchObject([{ secret_hint: shown.slice(-4) }]);
  });

  it('sends it again, under the same key, where it was not', async () => {
    const keys: unknown[] = [];
    const outcome = await run(flags, {
      fetch: (address, init) => {
        if (init.method !== 'POST') return inProcess(address, init);
        keys.push(init.headers['idempotency-key']);
        return keys.length === 1 ? cut() : inProcess(address, init);
      },
    });
    expect([outcome.exitCode, outcome.stderr]).toEqual([0, '']);
    expect(keys).toHaveLength(2);
    expect(keys[0]).toBe(keys[1]);
    expect(await live()).toHaveLength(1);
  });

  it('says that it may be there where nobody can tell, and never loses the secret', async () => {
    let isDown = false;
    const outcome = await run(flags, {
      fetch: async (address, init) => {
        if (isDown) return new Response('{"error": "no"}', { status: 501 });
        const answer = await inProcess(address, init);
        isDown = init.method === 'POST';
        return isDown ? cut() : answer;
      },
    });
    expect(outcome.exitCode).toBe(1);
    expect(outcome.stderr).toContain('may have been created');
    expect(outcome.stderr).toContain('govctl webhook list');
    const [, shown = ''] = /generated secret: (whsec_\S+)/.exec(outcome.stderr) ?? [];
    expect(await live()).toMatchObject([{ secret_hint: shown.slice(-4) }]);
  });

  it('shows no secret where the service refused it', async () => {
    const refused = await run([...flags, '--name', 'x'.repeat(1_000)]);
    expect([refused.exitCode, refused.stderr]).toEqual([3, expect.not.stringContaining('whsec_')]);
  });

  it('shows a rotated one, too', async () => {
    await create('--name', 'chat');
    const rotated = await run(['webhook', 'rotate-secret', 'chat', '--generate-secret'], {
      fetch: async (address, init) =>
        init.method === 'PUT' ? new Response('<html>', { status: 200 }) : inProcess(address, init),
    });
    expect([rotated.exitCode, rotated.stderr]).toEqual([
      1,
      expect.stringMatching(/secret: whsec_/),
    ]);
  });
});

describe('a webhook', () => {
  it('is named by id, name, url or key in git, and by nothing that several have', async () => {
    const { id } = await create('--name', 'chat');
    for (const named of [String(id), 'chat', url]) {
      expect(await json('webhook', 'get', named)).toMatchObject({ id });
    }
    const key = await create('--url', `${url}/c`, '--tag', 'govctl.key:ops-alerts@0123456789ab');
    expect(await json('webhook', 'get', 'ops-alerts')).toMatchObject({ id: key.id });
    const missing = await run(['webhook', 'get', 'chatt']);
    expect(missing.exitCode).toBe(1);
    expect(missing.stderr).toContain('Did you mean "chat"?');
    const { id: other } = await create('--url', `${url}/b`);
    await json('webhook', 'update', String(other), '--url', url);
    const several = await run(['webhook', 'get', url]);
    expect(several.exitCode).toBe(3);
    expect(several.stderr).toContain(String(other));
    expect((await run(['webhook', 'get', ' '])).exitCode).toBe(3);
  });

  it('is listed with its state, by any field, also in part', async () => {
    await create('--name', 'b');
    await create('--url', `${url}/a`, '--name', 'a', '--paused');
    const table = await run(['webhook', 'list', '--sort', 'name', '--order', 'asc']);
    expect(table.stdout).toMatch(/^WEBHOOK.*\na +paused .*\nb +active /);
    const named = async (status: string) =>
      ((await json('webhook', 'list', '--status', status)).webhooks as { name: string }[]).map(
        ({ name }) => name,
      );
    expect(await named('paused')).toEqual(['a']);
    expect(await named('active,paused')).toHaveLength(2);
    const none = await run(['webhook', 'list', '--status', 'failing', '--status', 'disabled']);
    expect([none.stdout, none.stderr]).toEqual(['', 'No webhooks match.\n']);
    const misspelt = await run(['webhook', 'list', '--status', 'pausd']);
    expect([misspelt.exitCode, misspelt.stderr]).toEqual([3, expect.stringContaining('paused?')]);
    const one = await run(['webhook', 'list', '--limit', '1', '-o', 'ndjson']);
    expect(one.stdout.trim().split('\n')).toHaveLength(1);
    expect(one.stderr).toContain('Showing 1 of 2');
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
    const two = await json('webhook', 'update', 'chat', '--clear', 'headers,tags');
    expect(two).not.toHaveProperty('headers');
    const unknown = await run(['webhook', 'update', 'chat', '--clear', 'header']);
    expect([unknown.exitCode, unknown.stderr]).toEqual([3, expect.stringContaining('headers?')]);
    const both = await run(['webhook', 'update', 'chat', '--clear', 'name', '--name', 'x']);
    expect(both.exitCode).toBe(3);
    expect((await run(['webhook', 'update', 'chat'])).stderr).toContain('No changes specified');
    expect(
      (await run(['webhook', 'update', 'chat', '--name', 'x', '--if-match', '"0"'])).exitCode,
    ).toBe(5);
  });

  it('that git keeps is changed with a warning, and stays kept', async () => {
    await create('--name', 'chat', '--tag', 'govctl.owner:shop', '--tag', 'team:core');
    const outcome = await run(['webhook', 'update', 'chat', '--tag', 'team:web', '-o', 'json']);
    expect(outcome.stderr).toContain('managed in git by project "shop"');
    expect(JSON.parse(outcome.stdout)).toMatchObject({ tags: ['team:web', 'govctl.owner:shop'] });
    const shown = (await run(['webhook', 'get', 'chat'])).stdout;
    expect(shown).toMatch(/tags +team:web\n +git +managed by project shop\n/);
    const cleared = await run(['webhook', 'update', 'chat', '--clear', 'tags', '-o', 'json']);
    expect(JSON.parse(cleared.stdout)).toMatchObject({ tags: ['govctl.owner:shop'] });
  });

  it('that git keeps is rotated with a word on the variable, as drift sees no secrets', async () => {
    await create('--name', 'chat', '--tag', 'govctl.owner:shop');
    const outcome = await run(['webhook', 'rotate-secret', 'chat', '--generate-secret']);
    expect(outcome.stderr).toContain('Set the variable named in its file to the new secret');
    expect(outcome.stderr).toContain('drift` does not compare secrets');
  });

  it('fits into the terminal', async () => {
    await create(
      '--name',
      'a chat',
      '--event',
      'scan.failed,policy.violation.created,user.login,scan.failed,user.role.changed',
    );
    await service.send('POST', '/v1/events', { body: { type: 'scan.failed' } });
    await run(['webhook', 'pause', 'a chat', '--yes']);
    const shown = await run(['webhook', 'get', 'a chat'], {
      ...{ tty: true, columns: 80 },
      env: { NO_COLOR: '1' },
    });
    expect(shown.stdout).toContain("webhook resume 'a chat'");
    expect(shown.stdout).toMatch(/events {5}scan\.completed, scan\.failed, .*\n {13}\S/);
    for (const line of shown.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('is paused and resumed, and says so where it is already', async () => {
    await create('--name', 'chat');
    expect((await run(['webhook', 'pause', 'chat', '-y'])).stdout).toMatch(/^Paused chat \(wh_/);
    expect((await run(['webhook', 'pause', 'chat'])).stdout).toContain('is already paused');
    const shown = await run(['webhook', 'get', 'chat']);
    expect(shown.stdout).toMatch(/status +paused since 2026-.* UTC\n/);
    expect(shown.stdout).toContain('`govctl webhook resume chat`');
    expect((await run(['webhook', 'resume', 'chat'])).stdout).toMatch(/^Resumed chat/);
  });

  it('gets another secret, and says until when the old one signs', async () => {
    await create('--name', 'chat');
    const outcome = await run(['webhook', 'rotate-secret', 'chat', '--generate-secret']);
    expect(outcome.stdout).toMatch(/^Rotated the secret of chat .*\nSecret {2}whsec_/);
    expect(outcome.stderr).toContain('until 2026-03-02 12:00 UTC');
    expect((await run(['webhook', 'get', 'chat'])).stdout).toContain('valid until 2026-03-02');
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
    expect((await run(['webhook', 'list'])).stderr).toContain('No webhooks.');
  });

  it('is tested: 0 where the receiver takes it, 2 where not', async () => {
    await create('--name', 'good');
    const good = await run(['webhook', 'test', 'good', '--event', 'user.login']);
    expect([good.exitCode, good.stdout]).toEqual([
      0,
      'Delivered user.login to good: returned 204 after 3 ms\n',
    ]);
    await create('--name', 'bad', '--url', 'https://broken.example.com');
    const bad = await run(['webhook', 'test', 'bad']);
    expect([bad.exitCode, bad.stdout]).toEqual([
      2,
      'Not delivered scan.completed to bad: returned 500 after 3 ms\n',
    ]);
    expect((await run(['webhook', 'test', 'bad', '--event', 'nope'])).exitCode).toBe(3);
  });
});

describe('a URL that webhooks of two projects have', () => {
  it('means the webhook of the project of this directory; elsewhere, the IDs and projects are listed', async () => {
    for (const project of ['platform', 'other']) {
      const tags = [`govctl.owner:${project}`, `govctl.key:chat@0123456789ab`];
      const body = { url, events: ['scan.completed'], secret, tags };
      expect((await service.send('POST', '/v1/webhooks', { body })).status).toBe(201);
    }
    const elsewhere = await run(['webhook', 'get', url]);
    expect(elsewhere.exitCode).toBe(3);
    expect(elsewhere.stderr).toMatch(/Use an ID: .*wh_\w+ \(project platform\)/);
    expect(elsewhere.stderr).toMatch(/Use an ID: .*wh_\w+ \(project other\)/);
    const cwd = makeRepo({ 'govctl.yaml': 'project: other\n' });
    for (const named of [url, 'chat']) {
      expect((await run(['webhook', 'get', named], { cwd })).stdout).toContain('by project other,');
    }
  });
});
