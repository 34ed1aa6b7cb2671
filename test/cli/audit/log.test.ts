import { readFile, readdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordAudit } from '../../../src/server/audit/service.ts';
import { createFakeWorld, runCommandLine } from '../../support/fake-world.ts';
import type { FakeWorldSettings, Outcome } from '../../support/fake-world.ts';
import { makeRepo } from '../../support/temp-repo.ts';
import type { TestService } from '../../server/test-service.ts';
import { policy, startTestService } from '../../server/test-service.ts';

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.close());

const settings = (): FakeWorldSettings => ({
  env: { GOVCTL_BASE_URL: 'http://service.test', GOVCTL_TOKEN: service.key, NO_COLOR: '1' },
  fetch: async (url, init) => service.app.fetch(new Request(url, init), {}),
});
const run = (argv: readonly string[], setup: FakeWorldSettings = {}): Promise<Outcome> =>
  runCommandLine(['audit', ...argv], { ...settings(), ...setup });

let made = 0;
async function change(times: number, key?: string): Promise<void> {
  for (let n = 0; n < times; n++) {
    const body = policy(`policy ${made++}`);
    await service.send('POST', '/v1/policies', { body, ...(key === undefined ? {} : { key }) });
  }
}

interface Listed {
  readonly audit_log: readonly {
    readonly sequence: number;
    readonly at: string;
    readonly action: string;
    readonly actor: string;
    readonly actor_name?: string;
  }[];
}

const list = async (...argv: string[]): Promise<Listed['audit_log']> =>
  (JSON.parse((await run(['list', ...argv, '-o', 'json'])).stdout) as Listed).audit_log;

describe('govctl audit list', () => {
  it('shows who did what, by name where it is known', async () => {
    const key = await service.keyWith('governance:read', 'compliance:write');
    await change(1, key);
    const { stdout } = await run(['list']);
    expect(stdout).toMatch(/governance:read compliance:write +policy\.create +pol_/);
    const [newest] = await list();
    expect(newest).toMatchObject({ actor_name: 'governance:read compliance:write' });
    expect(await list('--action', 'api_key.create')).toHaveLength(2);
    expect(await list('--actor', newest?.actor ?? '')).toHaveLength(1);
  });

  it('finds what somebody did by their email address, and says where nobody has it', async () => {
    const { json } = await service.send('POST', '/v1/users', {
      body: { email: 'ann@example.com', roles: ['viewer'] },
    });
    await service.deps.store.transact(async (tx) => {
      const actor = { userId: String(json.id), via: 'ses_1', requestId: 'req_1' };
      await recordAudit(service.deps, tx, actor, 'user.login', actor.userId);
    });
    const found = await list('--actor', 'Ann@example.com');
    expect(found).toMatchObject([{ action: 'user.login', actor: json.id }]);
    const wrong = await run(['list', '--actor', 'an@example.com']);
    expect(wrong).toMatchObject({ exitCode: 3, stdout: '' });
    expect(wrong.stderr).toContain('actor is not a user: an@example.com');
  });

  it('shows the commit of an apply, and whether its files had changes that no commit has', async () => {
    const commit = '0123456789abcdef0123456789abcdef01234567';
    for (const source of [`commit="${commit}", branch="main"`, `commit="${commit}", dirty`]) {
      const body = policy(`policy ${made++}`);
      await service.send('POST', '/v1/policies', { body, headers: { 'Govctl-Source': source } });
    }
    const { stdout } = await run(['list', '--action', 'policy.create']);
    expect(stdout).toMatch(
      /policy\.create .* 0123456 \(uncommitted changes\) .*\n.* 0123456 \(main\) /,
    );
  });

  it('filters by time, over pages, in both orders', async () => {
    for (let n = 0; n < 5; n++) {
      service.advance(3_600_000);
      await change(30);
    }
    const range = ['--since', '2026-03-01T14:00:00Z', '--until', '2026-03-01T17:00:00Z', '--all'];
    const found = await list(...range);
    expect(found).toHaveLength(90);
    expect(new Set(found.map(({ at }) => at.slice(11, 13)))).toEqual(new Set(['14', '15', '16']));
    const up = await list(...range, '--order', 'asc');
    expect(up.map(({ sequence }) => sequence)).toEqual(found.map(({ sequence }) => sequence).reverse()); // prettier-ignore
    expect(await list('--since', '2026-03-02')).toEqual([]);
    expect(await list('--until', '2026-03-01')).toEqual([]);
    expect(await list('--until', '2026-03-01T12:30:00Z', '--action', 'policy.create')).toEqual([]);
    const { json } = await service.send('GET', '/v1/audit-log?since=2026-03-01T14:00:00Z&until=2026-03-01T15:00:00Z&action=policy.create&limit=7'); // prettier-ignore
    expect(json).toMatchObject({ pagination: { total: 30, limit: 7, has_more: true } });
    const refused = await service.send('GET', '/v1/audit-log?since=2026-03-01T14:00:00Z&sort_by=actor'); // prettier-ignore
    expect(refused.status).toBe(400);
  });
});

