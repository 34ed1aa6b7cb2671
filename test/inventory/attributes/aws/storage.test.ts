import { describe, expect, test } from 'vitest';
import { UnknownValue } from '../../../../src/contract/resources.ts';
import { readInventory } from '../../../../src/inventory/read.ts';
import {
  Reference,
  attributesOfItem,
  attributesOfPlan,
  attributesOfState,
  attributesOfTemplate,
} from './twins.ts';
import type { Twins } from './twins.ts';

const denyHttp = {
  Version: '2012-10-17',
  Statement: {
    Effect: 'Deny',
    Principal: '*',
    Action: 's3:*',
    Resource: 'arn:aws:s3:::acme-invoices/*',
    Condition: { Bool: { 'aws:SecureTransport': false } },
  },
};

const statement = {
  effect: 'Deny',
  principals: ['*'],
  not_principals: [],
  actions: ['s3:*'],
  not_actions: [],
  resources: ['arn:aws:s3:::acme-invoices/*'],
  not_resources: [],
  conditions: { Bool: { 'aws:SecureTransport': ['false'] } },
};

const blocks = (value: unknown) => ({
  block_public_acls: value,
  ignore_public_acls: value,
  block_public_policy: value,
  restrict_public_buckets: value,
});

const bareBucket = {
  public_access_block: { configured: false, ...blocks(true) },
  acl: 'private',
  policy: { statements: [] },
  encryption: { enabled: true, configured: false, algorithm: 'AES256', customer_managed: false },
  versioning: { enabled: false },
  logging: { enabled: false, to_itself: false },
  replication: { enabled: false },
  object_lock: { enabled: false, mode: 'NONE', retention_days: 0 },
  lifecycle: { rules: [] },
};

const fullBucket = {
  public_access_block: { configured: true, ...blocks(true), restrict_public_buckets: false },
  acl: 'log-delivery-write',
  policy: { statements: [{ ...statement, declared_by: 'AWS::S3::BucketPolicy' }] },
  encryption: {
    enabled: true,
    configured: true,
    algorithm: 'aws:kms',
    customer_managed: true,
    kms_key_id: 'not known',
  },
  versioning: { enabled: true },
  logging: { enabled: true, target_bucket: 'acme-logs', to_itself: false },
  replication: { enabled: true },
  object_lock: { enabled: true, mode: 'COMPLIANCE', retention_days: 730 },
  lifecycle: {
    rules: [{ enabled: true, abort_incomplete_upload_days: 7 }, { enabled: false }],
  },
};

