import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inventoryOf } from '../../server/inventory-service.ts';
import type { TestService } from '../../server/test-service.ts';
import { startTestService } from '../../server/test-service.ts';
import { platformInit } from '../../../src/client/http.ts';
import type { FakeWorldSettings, Outcome } from '../../support/fake-world.ts';
import { createFakeWorld, runCommandLine } from '../../support/fake-world.ts';

let service: TestService;
let cwd: string;
beforeEach(async () => {
  service = await startTestService();
  cwd = mkdtempSync(path.join(tmpdir(), 'govctl-local-'));
});
afterEach(async () => {
  await service.close();
  rmSync(cwd, { recursive: true });
});

const settings = (more: FakeWorldSettings = {}): FakeWorldSettings => ({
  cwd,
  env: { GOVCTL_BASE_URL: 'http://localhost:1', GOVCTL_TOKEN: service.key },
  fetch: async (url, init) => service.app.fetch(new Request(url, platformInit(init)), {}),
  ...more,
});
const run = (...argv: string[]): Promise<Outcome> => runCommandLine(argv, settings());
const json = async (...argv: string[]): Promise<Record<string, unknown>> => {
  const outcome = await run(...argv, '-o', 'json');
  if (outcome.stdout === '') throw new Error(outcome.stderr);
  return JSON.parse(outcome.stdout) as Record<string, unknown>;
};

describe('govctl server clock', () => {
  it('shows, sets, advances and puts the clock back', async () => {
    expect((await run('server', 'clock', 'show')).stdout).toBe(
      '2026-03-01T12:00:00.000Z\n  moved  no\n',
    );
    expect((await run('server', 'clock', 'set', '2026-03-02T13:00:00Z')).stdout).toBe(
      '2026-03-02T13:00:00.000Z\n  moved  by +1d1h\n',
    );
    expect(await json('server', 'clock', 'advance', '1d12h')).toMatchObject({
      format_version: 1,
      from: '2026-03-02T13:00:00.000Z',
      now: '2026-03-04T01:00:00.000Z',
      reached: true,
      steps: 0,
    });
    expect(await json('server', 'clock', 'reset')).toMatchObject({ offset_ms: 0 });
    expect((await run('server', 'clock')).stdout).toContain('moved  no');
  });

  it('once moved, is the clock that ages are counted by', async () => {
    await run('server', 'clock', 'advance', '30d');
    const now = () => Date.parse('2026-03-01T12:00:00Z');
    const narrow = settings({ now, tty: true, columns: 80 });
    const { stdout } = await runCommandLine(['event', 'list'], narrow);
    expect(stdout).toMatch(/^30d .*api\.key\.created/m);
  });

  it.each([
    [['set', '2h'], '`govctl server clock advance 2h`'],
    [['set', 'noon'], 'must be a date or a time'],
    [['shwo'], 'Did you mean show?'],
    [['show', '--port', '1'], "unknown option '--port'"],
    [['advance', 'soon'], 'soon is not a duration'],
    [['advance', '999999999999w'], 'beyond the year 9999'],
    [['advance', '1h', '--timeout', '0'], '--timeout 0'],
  ])('refuses %j', async (argv, why) => {
    const outcome = await run('server', 'clock', ...argv);
    expect([outcome.exitCode, outcome.stdout]).toEqual([3, '']);
    expect(outcome.stderr).toContain(why);
  });
});

