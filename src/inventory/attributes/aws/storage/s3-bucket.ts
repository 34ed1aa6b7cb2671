import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { allParts } from '../../related.ts';
import type { Related } from '../../related.ts';
import { at, flag, isGiven, isOneOf, mapList, some, text } from '../../values.ts';
import { field } from '../api-field.ts';
import { configuration, supplementary } from '../config-item.ts';
import { readAllStatements, readStatements } from '../policy-document.ts';
import {
  bucketName,
  cannedAcls,
  defaultEncryption,
  grantedAcl,
  lifecycleRule,
  logsIntoItself,
  publicAccessBlock,
  retentionDays,
} from './s3-settings.ts';
import { bucketOfPlan } from './s3-bucket-plan.ts';

const publicAccess =
  'AWS News Blog, Amazon S3 Block Public Access, updated 2023-04-27: all settings are on for new buckets. If a public access ' +
  'block is configured, the settings that it omits are off. For existing buckets in Terraform, the settings are unknown';
const encryptedAlways =
  'Amazon S3 User Guide, Setting default server-side encryption behavior for Amazon S3 buckets: SSE-S3 since 2023-01-05';

export const s3Bucket = normaliser({
  types: ['AWS::S3::Bucket'],
  source: 'Amazon S3 API Reference, API version 2006-03-01',
  attributes: {
    'public_access_block.configured': {
      type: 'bool',
      meaning: 'the bucket has a public access block, whether its settings are on or off',
      absent: false,
    },
    'public_access_block.block_public_acls': {
      type: 'bool',
      meaning: 'new public ACLs are rejected',
      absent: true,
      source: publicAccess,
    },
    'public_access_block.ignore_public_acls': {
      type: 'bool',
      meaning: 'public ACLs are ignored',
      absent: true,
      source: publicAccess,
    },
    'public_access_block.block_public_policy': {
      type: 'bool',
      meaning: 'new public bucket policies are rejected',
      absent: true,
      source: publicAccess,
    },
    'public_access_block.restrict_public_buckets': {
      type: 'bool',
      meaning:
        'access to a public bucket is limited to AWS services and the account of the bucket owner',
      absent: true,
      source: publicAccess,
    },
    acl: {
      type: 'string',
      meaning: 'canned ACL, such as `private` or `public-read`',
      absent: 'private',
      spelling: cannedAcls,
    },
    'policy.statements': { type: 'list<Statement>', meaning: 'the bucket policy', absent: [] },
    'encryption.enabled': {
      type: 'bool',
      meaning: 'new objects are encrypted; always on, by default with S3 managed keys (SSE-S3)',
      absent: true,
      source: encryptedAlways,
    },
    'encryption.configured': {
      type: 'bool',
      meaning: 'the bucket sets default encryption explicitly',
      absent: false,
    },
    'encryption.algorithm': {
      type: 'string',
      meaning: 'algorithm of the default encryption: `AES256`, `aws:kms` or `aws:kms:dsse`',
      spelling: ['AES256', 'aws:kms', 'aws:kms:dsse'],
      absent: 'AES256',
      source: encryptedAlways,
    },
    'encryption.customer_managed': {
      type: 'bool',
      meaning: 'default encryption uses a customer managed KMS key',
      absent: false,
    },
    'encryption.kms_key_id': { type: 'string', meaning: 'the KMS key of the default encryption' },
    'versioning.enabled': {
      type: 'bool',
      meaning: 'versioning is enabled, not suspended',
      absent: false,
    },
    'logging.enabled': { type: 'bool', meaning: 'server access logging is on', absent: false },
    'logging.target_bucket': { type: 'string', meaning: 'bucket that receives the logs' },
    'logging.to_itself': { type: 'bool', meaning: 'the bucket logs to itself', absent: false },
    'replication.enabled': {
      type: 'bool',
      meaning: 'a replication rule to a bucket in the same or another region is enabled',
      absent: false,
    },
    'object_lock.enabled': { type: 'bool', meaning: 'Object Lock is enabled', absent: false },
    'object_lock.mode': {
      type: 'string',
      meaning: 'default retention mode: `GOVERNANCE`, `COMPLIANCE` or `NONE`',
      spelling: ['GOVERNANCE', 'COMPLIANCE', 'NONE'],
      absent: 'NONE',
    },
    'object_lock.retention_days': {
      type: 'int',
      meaning: 'default retention period in days; a year counts as 365 days',
      absent: 0,
    },
    'lifecycle.rules': { type: 'list', meaning: 'lifecycle rules', absent: [] },
    'lifecycle.rules[].enabled': {
      type: 'bool',
      meaning: 'the lifecycle rule is enabled',
      absent: false,
    },
    'lifecycle.rules[].abort_incomplete_upload_days': {
      type: 'int',
      meaning: 'days after which incomplete multipart uploads are aborted',
    },
  },
  arguments: {
    AccessControl: 'acl of aws_s3_bucket_acl',
    BucketEncryption: 'aws_s3_bucket_server_side_encryption_configuration',
    LifecycleConfiguration: 'aws_s3_bucket_lifecycle_configuration',
    'LoggingConfiguration.DestinationBucketName': 'target_bucket of aws_s3_bucket_logging',
    'ObjectLockConfiguration.Rule.DefaultRetention':
      'rule.default_retention of aws_s3_bucket_object_lock_configuration',
    ObjectLockEnabled: 'object_lock_enabled',
    OwnershipControls: 'aws_s3_bucket_ownership_controls',
    PublicAccessBlockConfiguration: 'aws_s3_bucket_public_access_block',
    ReplicationConfiguration: 'aws_s3_bucket_replication_configuration',
    'VersioningConfiguration.Status': 'versioning_configuration.status of aws_s3_bucket_versioning',
  },
  from: {
    cloudformation: (raw, related) => {
      const { properties } = raw;
      const logging = at(properties, 'LoggingConfiguration');
      const policies = allParts(related, raw, 'AWS::S3::BucketPolicy', bucketOfPolicy);
      return {
        acl: cannedAcl(at(properties, 'AccessControl')),
        'policy.statements': readAllStatements(
          [],
          policies.map((one) => ({
            type: one.type,
            document: one.properties.PolicyDocument,
          })),
        ),
        'logging.enabled': isGiven(logging),
        // Left out, the logs go into the bucket itself.
        'logging.target_bucket':
          logging && (bucketName(at(logging, 'DestinationBucketName'), related) ?? raw.name),
        'logging.to_itself':
          logging &&
          (at(logging, 'DestinationBucketName') === undefined ||
            logsIntoItself(at(logging, 'DestinationBucketName'), raw, related)),
        'object_lock.enabled': flag(at(properties, 'ObjectLockEnabled')),
        ...ofParts(
          {
            publicAccessBlock: at(properties, 'PublicAccessBlockConfiguration'),
            encryption: at(properties, 'BucketEncryption', 'ServerSideEncryptionConfiguration', 0),
            versioning: at(properties, 'VersioningConfiguration'),
            replicationRules: at(properties, 'ReplicationConfiguration', 'Rules'),
            lock: at(properties, 'ObjectLockConfiguration'),
            lifecycleRules: at(properties, 'LifecycleConfiguration', 'Rules'),
          },
          related,
        ),
      };
    },
    terraform: bucketOfPlan,
    'aws-config': (raw, related) => {
      const target = supplementary(raw, 'BucketLoggingConfiguration', 'destinationBucketName');
      const lock = supplementary(raw, 'ObjectLockConfiguration');
      return {
        acl: grantedAcl(supplementary(raw, 'AccessControlList', 'grantList'), (grant) => ({
          to: at(grant, 'grantee'),
          permissions: at(grant, 'permission'),
        })),
        'policy.statements': readStatements(supplementary(raw, 'BucketPolicy', 'policyText')),
        'logging.enabled': isGiven(target),
        'logging.target_bucket': target,
        'logging.to_itself': isGiven(target) && logsIntoItself(target, raw, related),
        'object_lock.enabled': isOneOf(
          at(lock, 'objectLockEnabled') ?? configuration(raw, 'objectLockEnabled'),
          'Enabled',
          'true',
        ),
        ...ofParts(
          {
            publicAccessBlock: supplementary(raw, 'PublicAccessBlockConfiguration'),
            encryption: supplementary(raw, 'ServerSideEncryptionConfiguration', 'rules', 0),
            versioning: supplementary(raw, 'BucketVersioningConfiguration'),
            replicationRules: listed(supplementary(raw, 'BucketReplicationConfiguration', 'rules')),
            lock,
            lifecycleRules: supplementary(raw, 'BucketLifecycleConfiguration', 'rules'),
          },
          related,
        ),
      };
    },
  },
});

