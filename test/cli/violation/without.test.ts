import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inventoryOf } from '../../server/inventory-service.ts';
import type { TestService } from '../../server/test-service.ts';
import { startTestService } from '../../server/test-service.ts';
import { runCommandLine } from '../../support/fake-world.ts';

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
  const inventory = inventoryOf(service);
  await inventory.createPolicy('private');
  await inventory.put('a', { public: true, tags: { owner: 'web', 'cost center': '7' } });
  await inventory.put('b', { public: true });
  await service.evaluator.run();
});
afterEach(() => service.close());

const run = (...argv: string[]) =>
  runCommandLine(['violation', ...argv], {
    env: { GOVCTL_BASE_URL: 'http://service.test', GOVCTL_TOKEN: service.key, NO_COLOR: '1' },
    fetch: async (url, init) => service.app.fetch(new Request(url, init), {}),
  });

describe('violations without an owner or another value', () => {
  it.each([
    ['owner', 'owner'],
    ['tag:cost center', "'tag:cost center'"],
  ])('are listed as the summary by %s says, whose group none they are', async (by, word) => {
    const { stdout, stderr } = await run('summary', '--by', by);
    expect(stdout).toMatch(/^none +1 /m);
    expect(stderr).toContain(
      `To list the violations in the group none, add \`--without ${word}\` to \`govctl violation list\`.`,
    );
    const listed = await run('list', '--without', by, '-o', 'json');
    expect(JSON.parse(listed.stdout)).toMatchObject({ violations: [{ resource_id: 'b' }] });
  });

  it('are not mentioned where there is no such group', async () => {
    const { stderr } = await run('summary', '--by', 'owner', '--owner', 'web');
    expect(stderr).not.toContain('--without');
  });

  it('are resolved without the others', async () => {
    const done = await run('resolve', '--without', 'owner', '--reason', 'gone', '-y');
    expect(done.stdout).toBe('Resolved 1 violation\n');
    const left = await run('list', '-o', 'json');
    expect(JSON.parse(left.stdout)).toMatchObject({ violations: [{ resource_id: 'a' }] });
  });

  it('are refused by a field that each violation has, with those that one may lack', async () => {
    const { exitCode, stderr } = await run('list', '--without', 'severity');
    expect(exitCode).toBe(3);
    expect(stderr).toContain('account, environment, region, owner, framework');
  });
});