describe('govctl audit tail', () => {
  it('shows the last entries, then each new one, goes on after an outage, and ends with Ctrl-C', async () => {
    await change(5);
    const stop = new AbortController();
    let isAway = false;
    const world = createFakeWorld({
      ...settings(),
      signal: stop.signal,
      fetch: async (url, init) =>
        isAway
          ? new Response('{"error": "internal_error"}', { status: 501 })
          : service.app.fetch(new Request(url, init), {}),
    });
    const ended = runCommandLine(['audit', 'tail', '--limit', '2'], world);
    const lines = (): number => world.written.stdout.split('\n').length - 1;
    const until = async (isSo: () => boolean): Promise<void> => {
      while (!isSo()) await sleep(20);
    };
    await until(() => lines() === 2);
    isAway = true;
    await until(() => world.written.stderr.includes('retrying until'));
    await change(3);
    const headers = { 'Govctl-Source': `commit="${'0123456'.padEnd(40, '7')}", branch="main"` };
    await service.send('POST', '/v1/policies', { body: policy('applied'), headers });
    isAway = false;
    await until(() => lines() === 6);
    stop.abort();
    expect((await ended).exitCode).toBe(0);
    expect(world.written.stdout).toMatch(/policy\.create {2}pol_\w+\n/);
    expect(world.written.stdout).toMatch(/policy\.create {2}pol_\w+ {2}0123456 \(main\)\n$/);
  });
});

describe('govctl audit export', () => {
  it('writes all entries with the signed end, which verify checks without the server', async () => {
    await change(120);
    const folder = makeRepo({});
    const exported = await run(['export', 'log.ndjson'], { cwd: folder });
    expect(exported).toMatchObject({ exitCode: 0 });
    expect(exported.stdout).toMatch(/^Exported 12\d entries to log\.ndjson\nHead {5}12\d:/);
    const file = path.join(folder, 'log.ndjson');
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600);
    const offline = { env: { NO_COLOR: '1' }, cwd: folder, fetch: () => Promise.reject(new Error('offline')) }; // prettier-ignore
    const verify = (...argv: string[]) => run(['verify', 'log.ndjson', ...argv], offline);
    const whole = await verify();
    expect(whole, whole.stderr).toMatchObject({ exitCode: 0 });
    expect(whole.stdout).toContain('The audit log is unchanged: 12');

    const text = await readFile(file, 'utf8');
    const rows = text.split('\n');
    const broken: Record<string, string> = {
      'is missing': [...rows.slice(0, 50), ...rows.slice(51)].join('\n'),
      'are missing': rows.slice(0, 80).join('\n'),
      'was changed': text.replace('policy.create', 'policy.delete'),
      'is not an audit log entry': text.slice(0, -40),
      'not signed': text.replace(/"hash":"../, '"hash":"00'),
    };
    for (const [said, changed] of Object.entries(broken)) {
      await writeFile(file, changed);
      const { exitCode, stdout } = await verify();
      expect([said, exitCode, stdout]).toEqual([said, 2, expect.stringContaining(said)]);
    }
    for (const other of ['', '{}\n', 'x\n', rows.slice(1).join('\n')]) {
      await writeFile(file, other);
      const { exitCode, stderr } = await verify();
      expect([exitCode, stderr]).toEqual([3, expect.stringContaining('not an exported audit log')]);
    }
  });

  it('leaves the file as it was where reading ends early', async () => {
    await change(120);
    const folder = makeRepo({ 'log.ndjson': 'earlier' });
    let requests = 0;
    const { exitCode } = await run(['export', 'log.ndjson'], {
      cwd: folder,
      fetch: async (url, init) => {
        requests += 1;
        if (requests > 2) return new Response('{"error": "forbidden"}', { status: 403 });
        return service.app.fetch(new Request(url, init), {});
      },
    });
    expect(exitCode).not.toBe(0);
    expect(await readFile(path.join(folder, 'log.ndjson'), 'utf8')).toBe('earlier');
    expect((await readdir(folder)).filter((name) => name.includes('.tmp'))).toEqual([]);
  });
});
