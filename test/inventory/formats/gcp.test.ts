import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UnknownValue } from '../../../src/contract/resources.ts';
import { gcp } from '../../../src/inventory/formats/gcp/reader.ts';
import { assetType } from '../../../src/inventory/formats/gcp/types.ts';
import { normaliseAll } from '../../../src/inventory/attributes/normalise.ts';

test.each([
  ['sqladmin.googleapis.com/Instance', 'GCP::Sqladmin::Instance'],
  ['apps.k8s.io/Deployment', 'GCP::Apps.k8s.io::Deployment'],
  ['google.compute.Firewall', 'GCP::Compute::Firewall'],
])('%s is %s', (type, expected) => {
  expect(assetType(type)).toBe(expected);
});

const bucket = {
  name: '//storage.googleapis.com/shop',
  asset_type: 'storage.googleapis.com/Bucket',
  resource: { data: { name: 'shop', location: 'EU', labels: { env: 'prod' } } },
  ancestors: ['projects/42', 'folders/1'],
};

const normalised = (document: unknown) =>
  normaliseAll(gcp.read(document, {}).raws, 'gcp-assets').map(({ resource }) => resource);

describe('an asset', () => {
  test('is read in either spelling of its fields', () => {
    const { asset_type: assetType_, ...rest } = bucket;
    for (const document of [bucket, [bucket], { assets: [{ ...rest, assetType: assetType_ }] }]) {
      expect(gcp.detects(document)).toBe(true);
      expect(gcp.read(document, {}).raws).toMatchObject([
        {
          type: 'GCP::Storage::Bucket',
          name: 'shop',
          account_id: '42',
          region: 'eu',
          tags: { env: 'prod' },
        },
      ]);
    }
  });

  test('that several exports tell of is one resource', () => {
    const { name, asset_type } = bucket;
    const policy = { name, asset_type, iam_policy: { bindings: [{ role: 'r' }] } };
    expect(gcp.read([bucket, policy], {}).raws).toMatchObject([
      { properties: { name: 'shop', iamPolicy: { bindings: [{ role: 'r' }] } }, at: [0] },
    ]);
  });

  test('whose IAM policy is not exported may have any; one that has none among others has none', () => {
    const policy = { iam_policy: { bindings: [{ role: 'r', members: ['allUsers'] }] } };
    const [alone] = normalised([bucket]);
    expect(alone?.iam).toMatchObject({ bindings: { present: false } });
    const [open, closed] = normalised([
      { ...bucket, ...policy },
      { ...bucket, name: '//storage.googleapis.com/safe' },
    ]);
    expect(open?.iam).toMatchObject({ bindings: [{ role: 'r' }] });
    expect(closed?.iam).toEqual({ bindings: [] });
  });

  test('of which only the IAM policy is exported has settings that nobody can know', () => {
    const { name, asset_type } = bucket;
    const [asset] = normalised([{ name, asset_type, iam_policy: { bindings: [{ role: 'r' }] } }]);
    expect(asset?.iam).toMatchObject({ bindings: [{ role: 'r' }] });
    expect(asset?.versioning).toMatchObject({ enabled: expect.any(UnknownValue) as unknown });
    for (const field of ['tags', 'region', 'properties'])
      expect(asset?.[field]).toBeInstanceOf(UnknownValue);
  });

  test('without ancestors has no IAM policy where others of its project, by their names, have one', () => {
    const topic = (project: string, name: string, more: object = {}) => ({
      name: `//pubsub.googleapis.com/projects/${project}/topics/${name}`,
      asset_type: 'pubsub.googleapis.com/Topic',
      resource: { version: 'v1', data: { name } },
      ...more,
    });
    const assets = normalised([
      topic('one', 'a', { iam_policy: { bindings: [{ role: 'r', members: ['allUsers'] }] } }),
      topic('one', 'b'),
      topic('two', 'c'),
    ]);
    const [, b, c] = assets.map(({ iam }) => (iam as { bindings: unknown }).bindings);
    expect(b).toEqual([]);
    expect(c).toBeInstanceOf(UnknownValue);
  });

  test('that a search found with some of its attributes has settings that nobody can know', () => {
    const { name, asset_type: assetType } = bucket;
    const [asset] = normalised({ results: [{ name, assetType, location: 'eu', labels: { env: 'prod' }, additionalAttributes: { versioning: 'on' } }] }); // prettier-ignore
    expect(asset).toMatchObject({ region: 'eu', tags: { env: 'prod' } });
    expect(asset?.properties).toBeInstanceOf(UnknownValue);
    expect(asset?.versioning).toMatchObject({ enabled: expect.any(UnknownValue) as unknown });
  });

  test('is read from a JSON text, as BigQuery has it', () => {
    const { name, asset_type } = bucket;
    const of = (data: unknown) => normalised([{ name, asset_type, resource: { data } }])[0];
    expect(of('{"name":"shop","versioning":{"enabled":true}}')?.versioning).toEqual({ enabled: true });
    for (const nothing of ['{', '{}', '[]', {}, null, `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`])
      expect(of(nothing)?.properties).toBeInstanceOf(UnknownValue);
  }); // prettier-ignore

  test('is read from each list of a document', () => {
    const { name, asset_type } = bucket;
    const policy = { name, asset_type, iam_policy: { bindings: [{ role: 'r' }] } };
    expect(normalised({ assets: [bucket], results: [policy] })).toMatchObject([
      { iam: { bindings: [{ role: 'r' }] } },
    ]);
  });

  test('that thousands of entries contradict each other about is each with what is undisputed, once', () => {
    const { name, asset_type } = bucket;
    const some = Array.from({ length: 3_000 }, (_, n) => n);
    const { raws } = gcp.read(
      [
        ...some.map((n) => ({ name, asset_type, resource: { data: { name: `n${n}` } } })),
        ...some.map(() => ({ name, asset_type, iam_policy: { bindings: [{ role: 'r' }] } })),
      ],
      {},
    );
    expect(raws).toHaveLength(3_000);
    for (const { merged, properties } of raws) {
      expect(merged?.parts).toHaveLength(1);
      expect(properties).toMatchObject({ iamPolicy: { bindings: [{ role: 'r' }] } });
    }
  });

  test('has its project and region from its name', () => {
    const name = '//compute.googleapis.com/projects/p/zones/europe-west3-a/instances/vm';
    const [raw] = gcp.read([{ name, asset_type: 'compute.googleapis.com/Instance' }], {}).raws;
    expect(raw).toMatchObject({ name: 'vm', account_id: 'p', region: 'europe-west3' });
  });

  test('without a name is a problem with its place', () => {
    expect(gcp.read([bucket, {}], {}).problems).toMatchObject([{ at: [1] }]);
  });
});

