import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formats } from '../../src/inventory/formats/formats.ts';
import { readInventory } from '../../src/inventory/read.ts';
import { readers } from '../../src/inventory/formats/readers.ts';
import { partsOf } from '../../src/inventory/attributes/normalise.ts';
import { startCpuTime } from '../support/cpu-time.ts';

describe('an input', () => {
  it.each<[string, string]>([
    ['native', '{"id": "a", "type": "AWS::S3::Bucket"}'],
    ['native', '[{"id": "a", "type": "AWS::S3::Bucket"}]'],
    ['native', 'resources:\n  - id: a\n    type: AWS::S3::Bucket'],
    ['native', 'id: a\ntype: AWS::S3::Bucket\n---\nid: b\ntype: AWS::S3::Bucket'],
    ['native', '{"id": "a", "type": "AWS::S3::Bucket"}\n{"id": "b", "type": "AWS::S3::Bucket"}'],
    ['cloudformation', 'Resources: {A: {Type: AWS::S3::Bucket}}'],
    [
      'cloudformation',
      '{"AWSTemplateFormatVersion": "2010-09-09", "Resources": {"A": {"Type": "AWS::S3::Bucket"}}}',
    ],
    // Other providers' resources have a configuration, too, as items of AWS Config do.
    ['native', '[{"id": "a", "type": "Azure::App::containerApps", "configuration": {}}]'],
    [
      'azure',
      '{"contentVersion": "1.0.0.0", "resources": [{"type": "Microsoft.App/containerApps", "apiVersion": "2024-03-01", "name": "a", "properties": {"configuration": {}}}]}',
    ],
    [
      'gcp-assets',
      '[{"name": "//x.googleapis.com/a", "asset_type": "x.googleapis.com/A", "resource": {"data": {"configuration": {}}}}]',
    ],
  ])('is told to be %s by what it holds: %s', (format, text) => {
    const read = readInventory(text);
    expect(read).toMatchObject({ ok: true, inventory: { format } });
  });

  it.each([
    ['{"apiVersion": "v1", "kind": "Pod"}', 'a map with the keys "apiVersion", "kind"'],
    ['[1, 2]', 'a list whose first item is a single number'],
    ['{}', 'an empty map'],
    ['hello there', 'a single string'],
    [
      JSON.stringify(Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`k${i}`, i]))),
      '"k7" and 4 more',
    ],
  ])('of no known format is described, with the formats there are: %s', (text, seen) => {
    const read = readInventory(text);
    if (read.ok) throw new Error('has a format');
    expect(read).toMatchObject({ unknownFormat: true, problem: { line: 1, column: 1 } });
    expect(read.problem.message).toContain(seen);
    for (const format of formats) expect(read.problem.message).toContain(format);
  });

  it.each([
    ...['[]', '{"resources": []}', 'resources: []', '{"value": [], "nextLink": null}'],
    '{"fileVersion": "1.0", "configSnapshotId": "x", "configurationItems": []}',
    '{"Results": [], "QueryInfo": {"SelectFields": [{"Name": "resourceId"}]}}',
    '{"readTime": "2026-01-01T00:00:00Z", "assets": []}',
    '{"count": 0, "data": [], "skip_token": null, "total_records": 0}',
  ])('%s has no resources, and says so', (text) => {
    expect(readInventory(text)).toMatchObject({
      ok: true,
      inventory: {
        resources: [],
        problems: [],
        notices: [
          { message: 'this is an empty list: it contains no resources', line: 1, column: 1 },
        ],
      },
    });
  });

  it.each(['{"value": [], "rules": [1]}', '{"value": {}}', '{"items": []}', '{"value": [1]}'])(
    '%s is no list of resources',
    (text) => {
      const read = readInventory(text);
      expect(read.ok && read.inventory.notices.length > 0).toBe(false);
    },
  );

  it('is read as the format that is asked for', () => {
    const text = '{"AWSTemplateFormatVersion": "x", "id": "a", "type": "AWS::S3::Bucket"}';
    expect(readInventory(text, { format: 'native' })).toMatchObject({
      ok: true,
      inventory: { format: 'native', resources: [{ address: 'a' }] },
    });
  });

  it('of another format than the one that is asked for is refused, not read as nothing', () => {
    const template = 'Resources: {A: {Type: AWS::S3::Bucket}}';
    for (const format of formats.filter((one) => one !== 'cloudformation')) {
      expect(readInventory(template, { format }), format).toMatchObject({ ok: false });
    }
    expect(readInventory(template, { format: 'terraform' })).toEqual({
      ok: false,
      problem: {
        message: 'this is a CloudFormation template, not a Terraform plan or state; use --format cloudformation, or omit --format', // prettier-ignore
        line: 1,
        column: 1,
      },
    });
    expect(readInventory('[]', { format: 'aws-config' })).toMatchObject({ ok: true });
  });

  it('has its resources and problems at their places', () => {
    const read = readInventory(
      'resources:\n  - {id: a, type: A::B}\n  - {id: b}\n  - {id: c, type: A::B}',
    );
    if (!read.ok) throw new Error(read.problem.message);
    const { resources, problems, locate } = read.inventory;
    expect(resources.map(({ at }) => locate(at))).toEqual([
      { line: 2, column: 5 },
      { line: 4, column: 5 },
    ]);
    expect(problems).toMatchObject([{ line: 3, column: 5 }]);
  });

  it('has the places of thousands of merged entries and skips in one walk through it', () => {
    const some = Array.from({ length: 20_000 }, (_, n) => n);
    const asset = (n: number, more: object) =>
      JSON.stringify({ name: `//storage.googleapis.com/b${n}`, asset_type: 'storage.googleapis.com/Bucket', ...more }); // prettier-ignore
    const assets = [
      ...some.map((n) => asset(n, { resource: { data: { name: `b${n}` } } })),
      ...some.map((n) => asset(n, { iam_policy: { bindings: [] } })),
    ].join('\n');
    const skip = some.map((n) => ({ policy: `p${n}`, until: '2027-03-31', reason: 'r' }));
    const template = JSON.stringify(
      { Resources: { B: { Type: 'AWS::S3::Bucket', Metadata: { govctl: { skip } } } } },
      null,
      1,
    );
    const cpuTime = startCpuTime();
    const [ofAssets, ofTemplate] = [assets, template].map((text) => {
      const read = readInventory(text);
      if (!read.ok) throw new Error(read.problem.message);
      const { resources, locate } = read.inventory;
      return resources.flatMap(({ resource, skips = [] }) =>
        [...partsOf(resource), ...skips].map(({ at }) => locate(at)?.line),
      );
    });
    expect(ofAssets).toEqual(some.map((n) => 20_001 + n));
    expect(ofTemplate).toEqual(some.map((n) => 8 + 5 * n));
    expect(cpuTime()).toBeLessThan(30_000);
  });
});

