import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TestService } from '../../server/test-service.ts';
import { startTestService } from '../../server/test-service.ts';
import { createFakeWorld, runCommandLine } from '../../support/fake-world.ts';
import type { FakeWorldSettings, Outcome } from '../../support/fake-world.ts';
import { until } from '../../support/until.ts';

const url = 'https://hooks.example.com/governance';

let service: TestService;
/** What the receiver answers. */
let answer: { status: number; body?: string };
beforeEach(async () => {
  answer = { status: 500, body: 'no\u001b[31m red\nsecond line\n' };
  service = await startTestService({
    receive: () => Promise.resolve({ durationMs: 3, headers: { via: 'x' }, ...answer }),
  });
  await run([
    ...['webhook', 'create', '--url', url, '--event', 'all', '--name', 'chat'],
    ...['--max-attempts', '1', '--generate-secret'],
  ]);
});
afterEach(() => service.close());

const settings = (): FakeWorldSettings => ({
  env: { GOVCTL_BASE_URL: 'https://service.test', GOVCTL_TOKEN: service.key },
  fetch: async (address, init) => service.app.fetch(new Request(address, init), {}),
  now: () => service.deps.clock.now(),
});
const run = (argv: readonly string[]): Promise<Outcome> => runCommandLine(argv, settings());
const json = async <T>(...argv: string[]): Promise<T> =>
  JSON.parse((await run([...argv, '-o', 'json'])).stdout) as T;
const trigger = async (type = 'scan.completed'): Promise<string> => {
  const { id } = await json<{ id: string }>('event', 'trigger', type);
  await service.deliveries?.idle();
  return id;
};

interface Listed {
  readonly deliveries: readonly { id: string; event_id: string; status: string }[];
}
const listed = async (...flags: string[]) =>
  (await json<Listed>('webhook', 'deliveries', 'chat', ...flags)).deliveries;

