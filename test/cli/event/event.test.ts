import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TestService } from '../../server/test-service.ts';
import { startTestService } from '../../server/test-service.ts';
import { describeEvent } from '../../../src/cli/event/event-text.ts';
import { createFakeWorld, runCommandLine } from '../../support/fake-world.ts';
import type { FakeWorldSettings, Outcome } from '../../support/fake-world.ts';
import { violationCreated, violationDetected } from '../../support/signed-delivery.ts';
import { makeRepo } from '../../support/temp-repo.ts';
import { until } from '../../support/until.ts';

let service: TestService;
beforeEach(async () => {
  service = await startTestService({
    receive: () => Promise.resolve({ durationMs: 3, status: 204 }),
  });
});
afterEach(() => service.close());

const settings = (): FakeWorldSettings => ({
  env: { GOVCTL_BASE_URL: 'https://service.test', GOVCTL_TOKEN: service.key },
  fetch: async (address, init) => service.app.fetch(new Request(address, init), {}),
  now: () => service.deps.clock.now(),
});
const run = (argv: readonly string[], more: FakeWorldSettings = {}): Promise<Outcome> =>
  runCommandLine(argv, { ...settings(), ...more });
const json = async <T = Record<string, unknown>>(...argv: string[]): Promise<T> =>
  JSON.parse((await run([...argv, '-o', 'json'])).stdout) as T;
const trigger = (...argv: string[]) => json<{ id: string }>('event', 'trigger', ...argv);