it('every format has one reader', () => {
  expect(readers.map(({ format }) => format).sort()).toEqual([...formats].sort());
});

describe('no document whatever makes a reader throw', () => {
  /** Words of every format, so that random documents get far. */
  const word = fc.constantFrom(
    ...[
      'id',
      'type',
      'name',
      'tags',
      'properties',
      'resources',
      'values',
      'value',
      'root_module',
      'child_modules',
      'planned_values',
      'resource_changes',
      'change',
      'after',
      'after_unknown',
      'before',
      'actions',
      'address',
      'mode',
      'format_version',
      'terraform_version',
      'configuration',
      'prior_state',
      'instances',
      'attributes',
      'index_key',
      'configurationItem',
      'configurationItems',
      'resourceType',
      'resourceId',
      'configuration',
      'supplementaryConfiguration',
      'relationships',
      'Results',
      'asset_type',
      'assetType',
      'resource',
      'data',
      'iam_policy',
      'bindings',
      'items',
      'kind',
      'selfLink',
      '$schema',
      'contentVersion',
      'parameters',
      'variables',
      'functions',
      'outputs',
      'copy',
      'condition',
      'count',
      'dependsOn',
      'apiVersion',
      'location',
      'Resources',
      'Type',
      'Properties',
      '__proto__',
      'toString',
      'valueOf',
      'toJSON',
      'constructor',
    ],
  );
  const scalar = fc.oneof(
    word,
    fc.constantFrom(
      'AWS::S3::Bucket',
      'Microsoft.Storage/storageAccounts',
      'storage.googleapis.com/Bucket',
      'aws_s3_bucket',
      'managed',
      'create',
      "[resourceId('a', 'b')]",
      "[parameters('a')]",
      '1.2',
      '//x/y',
      '{"a": 1}',
      '{',
    ),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 6 }, scalar, tie('list'), tie('map'), tie('map')),
    list: fc.array(tie('value'), { maxLength: 3 }),
    map: fc.dictionary(word, tie('value'), { maxKeys: 4 }),
  }));
  const resource = fc.record(
    { id: scalar, type: scalar, name: scalar, tags: value, properties: value },
    { requiredKeys: [] },
  );
  const document = fc.oneof(
    value,
    fc.record(
      {
        format_version: scalar,
        planned_values: value,
        resource_changes: fc.array(value),
        configuration: value,
        values: value,
      },
      { requiredKeys: [] },
    ),
    fc.record({ version: fc.constant(4), terraform_version: scalar, resources: fc.array(value) }),
    fc.record({
      $schema: fc.constant(
        'https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#',
      ),
      resources: fc.array(fc.oneof(resource, value)),
      parameters: value,
      variables: value,
    }),
    fc.record({
      configurationItems: fc.array(
        fc.record(
          { resourceType: scalar, resourceId: scalar, configuration: value, tags: value },
          { requiredKeys: [] },
        ),
      ),
    }),
    fc.array(
      fc.record(
        {
          name: scalar,
          asset_type: scalar,
          resource: fc.record({ data: value }, { requiredKeys: [] }),
          iam_policy: value,
        },
        { requiredKeys: [] },
      ),
    ),
    fc.record({ value: fc.array(resource) }),
    fc.array(resource),
  );

  it('when the format is told by the document', () => {
    fc.assert(
      fc.property(document, (one) => {
        const read = readInventory(JSON.stringify(one) ?? 'null');
        if (read.ok) for (const { at } of read.inventory.resources) read.inventory.locate(at);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(formats)('when the format is forced: %s', (format) => {
    fc.assert(
      fc.property(document, (one) => {
        readInventory(JSON.stringify(one) ?? 'null', { format });
      }),
      { numRuns: 500 },
    );
  });
});