const twins: Record<string, Twins & { readonly expected: Record<string, unknown> }> = {
  'a bucket of which nothing is said': {
    template: { It: ['AWS::S3::Bucket', {}] },
    plan: { 'aws_s3_bucket.it': { bucket: 'acme-invoices' } },
    expected: bareBucket,
  },
  'a bucket with all its settings': {
    template: {
      It: [
        'AWS::S3::Bucket',
        {
          BucketName: 'acme-invoices',
          AccessControl: 'LogDeliveryWrite',
          PublicAccessBlockConfiguration: {
            BlockPublicAcls: true,
            IgnorePublicAcls: 'true',
            BlockPublicPolicy: 'True',
            RestrictPublicBuckets: 'false',
          },
          BucketEncryption: {
            ServerSideEncryptionConfiguration: [
              {
                ServerSideEncryptionByDefault: {
                  SSEAlgorithm: 'aws:kms',
                  KMSMasterKeyID: { 'Fn::GetAtt': ['Key', 'Arn'] },
                },
              },
            ],
          },
          VersioningConfiguration: { Status: 'Enabled' },
          LoggingConfiguration: { DestinationBucketName: { Ref: 'Logs' } },
          ReplicationConfiguration: { Role: 'r', Rules: [{ Status: 'Enabled' }] },
          ObjectLockEnabled: true,
          ObjectLockConfiguration: { Rule: { DefaultRetention: { Mode: 'COMPLIANCE', Years: 2 } } },
          LifecycleConfiguration: {
            Rules: [
              { Status: 'Enabled', AbortIncompleteMultipartUpload: { DaysAfterInitiation: '7' } },
              { Status: 'Disabled' },
            ],
          },
        },
      ],
      Key: ['AWS::KMS::Key', {}],
      Logs: ['AWS::S3::Bucket', { BucketName: 'acme-logs' }],
      Policy: ['AWS::S3::BucketPolicy', { Bucket: { Ref: 'It' }, PolicyDocument: denyHttp }],
    },
    plan: {
      'aws_s3_bucket.it': { bucket: 'acme-invoices', object_lock_enabled: true },
      'aws_s3_bucket.logs': { bucket: 'acme-logs' },
      'aws_kms_key.it': {},
      'aws_s3_bucket_acl.it': { bucket: 'acme-invoices', acl: 'log-delivery-write' },
      'aws_s3_bucket_public_access_block.it': {
        bucket: new Reference('aws_s3_bucket.it.id'),
        block_public_acls: true,
        ignore_public_acls: true,
        block_public_policy: true,
        restrict_public_buckets: false,
      },
      'aws_s3_bucket_server_side_encryption_configuration.it': {
        bucket: new Reference('aws_s3_bucket.it.id'),
        rule: [
          {
            apply_server_side_encryption_by_default: [
              { sse_algorithm: 'aws:kms', kms_master_key_id: new Reference('aws_kms_key.it.arn') },
            ],
          },
        ],
      },
      'aws_s3_bucket_versioning.it': {
        bucket: new Reference('aws_s3_bucket.it.bucket'),
        versioning_configuration: [{ status: 'Enabled' }],
      },
      'aws_s3_bucket_logging.it': {
        bucket: new Reference('aws_s3_bucket.it.id'),
        target_bucket: new Reference('aws_s3_bucket.logs.id'),
      },
      'aws_s3_bucket_replication_configuration.it': {
        bucket: new Reference('aws_s3_bucket.it.id'),
        rule: [{ status: 'Enabled' }],
      },
      'aws_s3_bucket_object_lock_configuration.it': {
        bucket: new Reference('aws_s3_bucket.it.id'),
        rule: [{ default_retention: [{ mode: 'COMPLIANCE', years: 2 }] }],
      },
      'aws_s3_bucket_lifecycle_configuration.it': {
        bucket: new Reference('aws_s3_bucket.it.id'),
        rule: [
          {
            status: 'Enabled',
            abort_incomplete_multipart_upload: [{ days_after_initiation: 7 }],
          },
          { status: 'Disabled', abort_incomplete_multipart_upload: [] },
        ],
      },
      'aws_s3_bucket_policy.it': {
        bucket: new Reference('aws_s3_bucket.it.id'),
        policy: JSON.stringify(denyHttp),
      },
    },
    expected: fullBucket,
  },
  'a bucket policy': {
    template: { It: ['AWS::S3::BucketPolicy', { Bucket: 'b', PolicyDocument: denyHttp }] },
    plan: { 'aws_s3_bucket_policy.it': { bucket: 'b', policy: JSON.stringify(denyHttp) } },
    expected: { policy: { statements: [statement] } },
  },
  'a volume that is attached': {
    template: {
      It: [
        'AWS::EC2::Volume',
        { Encrypted: 'true', KmsKeyId: 'alias/aws/ebs', Size: '20', VolumeType: 'gp3' },
      ],
      Attachment: ['AWS::EC2::VolumeAttachment', { VolumeId: { Ref: 'It' } }],
    },
    plan: {
      'aws_ebs_volume.it': { encrypted: true, kms_key_id: 'alias/aws/ebs', size: 20, type: 'gp3' },
      'aws_volume_attachment.it': { volume_id: new Reference('aws_ebs_volume.it.id') },
    },
    expected: {
      encryption: { enabled: true, customer_managed: false, kms_key_id: 'alias/aws/ebs' },
      volume_type: 'gp3',
      size_gb: 20,
      attached: true,
    },
  },
  'a volume of which nothing is said': {
    template: { It: ['AWS::EC2::Volume', {}] },
    plan: { 'aws_ebs_volume.it': {} },
    expected: {
      encryption: { enabled: false, customer_managed: false },
      volume_type: 'gp2',
      attached: false,
    },
  },
  'an encrypted file system with backups': {
    template: {
      It: ['AWS::EFS::FileSystem', { Encrypted: true, BackupPolicy: { Status: 'ENABLED' } }],
    },
    plan: {
      'aws_efs_file_system.it': { encrypted: true },
      'aws_efs_backup_policy.it': {
        file_system_id: new Reference('aws_efs_file_system.it.id'),
        backup_policy: [{ status: 'ENABLED' }],
      },
    },
    expected: {
      encryption: { enabled: true, customer_managed: false },
      backup: { enabled: true },
      policy: { statements: [] },
    },
  },
  'a Lustre file system': {
    template: {
      It: [
        'AWS::FSx::FileSystem',
        {
          FileSystemType: 'LUSTRE',
          LustreConfiguration: { DeploymentType: 'PERSISTENT_2', AutomaticBackupRetentionDays: 7 },
        },
      ],
    },
    plan: {
      'aws_fsx_lustre_file_system.it': {
        deployment_type: 'PERSISTENT_2',
        automatic_backup_retention_days: 7,
      },
    },
    expected: {
      file_system_type: 'LUSTRE',
      deployment_type: 'PERSISTENT_2',
      encryption: { customer_managed: false },
      backup: { enabled: true, retention_days: 7 },
    },
  },
  'a snapshot policy that copies to other regions': {
    template: {
      It: [
        'AWS::DLM::LifecyclePolicy',
        {
          PolicyDetails: {
            Schedules: [{ CrossRegionCopyRules: [{ Encrypted: true }, {}] }],
            Actions: [{ CrossRegionCopy: [{ EncryptionConfiguration: { Encrypted: 'true' } }] }],
          },
        },
      ],
    },
    plan: {
      'aws_dlm_lifecycle_policy.it': {
        policy_details: [
          {
            schedule: [{ cross_region_copy_rule: [{ encrypted: true }, { encrypted: false }] }],
            action: [{ cross_region_copy: [{ encryption_configuration: [{ encrypted: true }] }] }],
          },
        ],
      },
    },
    expected: {
      cross_region_copies: [
        { encryption: { enabled: true } },
        { encryption: { enabled: false } },
        { encryption: { enabled: true } },
      ],
    },
  },
};