describe('govctl server fault', () => {
  it('adds, lists and clears faults', async () => {
    const added = await run(
      'server',
      'fault',
      'add',
      '/v1/policies',
      '--status',
      '404',
      '--count',
      '2',
    );
    expect(added.stdout).toMatch(/^Added flt_\w+: any \/v1\/policies returns 404, 2 times\n$/);
    expect((await run('policy', 'list')).exitCode).toBe(1);
    const { faults } = await json('server', 'fault', 'list');
    expect(faults).toMatchObject([{ path: '/v1/policies', status: 404, hits: 1, left: 1 }]);
    const table = await run('server', 'fault', 'list');
    expect(table.stdout).toMatch(
      /ID +REQUESTS +FAULT +HITS +LEFT\nflt_\w+ +any \/v1\/policies +returns 404 +1 +1\n/,
    );
    expect((await run('server', 'fault', 'clear')).stdout).toBe('Cleared 1\n');
    expect((await run('policy', 'list')).exitCode).toBe(0);
    expect((await run('server', 'fault', 'list')).stderr).toContain('No faults.');
  });

  it('is passed by where the client tries again', async () => {
    await run('server', 'fault', 'add', '--method', 'GET', '--status', '503', '--retry-after', '0');
    expect((await run('policy', 'list')).exitCode).toBe(0);
  });

  it.each([
    [['--status', 'x'], '--status x'],
    [['--delay', 'x'], '--delay x'],
    [['--count', 'x', '--status', '500'], '--count x'],
    [['--error', 'rate_limit_exeeded', '--status', '429'], 'Did you mean rate_limit_exceeded?'],
    [['--error', 'nothing-like-it', '--status', '500'], 'Use one of: invalid_policy'],
    [['--error', 'rate_limited', '--status', '429'], 'Did you mean rate_limit_exceeded?'],
    [['--error', 'unavailable'], '--error requires --status'],
    [['--retry-after', '1', '--delay', '1s'], '--retry-after requires --status'],
    [['--status', '500', '--cut', 'body'], 'Use either --status or --cut'],
    [['--status', '700'], 'status must be'],
    [[], 'No fault specified: use --status, --delay or --cut'],
  ])('refuses %j, and says why once', async (argv, why) => {
    const outcome = await run('server', 'fault', 'add', ...argv);
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stderr.split(why)).toHaveLength(2);
  });

  it('cuts nothing of a fault on a narrow terminal', async () => {
    await run('server', 'fault', 'add', '/v1/policies/:id', '--method', 'GET', '--status', '503');
    const { stdout } = await runCommandLine(
      ['server', 'fault', 'list', '--no-color'],
      settings({ tty: true, columns: 60 }),
    );
    expect(stdout).toMatch(
      /^GET \/v1\/policies\/:id returns 503\n {2}id {4}flt_\w{26}\n {2}hits {2}0, 1 left\n$/,
    );
  });
});