describe('govctl event', () => {
  it('triggers an event with the data that is given, or with an example', async () => {
    const data = '{"scan": {"id": "scan_1", "name": "nightly", "status": "failed"}}';
    const cwd = makeRepo();
    writeFileSync(path.join(cwd, 'data.json'), data);
    const given = await run(['event', 'trigger', 'scan.failed', '--data', data]);
    expect(given.stdout).toMatch(/^Triggered scan\.failed \(evt_\w+\): nightly: failed/);
    const file = ['event', 'trigger', 'scan.failed', '--data', '@data.json', '-o', 'json'];
    expect((await run(file, { cwd })).stdout).toContain('"nightly"');
    const piped = ['event', 'trigger', 'scan.failed', '--data', '-', '-o', 'json'];
    expect((await run(piped, { stdin: data })).stdout).toContain('"nightly"');
    expect(await trigger('policy.violation.created')).toHaveProperty('data.violation.severity');
  });

  it.each([
    [['scan.complete'], 'Did you mean scan.completed?'],
    [['all'], 'Use a single event type'],
    [['scan.failed', '--data', '{'], 'is not valid JSON'],
    [['scan.failed', '--data', '[]'], 'is not a JSON object'],
  ])('refuses %j with 3', async (argv, message) => {
    const outcome = await run(['event', 'trigger', ...argv]);
    expect([outcome.exitCode, outcome.stderr]).toEqual([3, expect.stringContaining(message)]);
  });

  it('says that a file of data is not there', async () => {
    const outcome = await run(['event', 'trigger', 'scan.failed', '--data', '@none.json']);
    expect([outcome.exitCode, outcome.stderr]).toEqual([
      3,
      expect.stringContaining('none.json could not be read: no such file'),
    ]);
  });

  it('lists events, the latest first, and gets one as webhooks do', async () => {
    await trigger('scan.completed');
    service.advance(3_600_000);
    const { id } = await trigger('policy.violation.detected');
    const table = await run(['event', 'list']);
    expect(table.stdout).toMatch(
      /^CREATED +TYPE +WHAT +ID\n\S+ \S+ UTC +policy\.violation\.detected .*\n\S+ \S+ UTC +scan\.completed /,
    );
    const types = async (...flags: string[]) =>
      (await json<{ events: { type: string }[] }>('event', 'list', ...flags)).events.map(
        ({ type }) => type,
      );
    expect(await types('--event', 'scan.completed,scan.failed')).toEqual(['scan.completed']);
    expect(await types('--type', 'scan.failed', '--event', 'scan.completed')).toHaveLength(1);
    expect((await run(['event', 'list', '--type', 'user.login'])).stderr).toContain('match.');
    expect(await types('--since', '10m')).toEqual(['policy.violation.detected']);
    expect(await json('event', 'get', id)).toMatchObject({ event: 'policy.violation.detected' });
    expect((await run(['event', 'get', id])).stdout).toContain('"violation_id"');
    expect((await run(['event', 'get', 'evt_none'])).exitCode).toBe(1);
  });

  it('has whole IDs on a narrow terminal, beside the time and what happened', async () => {
    await trigger('policy.violation.created');
    service.advance(7_200_000);
    const narrow = { tty: true, columns: 80, env: { ...settings().env, NO_COLOR: '1' } };
    const { stdout, stderr } = await run(['event', 'list'], narrow);
    expect(stdout).toMatch(/\n2h +policy\.vio\S*created +HIGH .*… +evt_\w{26}\n/);
    expect(stderr).toBe('');
    const narrower = await run(['event', 'list'], { ...narrow, columns: 60 });
    expect(narrower.stdout).toMatch(/\n2h +policy\.\S*created +evt_\w{26}\n/);
    expect(narrower.stdout).toContain('Hidden column: WHAT. Use a wider');
    const wide = await run(['event', 'list'], { ...narrow, columns: 100 });
    expect(wide.stdout).toMatch(/\n2h +policy\.violation\.created +HIGH .*… +evt_\w{26}\n/);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('follows: the last ones, then each as it happens, as lines or JSON lines', async () => {
    for (let times = 0; times < 3; times++) await trigger('scan.completed');
    const stop = new AbortController();
    const people = createFakeWorld({ ...settings(), signal: stop.signal });
    const program = createFakeWorld({ ...settings(), signal: stop.signal });
    const follow = ['event', 'list', '--follow', '--limit', '2'];
    const ended = [
      runCommandLine(follow, people),
      runCommandLine([...follow, '-o', 'ndjson'], program),
    ];
    const lines = ({ written }: typeof people) => written.stdout.split('\n').length - 1;
    await until(() => lines(people) === 2 && lines(program) === 2);
    for (let times = 0; times < 120; times++) {
      await service.send('POST', '/v1/events', { body: { type: 'user.login' } });
    }
    await until(() => lines(people) >= 122 && lines(program) >= 122);
    stop.abort();
    expect((await Promise.all(ended)).map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    const sequences = program.written.stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { sequence: number }).sequence);
    const [first = 0] = sequences;
    expect(sequences).toEqual(Array.from({ length: 122 }, (_, at) => first + at));
  });

  it('goes on following when the service was away for a while', async () => {
    await trigger('scan.completed');
    const stop = new AbortController();
    let isAway = false;
    const { fetch, ...rest } = settings();
    const world = createFakeWorld({
      ...rest,
      signal: stop.signal,
      fetch: (address, init) =>
        isAway
          ? Promise.resolve(new Response('{"error": "internal_error"}', { status: 501 }))
          : (fetch?.(address, init) ?? Promise.reject(new Error('none'))),
    });
    const ended = runCommandLine(['event', 'list', '--follow'], world);
    await until(() => world.written.stdout.includes('scan.completed'));
    isAway = true;
    await until(() => world.written.stderr.includes('retrying until'));
    isAway = false;
    await service.send('POST', '/v1/events', { body: { type: 'user.login' } });
    await until(() => world.written.stdout.includes('user.login'));
    stop.abort();
    expect((await ended).exitCode).toBe(0);
  });

  it('replays events by id, or since a time, to all or to one webhook', async () => {
    const { id } = await trigger('scan.completed');
    await trigger('user.login');
    const create = ['webhook', 'create', '--url', 'https://a.example.com', '--event', 'user.login'];
    await run([...create, '--name', 'chat', '--generate-secret']);
    expect(await json('event', 'replay', id)).toMatchObject({ events: 1, deliveries: 0 });
    expect((await run(['event', 'replay', id])).stderr).toContain(
      'No webhook subscribes to these events',
    );
    expect(await json('event', 'replay', id, '--webhook', 'chat')).toMatchObject({ deliveries: 1 });
    expect(await json('event', 'replay', '--since', '1h')).toMatchObject({ deliveries: 1 });
    service.advance(1_000);
    const typed = ['event', 'replay', '--since', '1h', '--until', '0s', '--event', 'user.login'];
    expect((await run(typed)).stdout).toBe('Queued 1 event again: 1 delivery\n');
    for (const argv of [[], [id, '--since', '1h'], [id, '--until', '1h'], [id, '--type', 'all']]) {
      expect((await run(['event', 'replay', ...argv])).exitCode).toBe(3);
    }
  });
});

describe('the subject of an event, in words', () => {
  it.each([
    [violationCreated.data, 'HIGH arn:aws:s3:::logs: private buckets: Make it private'],
    [violationDetected.data, 'HIGH arn:aws:s3:::logs: private buckets: Make it private'],
    [
      { scan: { id: 'scan_1', status: 'completed', resources_scanned: 2, violations_found: 0 } },
      'scan_1: completed, 2 resources, 0 violations',
    ],
    [
      {
        compliance: {
          framework: 'SOC2',
          previous_status: 'COMPLIANT',
          status: 'NON_COMPLIANT',
          previous_score: 95,
          current_score: 88.5,
        },
      },
      'SOC2: COMPLIANT → NON_COMPLIANT, 95 → 88.5',
    ],
    [
      { framework: 'SOC2', previous_score: 93.5, current_score: 87.25, status: 'NON_COMPLIANT' },
      'SOC2: NON_COMPLIANT, 93.5 → 87.25',
    ],
    [
      {
        exemption: {
          ...{ id: 'exm_1', policy: 'no-public-buckets', resources: ['a', 'b', 'c'] },
          ...{ expires: '2026-06-30', action: 'created' },
        },
      },
      'no-public-buckets: created, a + 2, until 2026-06-30',
    ],
    [
      { ...violationCreated.data, a: 1 },
      'HIGH arn:aws:s3:::logs: private buckets: Make it private',
    ],
    [{ resource: { id: 'logs', type: 'AWS::S3::Bucket' } }, 'AWS::S3::Bucket logs'],
    [{ api_key: { id: 'key_1', name: 'ci' } }, 'ci'],
    [{ other: 7 }, '{"other":7}'],
    [{ policy: { name: 'a\u001b[2J\nb' } }, 'a\ufffd[2J b'],
    [null, ''],
    [{}, '{}'],
  ])('%j', (data, words) => {
    expect(describeEvent(data)).toBe(words);
  });
});