describe('storage of AWS has the same attributes in a template and in a plan', () => {
  test.each(Object.entries(twins))('%s', (_name, { template, plan, expected }) => {
    expect(attributesOfTemplate(template)).toEqual(expected);
    expect(attributesOfPlan(plan)).toEqual(expected);
  });
});

test('blocks of a bucket itself, as older providers have them, give the same attributes', () => {
  const attributes = attributesOfPlan({
    'aws_s3_bucket.it': {
      bucket: 'acme-invoices',
      acl: 'public-read',
      policy: JSON.stringify(denyHttp),
      versioning: [{ enabled: true, mfa_delete: false }],
      logging: [{ target_bucket: 'acme-logs' }],
      server_side_encryption_configuration: [
        { rule: [{ apply_server_side_encryption_by_default: [{ sse_algorithm: 'AES256' }] }] },
      ],
      object_lock_configuration: [
        {
          object_lock_enabled: 'Enabled',
          rule: [{ default_retention: [{ mode: 'GOVERNANCE', days: 30 }] }],
        },
      ],
      lifecycle_rule: [{ enabled: true, abort_incomplete_multipart_upload_days: 3 }],
      replication_configuration: [{ role: 'r', rules: [{ status: 'Enabled' }] }],
    },
  });
  expect(attributes).toEqual({
    ...bareBucket,
    acl: 'public-read',
    policy: { statements: [statement] },
    encryption: { enabled: true, configured: true, algorithm: 'AES256', customer_managed: false },
    versioning: { enabled: true },
    logging: { enabled: true, target_bucket: 'acme-logs', to_itself: false },
    replication: { enabled: true },
    object_lock: { enabled: true, mode: 'GOVERNANCE', retention_days: 30 },
    lifecycle: { rules: [{ enabled: true, abort_incomplete_upload_days: 3 }] },
  });
});

