import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inventoryOf } from '../../server/inventory-service.ts';
import type { TestService } from '../../server/test-service.ts';
import { startTestService } from '../../server/test-service.ts';
import { runCommandLine } from '../../support/fake-world.ts';
import type { FakeWorldSettings } from '../../support/fake-world.ts';

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
  const inventory = inventoryOf(service);
  await inventory.createPolicy('private', { severity: 'HIGH' });
  for (const [id, owner] of [
    ['a', 'web'],
    ['b', 'web'],
    ['c', 'data'],
  ] as const) {
    await inventory.put(id, { public: true, tags: { owner } });
  }
  await service.evaluator.run();
});
afterEach(() => service.close());

const run = (argv: readonly string[], settings: FakeWorldSettings = {}) =>
  runCommandLine(['violation', ...argv], {
    env: { GOVCTL_BASE_URL: 'http://service.test', GOVCTL_TOKEN: service.key, NO_COLOR: '1' },
    fetch: async (url, init) => service.app.fetch(new Request(url, init), {}),
    ...settings,
  });
const resolve = (argv: readonly string[], settings?: FakeWorldSettings) =>
  run(['resolve', '--reason', 'account closed', ...argv], settings);

/** Resources of the violations with a status. */
async function resources(status: string): Promise<string[]> {
  const { stdout } = await run(['list', '--status', status, '-o', 'json']);
  const { violations } = JSON.parse(stdout) as { violations: { resource_id: string }[] };
  return violations.map((one) => one.resource_id).sort();
}

describe('govctl violation resolve with filters', () => {
  it('resolves the open violations that match, and no other', async () => {
    const done = await resolve(['--owner', 'web', '--auto-approve']);
    expect([done.exitCode, done.stdout]).toEqual([0, 'Resolved 2 violations\n']);
    expect(await resources('RESOLVED')).toEqual(['a', 'b']);
    expect(await resources('OPEN')).toEqual(['c']);
    const again = await resolve(['--owner', 'web', '--auto-approve']);
    expect([again.exitCode, again.stdout]).toEqual([0, 'No open violations match.\n']);
  });

  it('takes policies by name, as the list does', async () => {
    const done = await resolve(['--policy', 'private', '--severity', 'high', '-y', '-o', 'json']);
    expect(JSON.parse(done.stdout)).toMatchObject({ matched: 3, resolved: 3, dry_run: false });
  });

  it('shows with --dry-run what matches, by policy, and resolves none', async () => {
    const { exitCode, stdout } = await resolve(['--owner', 'web', '--dry-run']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^POLICY +TOTAL .*\nprivate +2 /);
    expect(stdout).toContain('\nWould resolve 2 violations\n');
    const json = await resolve(['--owner', 'web', '--dry-run', '-o', 'json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ matched: 2, resolved: 0, dry_run: true });
    expect(await resources('RESOLVED')).toEqual([]);
  });

  it('exits with 3 where it cannot ask, and changes nothing', async () => {
    const { exitCode, stdout, stderr } = await resolve(['--owner', 'web']);
    expect([exitCode, stdout]).toEqual([3, '']);
    expect(stderr).toContain('Approval required: run with --auto-approve, or from a terminal');
    expect(await resources('RESOLVED')).toEqual([]);
  });

  it('asks on a terminal, after showing what matches', async () => {
    const no = await resolve(['--owner', 'web'], { tty: true, answers: [false] });
    expect(no.exitCode).toBe(3);
    expect(no.stderr).toMatch(/private +2 /);
    expect(await resources('RESOLVED')).toEqual([]);
    const yes = await resolve(['--owner', 'web'], { tty: true, answers: [true] });
    expect(yes.exitCode).toBe(0);
    expect(await resources('RESOLVED')).toEqual(['a', 'b']);
  });

  it('resolves none if more match by then than were shown', async () => {
    const { exitCode, stderr } = await resolve(['--text', 'private', '-y'], {
      fetch: async (url, init) => {
        const isSecond = init.method === 'POST' && !String(init.body).includes('"dry_run":true');
        if (isSecond) await inventoryOf(service).put('late', { public: true });
        return service.app.fetch(new Request(url, init), {});
      },
    });
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain(
      '4 violations match, more than the maximum of 3; no violations were resolved',
    );
    expect(await resources('RESOLVED')).toEqual([]);
  });

  it('says that some may be resolved if the server ends meanwhile', async () => {
    const starting = { error: 'unavailable', error_description: 'The server is starting' };
    const { exitCode, stderr } = await resolve(['--owner', 'web', '-y'], {
      fetch: async (url, init) =>
        init.method === 'POST' && !String(init.body).includes('"dry_run":true')
          ? Response.json(starting, { status: 503, headers: { 'Retry-After': '0' } })
          : service.app.fetch(new Request(url, init), {}),
    });
    expect(exitCode).toBe(1);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
      'Some may be resolved. To resolve the rest, run the command again.',
    );
  });

  it.each([['--dry-run'], ['--auto-approve']])(
    'exits with 3 with %s if more match than the service resolves',
    async (flag) => {
      const fetch: FakeWorldSettings['fetch'] = async (url, init) => {
        const answer = await service.app.fetch(new Request(url, init), {});
        if (!String(init.body).includes('"dry_run":true')) return answer;
        return Response.json({ ...((await answer.json()) as object), matched: 83_333 });
      };
      const { exitCode, stdout, stderr } = await resolve(['--owner', 'web', flag], { fetch });
      expect(exitCode).toBe(3);
      expect(stdout).not.toContain('Would resolve');
      expect(stderr).toContain(
        '83,333 violations match, more than the maximum of 10,000; no violations were resolved',
      );
      expect(await resources('RESOLVED')).toEqual([]);
    },
  );

  it.each([
    [[], 'No violations selected'],
    [['viol_1', '--owner', 'web'], 'Use either a violation ID or filters'],
    [['viol_1', '--dry-run'], '--dry-run requires filters'],
  ])('refuses %j', async (argv, why) => {
    const { exitCode, stderr } = await resolve(argv);
    expect(exitCode).toBe(3);
    expect(stderr).toContain(why);
  });
});