describe('govctl webhook deliveries', () => {
  it('lists what was sent, the latest first, by status, type and time', async () => {
    const first = await trigger();
    answer = { status: 204 };
    service.advance(3_600_000);
    const second = await trigger('user.login');
    const table = await run(['webhook', 'deliveries', 'chat']);
    expect(table.stdout).toMatch(
      /^STATUS +EVENT +ANSWER.*\nsucceeded +user.login +204 .*\nfailed +scan.completed +500 /,
    );
    expect(await listed('--status', 'failed')).toMatchObject([{ event_id: first }]);
    expect(await listed('--event', 'user.login')).toMatchObject([{ event_id: second }]);
    expect(await listed('--since', '30m')).toMatchObject([{ event_id: second }]);
    expect(await listed('--since', '2h')).toHaveLength(2);
    const misspelt = await run(['webhook', 'deliveries', 'chat', '--status', 'faild']);
    expect([misspelt.exitCode, misspelt.stderr]).toEqual([3, expect.stringContaining('failed?')]);
    expect((await run(['webhook', 'deliveries', 'chat', '--since', 'monday'])).exitCode).toBe(3);
  });

  it('has its times and ids on a narrow terminal, too', async () => {
    await run([
      ...['webhook', 'create', '--url', `${url}/b`, '--event', 'all', '--name', 'retried'],
      '--generate-secret',
    ]);
    await trigger('policy.violation.created');
    service.advance(300);
    const shown = await runCommandLine(['webhook', 'deliveries', 'retried'], {
      ...settings(),
      ...{ tty: true, columns: 80 },
      env: { ...settings().env, NO_COLOR: '1' },
    });
    expect(shown.stdout).toMatch(/^STATUS +EVENT +ANSWER +NEXT +AGE +ID *\n/);
    expect(shown.stdout).toMatch(/\npending +policy\S+ +500 +now +now +dlv_\w{26}\n/);
    for (const line of shown.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('shows every attempt of one, with nothing that acts on a terminal', async () => {
    await trigger();
    const [{ id } = { id: '' }] = await listed();
    const { stdout } = await run(['webhook', 'deliveries', 'chat', id]);
    expect(stdout).toMatch(/Attempt 1 {2}2026-\S+ \S+ UTC {2}returned 500 after 3 ms/);
    expect(stdout).toContain('| no\\x1b[31m red\n');
    expect(stdout).toMatch(/\| second line\n$/);
    expect(stdout).not.toContain('\u001b');
    expect((await run(['webhook', 'deliveries', 'chat', 'dlv_none'])).exitCode).toBe(1);
  });

  it('follows: each delivery once, and once more where it was tried again', async () => {
    await trigger();
    const stop = new AbortController();
    const world = createFakeWorld({ ...settings(), signal: stop.signal });
    const ended = runCommandLine(['webhook', 'deliveries', 'chat', '--follow'], world);
    await until(() => world.written.stdout.includes('scan.completed'));
    answer = { status: 204 };
    service.advance(1_000);
    await trigger('user.login');
    await until(() => world.written.stdout.includes('user.login'));
    const [{ id } = { id: '' }] = await listed('--status', 'failed');
    await run(['webhook', 'redeliver', 'chat', id]);
    await service.deliveries?.idle();
    await until(() => (world.written.stdout.match(/succeeded/g) ?? []).length >= 2);
    stop.abort();
    expect((await ended).exitCode).toBe(0);
    expect(world.written.stdout.match(/user\.login/g)).toHaveLength(1);
  });

  it('follows as JSON lines, but in no format that needs an end', async () => {
    const outcome = await run(['webhook', 'deliveries', 'chat', '--follow', '-o', 'json']);
    expect([outcome.exitCode, outcome.stderr]).toEqual([3, expect.stringContaining('-o ndjson')]);
  });
});

describe('govctl webhook redeliver', () => {
  it('queues one, or all that failed', async () => {
    await trigger();
    await trigger();
    answer = { status: 204 };
    const [one] = await listed();
    const outcome = await run(['webhook', 'redeliver', 'chat', one?.id ?? '']);
    expect([outcome.exitCode, outcome.stdout]).toEqual([
      0,
      expect.stringMatching(/^Queued scan.completed again/),
    ]);
    await service.deliveries?.idle();
    const all = await run(['webhook', 'redeliver', 'chat', '--failed', '--since', '1d']);
    expect(all.stdout).toMatch(/^Queued 1 delivery again/);
    await service.deliveries?.idle();
    expect((await run(['webhook', 'redeliver', 'chat', '--failed'])).stdout).toContain(
      'No failed deliveries match',
    );
  });

  it('says what is missing, and that a paused webhook gets nothing yet', async () => {
    await trigger();
    for (const argv of [[], ['dlv_1', '--failed'], ['dlv_1', '--since', '1h']]) {
      expect((await run(['webhook', 'redeliver', 'chat', ...argv])).exitCode).toBe(3);
    }
    await run(['webhook', 'pause', 'chat', '--yes']);
    const paused = await run(['webhook', 'redeliver', 'chat', '--failed']);
    expect(paused.stderr).toContain(
      'is paused. To send queued events, run `govctl webhook resume chat`',
    );
  });
});

describe('a webhook whose receiver fails', () => {
  it('shows since when, what waits, and what to do', async () => {
    await run([
      'webhook',
      'create',
      '--url',
      `${url}/b`,
      '--event',
      'all',
      '--name',
      'retried',
      '--generate-secret',
    ]);
    await trigger();
    const { stdout } = await run(['webhook', 'get', 'retried']);
    expect(stdout).toMatch(/events +all 24 types\n/);
    expect(stdout).toMatch(/failing +since 2026-/);
    expect(stdout).toMatch(/waiting +1 event\n/);
    expect(stdout).toMatch(/last sent +\S+ \S+ UTC scan.completed pending, returned 500\n/);
    expect(stdout).toContain('govctl webhook deliveries retried');
    expect((await run(['webhook', 'list'])).stdout).toMatch(/retried +failing/);
    const resumed = await run(['webhook', 'resume', 'retried']);
    expect(resumed.stdout).toContain('is already active');
    expect(resumed.stderr).toMatch(/1 event in the queue.*deliveries retried --status pending/);
  });
});

describe('a webhook that the service has disabled', () => {
  it('is told apart from one that was paused, and says what to do about what failed', async () => {
    await run(['webhook', 'update', 'chat', '--clear', 'retry_config']);
    await trigger();
    for (let hours = 0; hours < 26; hours++) {
      service.advance(3_600_000);
      service.deliveries?.poke();
      await service.deliveries?.idle();
    }
    const table = await run(['webhook', 'list', '--status', 'disabled']);
    expect(table.stdout).toMatch(/chat +disabled/);
    const { stdout } = await run(['webhook', 'get', 'chat']);
    expect(stdout).toMatch(/status +disabled since \S+ \S+ UTC: \S/);
    expect(stdout).toContain('`govctl webhook redeliver chat --failed`');
    const resumed = await run(['webhook', 'resume', 'chat']);
    expect(resumed.stderr).toContain('redeliver chat --failed');
  });
});