/** Settings that CloudFormation and AWS Config shape alike; their names differ in case only. */
interface Parts {
  readonly publicAccessBlock: unknown;
  readonly encryption: unknown;
  readonly versioning: unknown;
  readonly replicationRules: unknown;
  readonly lock: unknown;
  readonly lifecycleRules: unknown;
}

function ofParts(parts: Parts, related: Related) {
  const encryption =
    field(parts.encryption, 'ServerSideEncryptionByDefault') ??
    field(parts.encryption, 'ApplyServerSideEncryptionByDefault');
  const retention = field(parts.lock, 'Rule', 'DefaultRetention');
  return {
    ...publicAccessBlock(
      parts.publicAccessBlock,
      (name) => field(parts.publicAccessBlock, name.replaceAll('_', '')),
      () => (related.isExport ? false : undefined),
    ),
    ...defaultEncryption(
      field(encryption, 'SSEAlgorithm'),
      field(encryption, 'KMSMasterKeyID'),
      related,
    ),
    'versioning.enabled': isOneOf(field(parts.versioning, 'Status'), 'Enabled'),
    'replication.enabled': some(parts.replicationRules, (rule) =>
      isOneOf(field(rule, 'Status') ?? 'Enabled', 'Enabled'),
    ),
    'object_lock.mode': text(field(retention, 'Mode')),
    'object_lock.retention_days': retentionDays(
      field(retention, 'Days'),
      field(retention, 'Years'),
    ),
    'lifecycle.rules': mapList(parts.lifecycleRules, (rule) =>
      lifecycleRule(
        isOneOf(field(rule, 'Status'), 'Enabled'),
        field(rule, 'AbortIncompleteMultipartUpload', 'DaysAfterInitiation'),
      ),
    ),
  };
}

const bucketOfPolicy = ({ properties }: RawResource): unknown => properties.Bucket;

/** CloudFormation's `PublicReadWrite` is S3's `public-read-write`. */
function cannedAcl(value: unknown): unknown {
  const word = text(value);
  return typeof word === 'string' ? word.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase() : word;
}

/** AWS Config gives replication rules as a map by id. */
const listed = (rules: unknown): unknown =>
  typeof rules === 'object' && rules !== null ? Object.values(rules) : rules;