test('AWS Config keeps a bucket in texts of JSON, and they give the same attributes', () => {
  const grant = (grantee: string, permission: string) => ({ grantee, permission });
  const attributes = attributesOfItem([
    'AWS::S3::Bucket',
    { name: 'acme-invoices' },
    {
      AccessControlList: JSON.stringify(
        JSON.stringify({ grantList: [grant('AllUsers', 'Read'), grant('AllUsers', 'Write')] }),
      ),
      BucketPolicy: { policyText: JSON.stringify(denyHttp) },
      BucketVersioningConfiguration: '{"status":"Enabled","isMfaDeleteEnabled":null}',
      BucketLoggingConfiguration: '{"destinationBucketName":null,"logFilePrefix":null}',
      PublicAccessBlockConfiguration:
        '{"blockPublicAcls":true,"ignorePublicAcls":true,"blockPublicPolicy":true,"restrictPublicBuckets":true}',
      ServerSideEncryptionConfiguration: {
        rules: [
          {
            applyServerSideEncryptionByDefault: {
              sseAlgorithm: 'aws:kms',
              kmsMasterKeyID: 'arn:aws:kms:eu-central-1:123456789012:key/k',
            },
          },
        ],
      },
    },
  ]);
  expect(attributes).toEqual({
    ...bareBucket,
    public_access_block: { configured: true, ...blocks(true) },
    acl: 'public-read-write',
    policy: { statements: [statement] },
    encryption: {
      enabled: true,
      configured: true,
      algorithm: 'aws:kms',
      customer_managed: 'not known',
      kms_key_id: 'arn:aws:kms:eu-central-1:123456789012:key/k',
    },
    versioning: { enabled: true },
  });
});

describe('the public access block of a bucket', () => {
  const bucket = { 'aws_s3_bucket.it': { bucket: 'acme-invoices' } };
  const blockOf = (it: unknown, values: object) => ({
    ...bucket,
    'aws_s3_bucket_public_access_block.it': { bucket: it, ...values },
  });
  const isUnknown = { configured: false, ...blocks('not known') };

  test('is on for a new bucket that has none of its own', () => {
    const isOn = { configured: false, ...blocks(true) };
    expect(attributesOfTemplate({ It: ['AWS::S3::Bucket', {}] }).public_access_block).toEqual(isOn);
    expect(attributesOfPlan(bucket).public_access_block).toEqual(isOn);
  });

  test('is not known where the bucket exists already and Terraform has none for it', () => {
    expect(attributesOfPlan(bucket, 'update').public_access_block).toEqual(isUnknown);
    expect(attributesOfPlan(bucket, 'no-op').public_access_block).toEqual(isUnknown);
    expect(attributesOfState(bucket).public_access_block).toEqual(isUnknown);
  });

  test('is off where AWS Config shows none', () => {
    expect(attributesOfItem(['AWS::S3::Bucket', {}]).public_access_block).toEqual({
      configured: false,
      ...blocks(false),
    });
  });

  test('is off in what is left out of it', () => {
    const half = { configured: true, ...blocks(false), block_public_acls: true };
    expect(
      attributesOfTemplate({
        It: ['AWS::S3::Bucket', { PublicAccessBlockConfiguration: { BlockPublicAcls: true } }],
      }).public_access_block,
    ).toEqual(half);
    const plan = blockOf('acme-invoices', { block_public_acls: true });
    expect(attributesOfPlan(plan).public_access_block).toEqual(half);
  });

  test('is not known where one that is off may be of any bucket', () => {
    const off = { ...blocks(true), block_public_acls: false };
    const plan = blockOf(new Reference('local.bucket'), off);
    expect(attributesOfPlan(plan).public_access_block).toEqual({
      configured: 'not known',
      ...blocks(true),
      block_public_acls: 'not known',
    });
  });
});

test('a key that a parameter names may be of AWS or of the customer, so that is not known', () => {
  const attributes = attributesOfTemplate(
    { It: ['AWS::EC2::Volume', { Encrypted: true, KmsKeyId: { Ref: 'KeyId' } }] },
    { KeyId: { Type: 'String' } },
  );
  expect(attributes.encryption).toEqual({
    enabled: true,
    customer_managed: 'not known',
    kms_key_id: 'not known',
  });
});

test('An item of AWS Config without supplementary parts, as a query gives it, tells nothing of what is kept there', () => {
  const { supplementaryConfiguration, ...item } = {
    resourceType: 'AWS::S3::Bucket',
    resourceId: 'shop',
    configuration: { name: 'shop' },
    supplementaryConfiguration: {},
  };
  const statements = (one: object): unknown => {
    const read = readInventory(JSON.stringify({ configurationItems: [one] }));
    return read.ok && read.inventory.resources[0]?.resource.policy;
  };
  expect(statements({ ...item, supplementaryConfiguration })).toEqual({ statements: [] });
  expect(statements(item)).toEqual({ statements: expect.any(UnknownValue) });
});
