import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ScanSample } from '../../../src/contract/scans.ts';
import { readValues } from '../../../src/server/scans/sampled-values.ts';
import { removeOldSamples } from '../../../src/server/scans/samples.ts';
import { readSamples } from '../../../src/server/scans/service.ts';
import { testEvaluator } from '../evaluation/test-evaluator.ts';
import { inventoryOf } from '../inventory-service.ts';
import type { TestService } from '../test-service.ts';
import { startTestService } from '../test-service.ts';

let service: TestService;
let inventory: ReturnType<typeof inventoryOf>;
beforeEach(async () => {
  service = await startTestService();
  inventory = inventoryOf(service);
});
afterEach(() => service.close());

const samples = async (scan: string, query = ''): Promise<ScanSample[]> =>
  (await inventory.ok('GET', `/v1/scans/${scan}/samples?limit=100${query}`)).json
    .samples as ScanSample[];

async function scan(most?: number): Promise<string> {
  const { json } = await inventory.ok('POST', '/v1/scans', { body: {} });
  await testEvaluator(service.deps, most).run();
  return String(json.id);
}

async function buckets(count: number, isPublic: (at: number) => boolean): Promise<void> {
  const resources = Array.from({ length: count }, (_, at) => ({
    id: `r${at}`,
    type: 'AWS::S3::Bucket',
    public: isPublic(at),
    tags: { team: 'a' },
  }));
  await inventory.ok('POST', '/v1/resources', { body: { resources } });
  await service.evaluator.run();
}

describe('a scan', () => {
  it('keeps up to 25 of the resources that pass each policy, with the values that the scan read', async () => {
    const many = await inventory.createPolicy('many');
    const few = await inventory.createPolicy('few', {
      rules: [{ condition: 'resource.id != "r1" && has(resource.tags.team)', effect: 'DENY' }],
    });
    await inventory.createPolicy('none', { rules: [{ condition: 'true', effect: 'DENY' }] });
    await buckets(80, (at) => at % 2 === 0);
    const id = await scan();
    const kept = await samples(id, `&policy_id=${many}`);
    expect(kept).toHaveLength(25);
    expect(new Set(kept.map(({ resource_id }) => resource_id)).size).toBe(25);
    for (const { resource_id, values } of kept) {
      expect(Number(resource_id.slice(1)) % 2).toBe(1);
      expect(values).toEqual({ 'resource.public': false });
    }
    expect(await samples(id, `&policy_id=${few}`)).toEqual([
      {
        policy_id: few,
        resource_id: 'r1',
        resource_type: 'AWS::S3::Bucket',
        values: { 'resource.id': 'r1', 'resource.tags.team': 'a' },
        at: '2026-03-01T12:00:00.000Z',
      },
    ]);
    expect(await samples(id)).toHaveLength(26);
    expect(await readSamples(service.deps.store, id, few)).toEqual(
      await samples(id, `&policy_id=${few}`),
    );
  });

  it('keeps the same ones in whatever steps it looks at the inventory', async () => {
    await inventory.createPolicy('p');
    await buckets(120, () => false);
    const id = await scan(7);
    const kept = (await samples(id)).map(({ resource_id }) => resource_id);
    expect(kept).toHaveLength(25);
    // Neither the first ones nor the last ones by ID.
    const byId = Array.from({ length: 120 }, (_, at) => `r${at}`).sort();
    expect(kept.some((one) => byId.indexOf(one) < 60)).toBe(true);
    expect(kept.some((one) => byId.indexOf(one) >= 60)).toBe(true);
  });

  it('keeps those of the newest scans, up to a number in all', async () => {
    await inventory.createPolicy('p');
    await buckets(30, () => false);
    const first = await scan();
    service.advance(1_000);
    const second = await scan();
    await removeOldSamples(service.deps, 30);
    expect([(await samples(first)).length, (await samples(second)).length]).toEqual([5, 25]);
  });

  it('has no samples before it begins, and there are none of a scan that is not there', async () => {
    await inventory.createPolicy('p');
    const { json } = await inventory.ok('POST', '/v1/scans', { body: {} });
    expect(await samples(String(json.id))).toEqual([]);
    const got = await service.send('GET', '/v1/scans/scan_x/samples');
    expect([got.status, got.json.error]).toEqual([404, 'scan_not_found']);
  });
});

describe('the values of a sample', () => {
  const resource = {
    encrypted: true,
    environment: 'production',
    tags: { 'a "b"': 'c', token: 't' },
    ingress: [{ cidr: '10.0.0.0/8' }, { cidr: '::/0' }],
    db: { master_password: 'hunter2', password_rotation: true, long: 'x'.repeat(300) },
    environment_variables: { KEY: 'v' },
    user_data: 'export KEY=1',
    private_subnet: false,
  };

  it.each([
    ['resource.encrypted', true],
    ['resource.environment', 'production'],
    ['resource.tags["a \\"b\\""]', 'c'],
    ['resource.ingress[1].cidr', '::/0'],
    ['resource.db.password_rotation', true],
    ['resource.private_subnet', false],
    ['resource.missing.deep', null],
    ['resource.toString', null],
    ['resource.tags.token', '[redacted]'],
    ['resource.db.master_password', '[redacted]'],
    ['resource.environment_variables.KEY', '[redacted]'],
    ['resource.environment_variables', '[redacted]'],
    ['resource.user_data', '[redacted]'],
  ])('at %s is %j', (path, value) => {
    expect(readValues(resource, [path])).toEqual({ [path]: value });
  });

  it('tells lists, maps and long strings by their size and digest', () => {
    const sha256 = expect.stringMatching(/^[0-9a-f]{64}$/) as unknown;
    expect(readValues(resource, ['resource.ingress[*].cidr', 'resource.db.long'])).toEqual({
      'resource.ingress': { count: 2, sha256 },
      'resource.db.long': { characters: 300, sha256 },
    });
  });
});
