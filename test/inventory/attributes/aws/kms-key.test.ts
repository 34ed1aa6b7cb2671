import { describe, expect, test } from 'vitest';
import { UnknownValue } from '../../../../src/contract/resources.ts';
import { readInventory } from '../../../../src/inventory/read.ts';
import { attributesOfItem, itemsDocument } from './twins.ts';

/** Where items of AWS Config show the key that encrypts, be it the customer's or the one that AWS manages. */
const places: readonly (readonly [type: string, configurationOf: (key: string) => object])[] = [
  ['AWS::EC2::Volume', (kmsKeyId) => ({ encrypted: true, kmsKeyId })],
  ['AWS::EFS::FileSystem', (KmsKeyId) => ({ Encrypted: true, KmsKeyId })],
  ['AWS::FSx::FileSystem', (KmsKeyId) => ({ FileSystemType: 'LUSTRE', KmsKeyId })],
  ['AWS::SNS::Topic', (KmsMasterKeyId) => ({ KmsMasterKeyId })],
  ['AWS::SQS::Queue', (KmsMasterKeyId) => ({ KmsMasterKeyId })],
  ['AWS::Kinesis::Stream', (KeyId) => ({ StreamEncryption: { EncryptionType: 'KMS', KeyId } })],
  ['AWS::AmazonMQ::Broker', (KmsKeyId) => ({ EncryptionOptions: { KmsKeyId } })],
  ['AWS::WorkSpaces::Workspace', (VolumeEncryptionKey) => ({ VolumeEncryptionKey })],
  [
    'AWS::OpenSearch::Domain',
    (KmsKeyId) => ({ EncryptionAtRestOptions: { Enabled: true, KmsKeyId } }),
  ],
  [
    'AWS::Elasticsearch::Domain',
    (kmsKeyId) => ({ encryptionAtRestOptions: { enabled: true, kmsKeyId } }),
  ],
  [
    'AWS::DynamoDB::Table',
    (kMSMasterKeyArn) => ({ sSEDescription: { status: 'ENABLED', kMSMasterKeyArn } }),
  ],
];

describe.each(places)('the key that an item of %s shows', (type, configurationOf) => {
  const item = (key: string) => [type, { ...configurationOf(key) }] as const;

  test.each([
    ['CUSTOMER', true],
    ['AWS', false],
  ])('is whose its own item says: %s', (keyManager, expected) => {
    expect(attributesOfItem(item('item-1'), ['AWS::KMS::Key', { keyManager }])).toHaveProperty(
      'encryption.customer_managed',
      expected,
    );
  });

  test('may be anybody’s where its own item doesn’t say', () => {
    const found = attributesOfItem(item('item-1'), ['AWS::KMS::Key', { keySpec: 'RSA_2048' }]);
    expect(found).toHaveProperty('encryption.customer_managed', 'not known');
  });

  test.each([
    'arn:aws:kms:eu-central-1:123456789012:key/1',
    '1234abcd-12ab-34cd-56ef-1234567890ab',
  ])('may be anybody’s where its item is not in the input: %s', (key) => {
    expect(attributesOfItem(item(key))).toHaveProperty('encryption.customer_managed', 'not known');
  });

  test.each([
    ['alias/ours', true],
    ['arn:aws:kms:eu-central-1:123456789012:alias/ours', true],
    ['alias/aws/ebs', false],
    ['arn:aws:kms:eu-central-1:123456789012:alias/aws/ebs', false],
  ])('is known by its alias: %s', (alias, expected) => {
    expect(attributesOfItem(item(alias))).toHaveProperty('encryption.customer_managed', expected);
  });
});

test.each([
  ['AWS::Logs::LogGroup', { KmsKeyId: 'arn:aws:kms:eu-central-1:123456789012:key/1' }],
  ['AWS::CloudTrail::Trail', { kmsKeyId: 'arn:aws:kms:eu-central-1:123456789012:key/1' }],
  ['AWS::Lambda::Function', { KmsKeyArn: 'arn:aws:kms:eu-central-1:123456789012:key/1' }],
  ['AWS::SecretsManager::Secret', { KmsKeyId: 'arn:aws:kms:eu-central-1:123456789012:key/1' }],
])(
  'a key that an item of %s shows is the customer’s: the service shows no other',
  (type, given) => {
    expect(attributesOfItem([type, given])).toHaveProperty('encryption.customer_managed', true);
  },
);

