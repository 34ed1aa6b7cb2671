import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inventoryOf } from '../../server/inventory-service.ts';
import type { TestService } from '../../server/test-service.ts';
import { startTestService } from '../../server/test-service.ts';
import { runCommandLine } from '../../support/fake-world.ts';
import type { Outcome } from '../../support/fake-world.ts';

let service: TestService;
let inventory: ReturnType<typeof inventoryOf>;
const start = async (options: Parameters<typeof startTestService>[0] = {}): Promise<void> => {
  service = await startTestService(options);
  inventory = inventoryOf(service);
  await inventory.createPolicy('versioning', {
    severity: 'HIGH',
    rules: [{ condition: 'resource.versioning.enabled == false', effect: 'DENY' }],
    remediation_action: 'patch:{"versioning":{"enabled":true}}',
  });
  await inventory.put('invoices', { versioning: { enabled: false }, environment: 'prod' });
  await inventory.put('scratch', {
    versioning: { enabled: false },
    tags: { 'govctl.protect': 'yes' },
  });
};
beforeEach(() => start());
afterEach(() => service.close());

/** Every request is a turn of the background, too: what is waited for ends. */
const run = (...argv: string[]): Promise<Outcome> =>
  runCommandLine(['remediate', ...argv], {
    env: { GOVCTL_BASE_URL: 'http://service.test', GOVCTL_TOKEN: service.key },
    fetch: async (url, init) => {
      const answer = await service.app.fetch(new Request(url, init), {});
      await service.remediate();
      return answer;
    },
  });

