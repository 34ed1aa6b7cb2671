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
  return stderr.split('\n').filter((line) => /^(No (policy|resource) |The inventory)/.test(line));
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

  it('name values that no resource in the inventory has, and the nearest one', async () => {
    const inventory = inventoryOf(service);
    const empty = 'The inventory is empty. To import resources, run `govctl resource import`.';
    expect(await said('resource', 'list', '--region', 'a,b')).toEqual([empty]);
    await inventory.put('a', { public: true, environment: 'production', account_id: '1' });
    for (const command of [
      ['violation', 'list'],
      ['violation', 'summary'],
      ['evaluation', 'list'],
      ['resource', 'list'],
      ['violation', 'resolve', '--reason', 'gone', '-y'],
    ]) {
      expect(
        await said(...command, '--environment', 'Producton,production', '--region', 'mars-1'),
      ).toEqual([
        'No resource in the inventory has the environment Producton. Did you mean production?',
        'No resource in the inventory has the region mars-1. To list the resources, run `govctl resource list`.',
      ]);
      expect(await said(...command, '--provider', 'awz', '--account', '1')).toEqual([
        'No resource in the inventory has the provider awz. Did you mean aws?',
      ]);
    }
    expect(await said('resource', 'list', '--type', 'AWS::S3::Bukkit')).toEqual([
      'No resource in the inventory has the resource type AWS::S3::Bukkit. Did you mean AWS::S3::Bucket?',
    ]);
    expect(await said('resource', 'list', '--provider', 'AWS', '--account', '1')).toEqual([]);
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
    await inventory.put('queue', { type: 'AWS::SQS::Queue' });
    await inventory.put('disk', { type: 'Azure::Compute::disks' });
    const types = 'AWS::SQS::Queue,azure::compute::Disks';
    expect(await said('violation', 'list', '--type', types)).toEqual([]);
    const resolve = ['violation', 'resolve', '--reason', 'gone', '-y', '--type', 'AWS::S3::Bukkit'];
    expect(await said(...resolve)).toContain(message);
  });
});