describe('a key with the name of something else', () => {
  const key = 'shared-name';
  const volume = ['AWS::EC2::Volume', { encrypted: true, kmsKeyId: key }] as const;
  const itemsOf = (...others: readonly Readonly<Record<string, unknown>>[]) => {
    const [type, configuration] = volume;
    const read = readInventory(
      JSON.stringify(itemsDocument({ resourceType: type, configuration }, ...others)),
    );
    if (!read.ok) throw new Error(read.problem.message);
    const [first] = read.inventory.resources;
    const { customer_managed: managed } = first?.resource['encryption'] as Record<string, unknown>;
    return managed instanceof UnknownValue ? 'not known' : managed;
  };
  const item = (resourceType: string, configuration: object, more: object = {}) => ({
    resourceType,
    resourceName: key,
    configuration,
    ...more,
  });
  const ofAws = item('AWS::KMS::Key', { keyManager: 'AWS' });
  const ofCustomer = item('AWS::KMS::Key', { keyManager: 'CUSTOMER' });
  const bucket = item('AWS::S3::Bucket', {});

  test('is found beside it, in any order', () => {
    expect(itemsOf(ofAws, bucket)).toBe(false);
    expect(itemsOf(bucket, ofAws)).toBe(false);
    expect(itemsOf(ofCustomer, bucket)).toBe(true);
    expect(itemsOf(bucket)).toBe('not known');
  });

  test('is anybody’s where two keys are called so', () => {
    expect(itemsOf(ofAws, ofCustomer)).toBe('not known');
    expect(itemsOf(ofCustomer, ofAws)).toBe('not known');
  });
});

describe('the key of a volume of Terraform', () => {
  const key = 'arn:aws:kms:eu-central-1:123456789012:key/1';
  const volume = {
    mode: 'managed',
    type: 'aws_ebs_volume',
    name: 'it',
    address: 'aws_ebs_volume.it',
  };
  const ours = { mode: 'managed', type: 'aws_kms_key', name: 'main', address: 'aws_kms_key.main' };

  const managedBy = (document: object): unknown => {
    const read = readInventory(JSON.stringify({ format_version: '1.2', ...document }));
    if (!read.ok) throw new Error(read.problem.message);
    const [first] = read.inventory.resources;
    const { customer_managed: managed } = first?.resource['encryption'] as Record<string, unknown>;
    return managed instanceof UnknownValue ? 'not known' : managed;
  };
  const state = (...more: readonly object[]): object => ({
    values: {
      root_module: {
        resources: [{ ...volume, values: { encrypted: true, kms_key_id: key } }, ...more],
      },
    },
  });
  const plan = (expressions: object): object => ({
    resource_changes: [
      {
        ...volume,
        change: {
          actions: ['no-op'],
          after: { encrypted: true, kms_key_id: key },
          after_unknown: {},
        },
      },
    ],
    configuration: { root_module: { resources: [{ ...volume, expressions }] } },
  });

  test('is not known in a state without it: AWS fills in its own', () => {
    expect(managedBy(state())).toBe('not known');
  });

  test('is the customer’s where the same state has it', () => {
    expect(managedBy(state({ ...ours, values: { arn: key, key_id: '1' } }))).toBe(true);
  });

  test('is the customer’s where the configuration sets it', () => {
    const set = { encrypted: { constant_value: true }, kms_key_id: { constant_value: key } };
    expect(managedBy(plan(set))).toBe(true);
  });

  test('is not known where the plan shows one that the configuration does not set', () => {
    expect(managedBy(plan({ encrypted: { constant_value: true } }))).toBe('not known');
  });
});

test("an AWS alias is no customer's key, and only a KMS key tells whose key a text names", () => {
  const volume = (key: string) => ['AWS::EC2::Volume', { encrypted: true, kmsKeyId: key }] as const;
  // Called `item-1`.
  const other = ['AWS::RDS::DBInstance', {}] as const;
  const managed = 'encryption.customer_managed';
  expect(attributesOfItem(volume('alias/aws/ebs'), other)).toHaveProperty(managed, false);
  expect(attributesOfItem(volume('item-1'), other)).toHaveProperty(managed, 'not known');
});