describe('govctl remediate', () => {
  it('plan shows what would change, how far it reaches and what is left alone', async () => {
    const { exitCode, stdout } = await run('plan', '--policy', 'versioning');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^rem_\w+ {2}1 resource, 1 environment \(50% of its type\)$/m);
    expect(stdout).toContain('~ invoices  versioning  HIGH');
    expect(stdout).toContain('versioning.enabled: false → true');
    expect(stdout).toContain('by patch, inventory');
    expect(stdout).toContain('- scratch  versioning  HIGH');
    expect(stdout).toContain('skipped: tag govctl.protect excludes the resource');
    expect(stdout).toContain('1 skipped, 1 planned. Dry run: nothing was changed.');
    expect(await inventory.violations('status=OPEN')).toHaveLength(2);
  });

  it('apply asks, and carries out what was shown', async () => {
    const unasked = await run('apply', '--policy', 'versioning');
    expect([unasked.exitCode, unasked.stderr]).toEqual([
      3,
      expect.stringContaining('Approval required: run with --auto-approve, or from a terminal'),
    ]);
    expect(await inventory.violations('status=OPEN')).toHaveLength(2);
    const applied = await run('apply', '--policy', 'versioning', '--auto-approve');
    expect(applied.exitCode).toBe(0);
    expect(applied.stdout).toContain('✓ invoices');
    expect(applied.stdout).toContain('completed: 1 completed, 1 skipped.');
    const { remediations } = JSON.parse((await run('list', '-o', 'json')).stdout) as {
      remediations: unknown[];
    };
    // Nothing was planned where nobody was asked.
    expect(remediations).toMatchObject([{ status: 'completed', dry_run: false }]);
    expect(await inventory.violations('status=OPEN')).toHaveLength(1);
  });

  it('list, get and cancel know them', async () => {
    const planned = await run('plan', '--severity', 'critical,high', '-o', 'json');
    const { id } = JSON.parse(planned.stdout) as { id: string };
    expect((await run('list')).stdout).toMatch(new RegExp(`${id} +planned \\(dry run\\)`));
    expect((await run('get', id)).stdout).toContain('~ invoices');
    const cancelled = await run('cancel', id, '--reason', 'no');
    expect([cancelled.exitCode, cancelled.stdout]).toEqual([
      0,
      expect.stringContaining('cancelled: 1 skipped, 1 cancelled.'),
    ]);
    expect((await run('cancel', id)).exitCode).toBe(5);
    expect((await run('show', 'rem_none')).exitCode).toBe(1);
  });

  it('list --automatic lists those of policies with auto_remediation, and get tells them from others', async () => {
    await run('plan', '--policy', 'versioning');
    await inventory.createPolicy('private', {
      rules: [{ condition: 'resource.acl == "public-read"', effect: 'DENY' }],
      remediation_action: 'patch:{"acl":"private"}',
      auto_remediation: true,
    });
    await inventory.put('site', { acl: 'public-read', versioning: { enabled: true } });
    await service.evaluator.run();
    await service.remediate();
    const { stdout } = await run('list', '--automatic', '-o', 'json');
    const { remediations } = JSON.parse(stdout) as { remediations: { id: string }[] };
    expect(remediations).toMatchObject([{ automatic: true, requested_by: 'system' }]);
    const shown = await run('get', remediations[0]?.id ?? '');
    expect(shown.stdout).toContain('(33.3% of its type) · automatic');
    expect(shown.stdout).toContain('✓ site  private');
  });

  it('approve carries out what waits for it, by the digest that was reviewed', async () => {
    await service.close();
    await start({ config: { remediation: { approval: 'approval' } } });
    const asked = await run('apply', '--policy', 'versioning', '--auto-approve');
    expect([asked.exitCode, asked.stdout]).toEqual([
      8,
      expect.stringContaining('1 skipped, 1 planned. Waiting for approval.'),
    ]);
    const [, id = ''] =
      /To approve the remediation, run `govctl remediate approve (rem_\w+)`/.exec(asked.stderr) ??
      [];
    expect((await run('approve', id)).exitCode).toBe(3);
    expect((await run('approve', id, '--auto-approve', '--digest', 'f')).exitCode).toBe(5);
    const done = await run('approve', id, '--auto-approve');
    expect([done.exitCode, done.stdout]).toEqual([
      0,
      expect.stringContaining('completed: 1 completed, 1 skipped.'),
    ]);
    expect((await run('approve', id, '--auto-approve')).exitCode).toBe(5);
  });

  it('rollback shows what it would take back, and takes it back', async () => {
    const applied = await run('apply', '--policy', 'versioning', '--auto-approve', '-o', 'json');
    const { id } = JSON.parse(applied.stdout) as { id: string };
    const shown = await run('rollback', id, '--dry-run');
    expect([shown.exitCode, shown.stdout]).toEqual([
      0,
      expect.stringContaining(`rolls back ${id}`),
    ]);
    expect(shown.stdout).toContain('versioning.enabled: true → false');
    expect(await run('rollback', id)).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining(`rollback ${id} --dry-run`) as string,
    });
    expect(await inventory.violations('status=OPEN')).toHaveLength(1);
    const done = await run('rollback', id, '--auto-approve', '--note', 'it broke the backup');
    expect([done.exitCode, done.stdout]).toEqual([
      0,
      expect.stringContaining('completed: 1 completed.'),
    ]);
    expect(done.stdout).toContain('it broke the backup');
    expect(await inventory.violations('status=OPEN')).toHaveLength(2);
    const again = await run('rollback', id, '--auto-approve');
    expect([again.exitCode, again.stderr]).toEqual([
      3,
      expect.stringContaining('versioning.enabled has changed since the remediation'),
    ]);
  });

  it('is told how to select violations, and ends with 6 where a guard refuses', async () => {
    expect((await run('plan')).exitCode).toBe(3);
    expect((await run('plan', 'viol_1', '--policy', 'versioning')).exitCode).toBe(3);
    expect((await run('plan', 'viol_1')).exitCode).toBe(1);
    await service.close();
    await start({ config: { remediation: { guards: { max_resources: 1 } } } });
    await inventory.put('more', { versioning: { enabled: false } });
    const planned = await run('plan', '--policy', 'versioning');
    expect([planned.exitCode, planned.stdout]).toEqual([
      6,
      expect.stringContaining('Refused by a guard: 2 resources; max_resources is 1'),
    ]);
    const applied = await run('apply', '--policy', 'versioning', '--auto-approve');
    expect([applied.exitCode, applied.stderr]).toEqual([
      6,
      expect.stringContaining('Refused by a guard'),
    ]);
  });

  it('shows the command that an action is carried out by, and how it ended', async () => {
    await service.close();
    const sh = (text: string) => ({
      command: ['/bin/sh', '-c', text],
      env: {},
      timeoutMs: 30_000,
    });
    const commands = {
      fix: sh('echo "bucket is closed" >&2; echo not-json'),
      fail: sh('echo one >&2; echo "no such bucket" >&2; exit 3'),
    };
    await start({ config: { remediation: { commands } } });
    const [violation] = await inventory.violations();
    const policy = violation?.policy_id ?? '';
    await inventory.changePolicy(policy, { remediation_action: 'exec:fix' });
    const planned = await run('plan', '--policy', 'versioning');
    expect(planned.stdout).toMatch(/~ invoices {2}versioning {2}HIGH\n {6}by exec:fix\n/);
    const applied = await run('apply', '--policy', 'versioning', '--auto-approve', '--no-wait');
    const [, id = ''] = /(rem_\w+)/.exec(applied.stdout) ?? [];
    expect((await run('show', id)).stdout).toContain(
      [
        '      by exec:fix',
        '      unverified',
        '      exit code 0: bucket is closed',
        '      output ignored: the output is not a JSON resource',
      ].join('\n'),
    );
    expect((await run('show', id)).stdout).toContain(
      'running: 1 unverified, 1 skipped. To verify the actions, import the resources again.\n',
    );
    await inventory.put('second', { versioning: { enabled: false } });
    await inventory.changePolicy(policy, { remediation_action: 'exec:fail' });
    const failed = await run('apply', '--policy', 'versioning', '--auto-approve');
    expect(failed.stdout).toContain(
      '      failed: the command failed with exit code 3: no such bucket\n',
    );
  });
});