test('lists that an API answers with are read, aggregated ones too', () => {
  const disk = {
    kind: 'compute#disk',
    name: 'd',
    selfLink: 'https://x/projects/p/zones/z/disks/d',
  };
  const document = { headers: {}, body: { items: { 'zones/z': { disks: [disk] } } } };
  expect(gcp.read(document, {}).raws).toMatchObject([
    { type: 'GCP::Compute::Disk', account_id: 'p', at: ['body', 'items', 'zones/z', 'disks', 0] },
  ]);
});

test('any document is looked through without a throw', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.jsonValue(),
        fc.dictionary(
          fc.constantFrom('name', 'asset_type', 'resource', 'items', 'body', 'headers'),
          fc.jsonValue(),
        ),
      ),
      (document) => {
        gcp.detects(document);
        expect(Array.isArray(gcp.read(document, {}).raws)).toBe(true);
      },
    ),
  );
});

describe('the IAM policy of an asset', () => {
  const bucketIn = (project: number, more: object = {}) => ({
    ...bucket,
    name: `//storage.googleapis.com/of-${project}`,
    ancestors: [`projects/${project}`, 'organizations/1'],
    ...more,
  });
  const policy = { bindings: [{ role: 'roles/storage.objectViewer', members: ['user:a@x.org'] }] };
  const bindingsOf = (document: unknown) =>
    normalised(document).map(({ iam }) => (iam as { bindings?: unknown } | undefined)?.bindings);

  test('is empty where others of its project are exported, and not known where none is', () => {
    const first = bucketIn(1, { iam_policy: policy });
    const beside = { ...bucketIn(1), name: '//storage.googleapis.com/beside' };
    expect(bindingsOf([first, beside, bucketIn(2)])).toEqual([
      [expect.objectContaining({ role: 'roles/storage.objectViewer' })],
      [],
      expect.any(UnknownValue),
    ]);
  });

  test.each([
    ['null', null],
    ['a text', 'junk'],
    ['bindings that are no list', { bindings: 'junk' }],
    ['a binding that is null', { bindings: [null] }],
    ['a binding that is a text', { bindings: ['allUsers'] }],
    ['a member that is no text', { bindings: [{ role: 'r', members: [{ a: 'allUsers' }] }] }],
    ['a policy within a policy', { policy: { bindings: [{ role: 'r', members: ['allUsers'] }] } }],
  ])(
    // prettier-ignore
    'is not known where the export has %s for it',
    (_, iam_policy) => {
      expect(bindingsOf([bucketIn(1, { iam_policy })])).toEqual([expect.any(UnknownValue)]);
    },
  );

  test('of a folder or an organization is its own, or not known where it is not in the export', () => {
    const above = (kind: string, more: object = {}) => ({
      name: `//cloudresourcemanager.googleapis.com/${kind.toLowerCase()}s/1`,
      asset_type: `cloudresourcemanager.googleapis.com/${kind}`,
      ...more,
    });
    const open = { iam_policy: { bindings: [{ role: 'roles/owner', members: ['allUsers'] }] } };
    expect(
      normalised([
        above('Folder', open),
        above('Organization', { org_policy: [{ constraint: 'constraints/x' }] }),
      ]),
    ).toMatchObject([
      { joined: false, iam: { bindings: [{ role: 'roles/owner', members: ['allUsers'] }] } },
      { joined: false, iam: { bindings: expect.any(UnknownValue) as unknown } },
    ]);
  });

  test('is there for an asset of any type that has one, and says nothing of one that has none', () => {
    const secret = (more: object) => ({
      name: '//secretmanager.googleapis.com/projects/p/secrets/s',
      asset_type: 'secretmanager.googleapis.com/Secret',
      resource: { data: {} },
      ...more,
    });
    const [open] = normalised([secret({ iam_policy: policy })]);
    expect(open).toMatchObject({ joined: false, iam: { bindings: policy.bindings } });
    const [none] = normalised([secret({})]);
    expect([none?.iam, none?.['joined']]).toEqual([undefined, undefined]);
  });

  test('of a project is not closed by that of a folder, where an export has no ancestors', () => {
    const bare = (name: string, type: string, more: object = {}) => ({
      name: `//cloudresourcemanager.googleapis.com/${name}`,
      asset_type: `cloudresourcemanager.googleapis.com/${type}`,
      ...more,
    });
    const document = [bare('folders/1', 'Folder', { iam_policy: policy }), bare('projects/p', 'Project', { resource: { data: {} } })]; // prettier-ignore
    expect(bindingsOf(document)).toEqual([expect.any(Array), expect.any(UnknownValue)]);
  });

  test('may have all that the APIs write beside its bindings', () => {
    const iam_policy = { kind: 'storage#policy', resourceId: 'b', version: 1, etag: 'e', auditConfigs: [], ...policy }; // prettier-ignore
    expect(bindingsOf([bucketIn(1, { iam_policy })])).toMatchObject([policy.bindings]);
  });
});