describe('govctl server requests', () => {
  it('shows the last requests', async () => {
    await service.send('GET', '/v1/policies?limit=1');
    await service.send('GET', '/nowhere');
    const { stdout } = await run('server', 'requests');
    expect(stdout).toMatch(/STATUS +METHOD +PATH/);
    expect(stdout).toMatch(/200 +GET +\/v1\/policies .*\n.*404 +GET +\/nowhere .* not_found/);
    expect((await json('server', 'requests', '--limit', '1')).requests).toMatchObject([
      { number: 2, path: '/nowhere' },
    ]);
  });

  it('shows on 80 columns which path was asked, before all else', async () => {
    const asked = '/v1/webhooks/wh_01kjmm00000000000000000000/deliveries';
    await service.send('GET', asked);
    const { stdout } = await runCommandLine(
      ['server', 'requests', '--no-color'],
      settings({ tty: true, columns: 80 }),
    );
    expect(stdout).toContain(asked);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('follows those that come, until it is interrupted', async () => {
    await service.send('GET', '/healthz');
    const ending = new AbortController();
    const world = createFakeWorld(settings({ signal: ending.signal }));
    const followed = runCommandLine(['server', 'requests', '--follow', '-o', 'ndjson'], world);
    const sees = async (path: string): Promise<void> => {
      while (!world.written.stdout.includes(path)) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    };
    await sees('"/healthz"');
    await service.send('GET', '/readyz');
    await sees('"/readyz"');
    ending.abort();
    const { exitCode, stdout } = await followed;
    expect(exitCode).toBe(0);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { number: number });
    expect(lines.map(({ number }) => number)).toEqual([1, 2]);
  });
});

describe('govctl server snapshot, restore and reset', () => {
  it('saves all in a file for its owner only, empties the server, and brings it back', async () => {
    const inventory = inventoryOf(service);
    await inventory.createPolicy('kept');
    await inventory.put('b', { public: true });
    const saved = await json('server', 'snapshot', 'all.jsonl');
    expect(saved).toMatchObject({ file: 'all.jsonl', documents: expect.any(Number) as number });
    const file = path.join(cwd, 'all.jsonl');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toContain('"kept"');

    expect((await run('server', 'reset', '--yes')).stdout).toMatch(
      /^Deleted [\d,]+ records\n {2}policies +1\n/,
    );
    expect((await json('policy', 'list')).policies).toEqual([]);
    expect((await run('server', 'restore', 'all.jsonl', '--auto-approve')).stdout).toMatch(
      /^Restored .*\n {2}policies +1\n/,
    );
    expect((await json('policy', 'list')).policies).toMatchObject([{ name: 'kept' }]);
  });

  it('asks before anything goes, and where nobody can be asked, nothing does', async () => {
    await inventoryOf(service).createPolicy('kept');
    const refused = await run('server', 'reset');
    expect([refused.exitCode, refused.stderr]).toEqual([3, expect.stringContaining('--yes')]);
    const world = createFakeWorld(settings({ tty: true, answers: [false] }));
    expect((await runCommandLine(['server', 'reset'], world)).exitCode).toBe(3);
    expect(world.asked).toEqual(['Delete the data of http://localhost:1, except keys and tokens?']);
    expect((await json('policy', 'list')).policies).toHaveLength(1);
    writeFileSync(path.join(cwd, 'old.jsonl'), '{}\n');
    const restoring = createFakeWorld(settings({ tty: true, answers: [false] }));
    expect((await runCommandLine(['server', 'restore', 'old.jsonl'], restoring)).exitCode).toBe(3);
    expect(restoring.asked[0]).toContain('with old.jsonl?');
  });

  it('names the flag where another key sealed the secrets of a snapshot', async () => {
    const made = await service.send('POST', '/v1/webhooks', {
      body: { url: 'http://127.0.0.1:9/', events: ['scan.completed'], secret: 'for-this-test' },
    });
    expect(made.status).toBe(201);
    await run('server', 'snapshot', 'sealed.jsonl');
    await service.close();
    service = await startTestService();
    const refused = await run('server', 'restore', 'sealed.jsonl', '--yes');
    expect([refused.exitCode, refused.stderr]).toEqual([
      3,
      expect.stringContaining('restore with --new-secrets'),
    ]);
  });

  it('names a file that is not there or is no snapshot', async () => {
    const missing = await run('server', 'restore', 'none.jsonl', '--yes');
    expect([missing.exitCode, missing.stderr]).toEqual([
      3,
      'error: none.jsonl could not be read: no such file or directory\n',
    ]);
    writeFileSync(path.join(cwd, 'other.jsonl'), '{}\n');
    const other = await run('server', 'restore', 'other.jsonl', '--yes');
    expect([other.exitCode, other.stderr]).toEqual([3, expect.stringContaining('line 1')]);
    const unwritten = await run('server', 'snapshot', 'no/where.jsonl');
    expect([unwritten.exitCode, unwritten.stderr]).toEqual([
      1,
      expect.stringContaining('no/where'),
    ]);
  });
});

describe('govctl server seed', () => {
  it('takes files and folders of policies and of resources', async () => {
    writeFileSync(
      path.join(cwd, 'p.yaml'),
      'name: private\nresource_type: AWS::S3::Bucket\nrules:\n  - condition: resource.public == true\n    effect: DENY\n    message: Make it private\n',
    );
    writeFileSync(
      path.join(cwd, 'r.json'),
      '[{"id": "b", "type": "AWS::S3::Bucket", "public": true}]',
    );
    const there = { policies: 1, resources: 1, open_violations: 1, exemptions: 0 };
    expect((await json('server', 'seed', 'p.yaml', 'r.json')).now_there).toEqual(there);
    // Of folders, too; what already exists stays as it is.
    const again = await run('server', 'seed', '.');
    expect(again.stdout).toBe(
      'Seeded. The server has 1 policy, 1 resource, 1 open violation and no exemptions.\n',
    );
    expect(await run('server', 'seed', 'nowhere')).toMatchObject({
      exitCode: 3,
      stderr: 'error: nowhere could not be read: no such file or directory\n',
    });
  });
});

describe('a server that others can reach', () => {
  it('is left alone by all of them, in one line', async () => {
    await service.close();
    service = await startTestService({ isLocal: false });
    writeFileSync(path.join(cwd, 's.jsonl'), '{}\n');
    for (const argv of [
      ['clock', 'show'],
      ['clock', 'advance', '1h'],
      ['fault', 'list'],
      ['requests'],
      ['snapshot', 'x.jsonl'],
      ['restore', 's.jsonl', '--yes'],
      ['reset', '--yes'],
      ['reset'],
      ['seed'],
    ]) {
      const outcome = await run('server', ...argv);
      expect([argv, outcome.exitCode, outcome.stdout]).toEqual([argv, 4, '']);
      expect(outcome.stderr).toMatch(
        /^error: \/v1\/local requires a local server.*\n {2}→ Start one with.*\n.*LOC_001/,
      );
    }
  });

  it('is not sent what a snapshot or files hold, though nobody is asked', async () => {
    await service.close();
    service = await startTestService({ isLocal: false });
    writeFileSync(path.join(cwd, 's.jsonl'), 'all that another server stored\n');
    writeFileSync(path.join(cwd, 'r.json'), '[{"id": "b", "type": "AWS::S3::Bucket"}]');
    const sent: string[] = [];
    const fetch: FakeWorldSettings['fetch'] = async (url, init) => {
      sent.push(`${init.method ?? 'GET'} ${new URL(url).pathname}`);
      return service.app.fetch(new Request(url, platformInit(init)), {});
    };
    for (const argv of [
      ['restore', 's.jsonl', '--yes'],
      ['reset', '--yes'],
      ['seed', 'r.json'],
    ]) {
      expect((await runCommandLine(['server', ...argv], settings({ fetch }))).exitCode).toBe(4);
    }
    expect(sent).toEqual(sent.map(() => 'GET /v1/local'));
    expect(sent).toHaveLength(3);
  });
});
