import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UnknownValue } from '../../../src/contract/resources.ts';
import { normaliseAll } from '../../../src/inventory/attributes/normalise.ts';
import { awsConfig } from '../../../src/inventory/formats/aws-config/reader.ts';

const item = {
  resourceType: 'AWS::S3::Bucket',
  resourceId: 'shop',
  arn: 'arn:aws:s3:::shop',
  accountId: '123456789012',
  awsRegion: 'eu-central-1',
  configurationItemStatus: 'OK',
  configurationStateId: '2',
  tags: { env: 'prod' },
  configuration: '{"name":"shop"}',
  supplementaryConfiguration: { BucketPolicy: '"{\\"policyText\\":null}"' },
};

describe('a configuration item', () => {
  test.each([
    ['alone', item, []],
    [
      'in a rule event',
      { invokingEvent: JSON.stringify({ configurationItem: item }) },
      ['invokingEvent'],
    ],
    ['in a snapshot', { configurationItems: [item] }, ['configurationItems', 0]],
    [
      'in the result of a query',
      { Results: [JSON.stringify(item)], QueryInfo: { SelectFields: [{ Name: 'configuration' }] } },
      ['Results', 0],
    ],
    [
      'in a recorded answer',
      { data: { configurationItems: [item] } },
      ['data', 'configurationItems', 0],
    ],
  ])('%s is read, with its place', (_, document, at) => {
    expect(awsConfig.detects(document)).toBe(true);
    expect(awsConfig.read(document, {}).raws).toMatchObject([
      {
        id: 'arn:aws:s3:::shop',
        type: 'AWS::S3::Bucket',
        account_id: '123456789012',
        region: 'eu-central-1',
        tags: { env: 'prod' },
        properties: {
          name: 'shop',
          supplementaryConfiguration: { BucketPolicy: { policyText: null } },
        },
        at,
      },
    ]);
  });

  test.each([
    ['some fields of the configuration', { Results: [JSON.stringify(item)], QueryInfo: { SelectFields: [{ Name: 'resourceId' }, { Name: 'configuration.name' }] } }],
    ['fields that are not told', { Results: [JSON.stringify(item)] }],
    ['fields that are not told, without its envelope', [JSON.stringify(item)]],
    ['nothing of the configuration', { configurationItems: [{ ...item, configuration: null }] }],
    ['an empty configuration', { configurationItems: [{ ...item, configuration: {} }] }],
  ])('of a query that selected %s has settings that nobody can know', (_, document) => {
    const { raws } = awsConfig.read(document, {});
    const [one] = normaliseAll(raws, 'aws-config').map(({ resource }) => resource);
    expect(one).toMatchObject({ id: 'arn:aws:s3:::shop', region: 'eu-central-1', tags: { env: 'prod' } });
    expect(one?.properties).toBeInstanceOf(UnknownValue);
    expect(one?.['versioning']).toMatchObject({ enabled: expect.any(UnknownValue) as unknown });
  }); // prettier-ignore

  test('of a query that selected the configuration has the settings in it', () => {
    const bucketVersioning = { BucketVersioningConfiguration: { status: 'Enabled' } };
    const row = { ...item, supplementaryConfiguration: bucketVersioning };
    const Results = [JSON.stringify(row)];
    const SelectFields = ['resourceId', 'configuration', 'supplementaryConfiguration'].map((Name) => ({ Name })); // prettier-ignore
    const { raws } = awsConfig.read({ Results, QueryInfo: { SelectFields } }, {});
    const [one] = normaliseAll(raws, 'aws-config').map(({ resource }) => resource);
    expect(one).toMatchObject({ versioning: { enabled: true } });
  });

  test('that gives its time as a number, as SDKs do, has it as a text', () => {
    const configurationItemCaptureTime = 1_794_218_400.5;
    const { raws } = awsConfig.read({ ...item, configurationItemCaptureTime }, {});
    expect(raws[0]?.source).toMatchObject({ configurationItemCaptureTime: '2026-11-09T10:00:00.500Z' });
  }); // prettier-ignore

  test('of a history is the newest, and none where that is deleted', () => {
    const older = { ...item, configurationStateId: '1', configuration: { name: 'old' } };
    const gone = { ...item, configurationStateId: '3', configurationItemStatus: 'ResourceDeleted' };
    const read = (items: unknown[]) => awsConfig.read({ configurationItems: items }, {}).raws;
    expect(read([older, item])).toMatchObject([{ properties: { name: 'shop' } }]);
    expect(read([older, item, gone])).toEqual([]);
  });

  test.each([
    [{ ...item, configuration: 'CONFIGURATION' }, /not valid JSON/, ['configuration']],
    [{ accountId: 'string', 'configuration.name': 'string' }, /schema of a resource type/, []],
    [{ Results: ['{"configuration":{}}'] }, /resourceType/, ['Results', 0]],
    [
      { invokingEvent: '{"messageType":"ScheduledNotification"}' },
      /contains no resource/,
      ['invokingEvent'],
    ],
  ])('that cannot be used is a problem with a place: %j', (document, message, at) => {
    expect(awsConfig.detects(document)).toBe(true);
    const { raws, problems } = awsConfig.read(document, {});
    expect(raws).toEqual([]);
    expect(problems[0]?.message).toMatch(message);
    expect(problems[0]?.at).toEqual(at);
  });
});

test.each<[document: Record<string, unknown[]>, at: unknown[]]>([
  [{ configurationItems: [item, 'x'] }, ['configurationItems', 1]],
  [{ ConfigurationItems: [null, item] }, ['ConfigurationItems', 0]],
  [{ configurationItems: [item, { resourceType: 'x' }] }, ['configurationItems', 1]],
  [{ Results: [JSON.stringify(item), '{"cut'] }, ['Results', 1]],
])('what is no item is a problem with its place, and the others are read: %j', (document, at) => {
  const { raws, problems } = awsConfig.read(document, {});
  expect(raws).toMatchObject([{ id: 'arn:aws:s3:::shop' }]);
  expect(problems).toEqual([
    { message: expect.stringContaining('is not checked; export it again') as unknown, at },
  ]);
});

test('an item that is deleted, and a count of a query, are no problems', () => {
  const gone = { ...item, configurationItemStatus: 'ResourceDeleted', configuration: undefined };
  expect(awsConfig.read({ configurationItems: [gone] }, {}).problems).toEqual([]);
  const Results = [JSON.stringify(item), '{"COUNT(*)":5}'];
  expect(awsConfig.read({ Results }, {}).problems).toEqual([]);
});

test('plans of Terraform, which have a configuration too, are not taken for items of AWS Config', () => {
  const plan = { format_version: '1.2', terraform_version: '1.9.0', configuration: {} };
  expect(awsConfig.detects([plan])).toBe(false);
  expect(awsConfig.detects({ plan })).toBe(false);
});

test('a snapshot may have more items than a call takes arguments', () => {
  const configurationItems = Array.from({ length: 150_000 }, (_, at) => ({ ...item, arn: `a${at}` })); // prettier-ignore
  expect(awsConfig.read({ configurationItems }, {}).raws).toHaveLength(configurationItems.length);
  const strangers = configurationItems.map(() => 1);
  expect(awsConfig.read({ configurationItems: strangers }, {}).problems).toHaveLength(150_000);
});

test('any document is looked through without a throw', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.jsonValue(),
        fc.dictionary(fc.constantFrom(...Object.keys(item)), fc.jsonValue()),
      ),
      (document) => {
        awsConfig.detects(document);
        expect(Array.isArray(awsConfig.read([document, item], {}).raws)).toBe(true);
      },
    ),
  );
});
