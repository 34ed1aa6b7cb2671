import fc from 'fast-check';
import { expect, it } from 'vitest';
import { accountKey, resourceKey } from '../../src/cost/resource-id.ts';

/** The inventory's ID, the export's, and the type where the inventory needs it. */
const same: [provider: string, inventory: string, exported: string, type?: string][] = [
  ['aws', 'arn:aws:ec2:eu-west-1:111122223333:instance/i-0123456789abcdef0', 'i-0123456789abcdef0'],
  ['aws', 'arn:aws:ec2:eu-west-1:111122223333:volume/vol-0a1b2c3d', 'vol-0a1b2c3d'],
  [
    'aws',
    'snap-0123456789abcdef0',
    'arn:aws:ec2:us-east-2:111122223333:snapshot/snap-0123456789abcdef0',
  ],
  ['aws', 'arn:aws:s3:::my-logs', 'my-logs'],
  ['aws', 'arn:aws-cn:s3:::my-logs', 'my-logs'],
  [
    'aws',
    'arn:aws:lambda:eu-west-1:111122223333:function:orders',
    'arn:aws:lambda:eu-west-1:111122223333:function:orders',
  ],
  [
    'azure',
    '/subscriptions/0A/resourceGroups/Web/providers/Microsoft.Compute/disks/D1',
    '/subscriptions/0a/resourcegroups/web/providers/microsoft.compute/disks/d1/',
  ],
  [
    'gcp',
    'https://www.googleapis.com/compute/v1/projects/p/zones/z/disks/d',
    '//compute.googleapis.com/projects/p/zones/z/disks/d',
  ],
  [
    'gcp',
    'projects/p/zones/z/disks/d',
    '//compute.googleapis.com/projects/p/zones/z/disks/d',
    'GCP::Compute::Disk',
  ],
  [
    'gcp',
    '//storage.googleapis.com/my-logs',
    '//storage.googleapis.com/projects/_/buckets/my-logs',
  ],
  ['gcp', 'my-logs', '//storage.googleapis.com/my-logs', 'GCP::Storage::Bucket'],
  ['oracle', 'ocid1.instance.oc1.phx.abc', 'ocid1.instance.oc1.phx.abc'],
];

it.each(same)('finds the %s resource %s by %s', (provider, inventory, exported, type) => {
  const key = resourceKey(provider, inventory, type);
  expect(key).toBeDefined();
  expect(key).toEqual(resourceKey(provider, exported));
});

it('takes resources of other services, accounts, regions and kinds for others', () => {
  const ids = [
    ['aws', 'arn:aws:lambda:eu-west-1:111122223333:function:orders'],
    ['aws', 'arn:aws:lambda:eu-west-1:444455556666:function:orders'],
    ['aws', 'arn:aws:lambda:us-east-1:111122223333:function:orders'],
    ['aws', 'arn:aws:dynamodb:eu-west-1:111122223333:table/orders'],
    ['aws', 'orders'],
    ['gcp', '//redis.googleapis.com/projects/p/locations/l/instances/orders'],
    ['gcp', '//file.googleapis.com/projects/p/locations/l/instances/orders'],
    ['gcp', '//storage.googleapis.com/orders'],
    ['gcp', 'projects/p'],
  ] as const;
  const keys = ids.map(([provider, id]) => resourceKey(provider, id)?.text);
  expect(new Set(keys).size).toBe(ids.length);
});

it('compares names within an account only, and what says its account, or is given once, anywhere', () => {
  const isUnique = (provider: string, id: string): boolean | undefined =>
    resourceKey(provider, id)?.isUnique;
  expect(isUnique('aws', 'orders')).toBe(false);
  expect(isUnique('aws', 'arn:aws:s3:::orders')).toBe(false);
  expect(isUnique('oracle', 'orders')).toBe(false);
  expect(isUnique('aws', 'i-0123456789abcdef0')).toBe(true);
  expect(isUnique('azure', '/subscriptions/1/resourceGroups/a')).toBe(true);
  for (const [provider, id] of [
    ['aws', ' '],
    ['azure', '/'],
    ['azure', ' / /'],
    ['gcp', ''],
  ] as const) {
    expect([id, resourceKey(provider, id)]).toEqual([id, undefined]);
  }
});

it('compares accounts with and without the path before them', () => {
  expect(accountKey('/subscriptions/0A-1')).toBe(accountKey('0a-1'));
  expect(accountKey('projects/shop')).toBe('shop');
});

/** Also with much of what is left out at the ends. */
const anyId = fc.oneof(
  fc.string(),
  fc.string({ unit: fc.constantFrom('/', ' ', 'a', 'B') }),
  fc.string({ unit: fc.constantFrom('/', ' ', 'a', ':') }).map((rest) => `arn:aws:s3:::${rest}`),
);

it('makes the same of a key as of the ID that it was made of, whatever that is', () => {
  fc.assert(
    fc.property(fc.constantFrom('aws', 'azure', 'oracle'), anyId, (provider, id) => {
      const key = resourceKey(provider, id);
      if (key) expect(resourceKey(provider, key.text)?.text).toBe(key.text);
    }),
  );
});
