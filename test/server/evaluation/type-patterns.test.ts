import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TestService } from '../test-service.ts';
import { startTestService } from '../test-service.ts';
import { testEvaluator } from './test-evaluator.ts';

let service: TestService;
let work: () => Promise<void>;
beforeEach(async () => {
  service = await startTestService();
  const evaluator = testEvaluator(service.deps, 2);
  work = async () => void (await evaluator.run());
});
afterEach(() => service.close());

const rules = [{ condition: '!("owner" in resource.tags)', effect: 'DENY', message: 'No owner.' }];
const policy = { name: 'owned', resource_type: 'AWS::*', rules };

const addPolicy = async (fields: object = {}): Promise<string> => {
  const got = await service.send('POST', '/v1/policies', { body: { ...policy, ...fields } });
  expect(got.status).toBe(201);
  return (got.json as { id: string }).id;
};
const put = (id: string, type: string, tags = {}) =>
  service.send('PUT', `/v1/resources/${id}`, { body: { id, type, tags } });
const putAll = async () => {
  await put('bucket', 'AWS::S3::Bucket');
  await put('group', 'AWS::EC2::SecurityGroup');
  await put('owned', 'AWS::S3::Bucket', { owner: 'a' });
  await put('account', 'AWS::Account::Account');
  await put('server', 'Azure::Sql::servers');
};
const open = async (): Promise<string[]> => {
  const { json } = await service.send('GET', '/v1/violations?status=OPEN');
  const { violations } = json as { violations: { resource_id: string; resource_type: string }[] };
  return violations.map((one) => `${one.resource_id} ${one.resource_type}`).sort();
};

const unowned = ['bucket AWS::S3::Bucket', 'group AWS::EC2::SecurityGroup'];

describe('a policy with a type pattern', () => {
  it('is evaluated on each matching resource that is stored, and on no account', async () => {
    await addPolicy();
    await putAll();
    expect(await open()).toEqual(unowned);
  });

  it('is evaluated on the matching part of the inventory when it comes later', async () => {
    await putAll();
    await addPolicy();
    await work();
    expect(await open()).toEqual(unowned);
  });

  it('finds the few matching resources among many others', async () => {
    const others = Array.from({ length: 100 }, (_, at) => ({ id: `g${at}`, type: 'GCP::A::B' }));
    await service.send('POST', '/v1/resources', { body: { resources: others } });
    await put('g', 'AWS::S3::Bucket');
    await put('g50a', 'AWS::S3::Bucket');
    await put('h', 'AWS::S3::Bucket');
    await addPolicy();
    await work();
    expect(await open()).toEqual(['g', 'g50a', 'h'].map((id) => `${id} AWS::S3::Bucket`));
  });

  it('resolves what a narrower pattern no longer matches', async () => {
    const id = await addPolicy();
    await putAll();
    await service.send('PUT', `/v1/policies/${id}`, { body: { resource_type: 'AWS::S3::*' } });
    await work();
    expect(await open()).toEqual(['bucket AWS::S3::Bucket']);
    await service.send('PUT', `/v1/policies/${id}`, { body: { resource_type: '*' } });
    await work();
    expect(await open()).toEqual([...unowned, 'server Azure::Sql::servers']);
    await service.send('DELETE', `/v1/policies/${id}`);
    await work();
    expect(await open()).toEqual([]);
  });

  it('keeps its violation of a resource that changes to another matching type', async () => {
    await addPolicy();
    await put('one', 'AWS::S3::Bucket');
    await put('one', 'AWS::S3::AccessPoint');
    expect(await open()).toEqual(['one AWS::S3::AccessPoint']);
    await put('one', 'GCP::Storage::Bucket');
    expect(await open()).toEqual([]);
  });

  it('is scanned, and answers a validation once for each resource', async () => {
    await addPolicy();
    await putAll();
    const { json } = await service.send('POST', '/v1/scans', { body: {} });
    await work();
    const scan = await service.send('GET', `/v1/scans/${(json as { id: string }).id}`);
    expect(scan.json).toMatchObject({ status: 'completed', resources_scanned: 5 });
    const resources = [
      { id: 'a', type: 'AWS::S3::Bucket' },
      { id: 'b', type: 'AWS::EC2::Instance' },
      { id: 'c', type: 'AWS::Account::Account' },
    ];
    const got = await service.send('POST', '/v1/policies/validate', { body: { resources } });
    expect(got.json).toMatchObject({ summary: { evaluated: 2, fail: 2 } });
  });
});
