import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inventoryOf } from '../../server/inventory-service.ts';
import type { TestService } from '../../server/test-service.ts';
import { startTestService } from '../../server/test-service.ts';
import { runCommandLine } from '../../support/fake-world.ts';

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
  const inventory = inventoryOf(service);
  const rules = [{ condition: 'resource.encryption.enabled == false', effect: 'DENY' }];
  await inventory.createPolicy('encrypted', { severity: 'HIGH', rules });
  await inventory.createPolicy('private', { severity: 'LOW' });
  for (let one = 0; one < 130; one++) {
    await inventory.put(`silent-${one}`, {
      public: false,
      region: one < 4 ? 'eu-west-1' : 'us-east-1',
    });
  }
  await inventory.put('open', { public: true, encryption: { enabled: false } });
  await service.evaluator.run();
});
afterEach(() => service.close());

const run = (...argv: string[]) =>
  runCommandLine(['evaluation', 'list', ...argv], {
    env: { GOVCTL_BASE_URL: 'http://service.test', GOVCTL_TOKEN: service.key },
    fetch: async (url, init) => service.app.fetch(new Request(url, init), {}),
  });

async function found(...argv: string[]): Promise<Record<string, string>[]> {
  const { stdout, stderr, exitCode } = await run(...argv, '-o', 'json');
  expect(exitCode, stderr).toBe(0);
  return (JSON.parse(stdout) as { evaluations: Record<string, string>[] }).evaluations;
}

describe('govctl evaluation list', () => {
  it('lists all errors, with attribute and reason', async () => {
    const errors = await found('--all');
    expect(errors).toHaveLength(130);
    for (const one of errors) {
      expect(one).toMatchObject({
        status: 'ERROR',
        policy_name: 'encrypted',
        reason: 'missing_attribute',
        path: 'resource.encryption',
      });
    }
    const { stdout, stderr } = await run('--limit', '1');
    expect(stdout).toMatch(
      /^SEVERITY +RESOURCE +POLICY +REASON +ATTRIBUTE +MESSAGE\nHIGH +silent-/,
    );
    expect(stderr).toContain('Showing 1 of 130.');
  });

  it('filters, also by the name of a policy, and lists other outcomes on request', async () => {
    expect(await found('--region', 'eu-west-1')).toHaveLength(4);
    expect(await found('--resource', 'silent-7')).toHaveLength(1);
    expect(await found('--region', 'eu-west-1', '--provider', 'AWS')).toHaveLength(4);
    expect(await found('--policy', 'private')).toEqual([]);
    expect(await found('--reason', 'type_error,unknown_value')).toEqual([]);
    const failed = await found('--status', 'fail');
    expect(failed.map(({ policy_name: name }) => name)).toEqual(['encrypted', 'private']);
    expect((await run('--status', 'FAIL,ERROR', '--all')).stdout).toMatch(
      /^SEVERITY +STATUS +RESOURCE/,
    );
  });

  it('says what the service lacks', async () => {
    const { exitCode, stderr } = await runCommandLine(['evaluation', 'list'], {
      env: { GOVCTL_BASE_URL: 'http://service.test', GOVCTL_TOKEN: 'x' },
      fetch: async () => new Response('{}', { status: 404 }),
    });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('This server does not support evaluations');
  });
});
