import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inventoryOf } from '../../server/inventory-service.ts';
import type { TestService } from '../../server/test-service.ts';
import { startTestService } from '../../server/test-service.ts';
import { runCommandLine } from '../../support/fake-world.ts';

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
  const inventory = inventoryOf(service);
  await inventory.createPolicy('private', { compliance_frameworks: ['SOC2:CC6.1', 'acme'] });
});
afterEach(() => service.close());

const said = async (...argv: string[]): Promise<string[]> => {
  const { exitCode, stderr } = await runCommandLine(argv, {
    env: { GOVCTL_BASE_URL: 'http://service.test', GOVCTL_TOKEN: service.key, NO_COLOR: '1' },
    fetch: async (url, init) => service.app.fetch(new Request(url, init), {}),
  });
  expect(exitCode).toBe(0);
  return stderr.split('\n').filter((line) => line.startsWith('No policy'));
};

describe('filters that match no violation', () => {
  it('name a framework that no policy has, and the nearest one or all', async () => {
    const list = (given: string) => said('violation', 'list', '--framework', given);
    expect(await list('SOC3')).toEqual(['No policy has the framework SOC3. Did you mean SOC2?']);
    expect(await list('soc2:CC6.2')).toEqual([
      'No policy has the framework soc2:CC6.2. Did you mean SOC2:CC6.1?',
    ]);
    expect(await list('hipaa')).toEqual(['No policy has the framework hipaa. Use SOC2, acme.']);
    expect(await list('soc2')).toEqual([]);
    expect(await list('SOC2:cc6.1,ACME')).toEqual([]);
  });

  it('name a resource type that no policy has, and the nearest one', async () => {
    const message =
      'No policy has the resource type AWS::S3::Bukkit. Did you mean AWS::S3::Bucket?';
    for (const [noun, verb] of [
      ['violation', 'list'],
      ['violation', 'summary'],
      ['evaluation', 'list'],
    ] as const) {
      expect(await said(noun, verb, '--type', 'AWS::S3::Bukkit,AWS::S3::Bucket')).toContain(
        message,
      );
    }
    const inventory = inventoryOf(service);
    await inventory.createPolicy('any queue', { resource_type: 'AWS::SQS::*' });
    await inventory.createPolicy('disks', { resource_type: 'Azure::Compute::disks' });
    const types = 'AWS::SQS::Queue,azure::compute::Disks';
    expect(await said('violation', 'list', '--type', types)).toEqual([]);
    const resolve = ['violation', 'resolve', '--reason', 'gone', '-y', '--type', 'AWS::S3::Bukkit'];
    expect(await said(...resolve)).toContain(message);
  });
});
