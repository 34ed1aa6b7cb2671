import type { UnknownValue } from '../../../../contract/resources.ts';
import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import {
  and,
  at,
  block,
  configured,
  flag,
  isGiven,
  isOneOf,
  isUnknown,
  mapList,
  number,
  some,
  text,
} from '../../values.ts';
import { configuration, supplementary } from '../config-item.ts';
import { isCustomerManaged } from '../kms-key.ts';
import { asWritten, readAllStatements, readStatements } from '../policy-document.ts';

export const s3Bucket = normaliser({
  types: ['AWS::S3::Bucket'],
  attributes: {
    'public_access_block.block_public_acls': {
      type: 'bool',
      meaning: 'refuses new public ACLs',
      absent: false,
    },
    'public_access_block.ignore_public_acls': {
      type: 'bool',
      meaning: 'ignores public ACLs',
      absent: false,
    },
    'public_access_block.block_public_policy': {
      type: 'bool',
      meaning: 'refuses public bucket policies',
      absent: false,
    },
    'public_access_block.restrict_public_buckets': {
      type: 'bool',
      meaning: 'limits a public bucket to AWS services and the own account',
      absent: false,
    },
    acl: {
      type: 'string',
      meaning: 'canned ACL, such as `private`, `public-read`',
      absent: 'private',
    },
    'policy.statements': { type: 'list<Statement>', meaning: 'the bucket policy', absent: [] },
    'encryption.enabled': {
      type: 'bool',
      meaning:
        'default encryption is configured; S3 encrypts new objects with its own keys (SSE-S3) where it is not',
      absent: false,
    },
    'encryption.algorithm': {
      type: 'string',
      meaning: 'of the default encryption: `AES256`, `aws:kms` or `aws:kms:dsse`',
    },
    'encryption.customer_managed': {
      type: 'bool',
      meaning: 'default encryption uses a customer managed KMS key',
      absent: false,
    },
    'encryption.kms_key_id': { type: 'string', meaning: 'that key' },
    'versioning.enabled': {
      type: 'bool',
      meaning: 'versioning is on, not suspended',
      absent: false,
    },
    'logging.enabled': { type: 'bool', meaning: 'server access logging is on', absent: false },
    'logging.target_bucket': { type: 'string', meaning: 'where the logs go' },
    'replication.enabled': {
      type: 'bool',
      meaning: 'a replication rule is on, to a bucket of the same or another region',
      absent: false,
    },
    'object_lock.enabled': { type: 'bool', meaning: 'object lock is on', absent: false },
    'object_lock.mode': {
      type: 'string',
      meaning: '`GOVERNANCE`, `COMPLIANCE` or `NONE`: the default retention',
      absent: 'NONE',
    },
    'object_lock.retention_days': {
      type: 'int',
      meaning: 'default retention; years count 365 days',
      absent: 0,
    },
    'lifecycle.rules': { type: 'list', meaning: 'lifecycle rules', absent: [] },
    'lifecycle.rules[].enabled': { type: 'bool', meaning: 'the rule is on', absent: false },
    'lifecycle.rules[].abort_incomplete_upload_days': {
      type: 'int',
      meaning: 'days until an unfinished upload is removed',
    },
  },
  from: {
    cloudformation: (raw, related) => {
      const properties = raw.properties;
      const block = at(properties, 'PublicAccessBlockConfiguration');
      const logging = at(properties, 'LoggingConfiguration');
      const encryption = at(properties, 'BucketEncryption', 'ServerSideEncryptionConfiguration', 0);
      const retention = at(properties, 'ObjectLockConfiguration', 'Rule', 'DefaultRetention');
      const policies = related.referring(raw, 'AWS::S3::BucketPolicy', bucketOfTemplate);
      return {
        'public_access_block.block_public_acls': flag(at(block, 'BlockPublicAcls')),
        'public_access_block.ignore_public_acls': flag(at(block, 'IgnorePublicAcls')),
        'public_access_block.block_public_policy': flag(at(block, 'BlockPublicPolicy')),
        'public_access_block.restrict_public_buckets': flag(at(block, 'RestrictPublicBuckets')),
        acl: cannedAcl(at(properties, 'AccessControl')),
        'policy.statements': readAllStatements(
          policies.map((one) => one.properties.PolicyDocument),
        ),
        ...encryptionOf(
          at(encryption, 'ServerSideEncryptionByDefault', 'SSEAlgorithm'),
          at(encryption, 'ServerSideEncryptionByDefault', 'KMSMasterKeyID'),
          related,
        ),
        'versioning.enabled': isOneOf(
          at(properties, 'VersioningConfiguration', 'Status'),
          'Enabled',
        ),
        'logging.enabled': isGiven(logging),
        // Left out, the logs go into the bucket itself.
        'logging.target_bucket':
          logging && (bucketName(at(logging, 'DestinationBucketName'), related) ?? raw.name),
        'replication.enabled': some(at(properties, 'ReplicationConfiguration', 'Rules'), (rule) =>
          isOneOf(at(rule, 'Status') ?? 'Enabled', 'Enabled'),
        ),
        'object_lock.enabled': flag(at(properties, 'ObjectLockEnabled')),
        'object_lock.mode': text(at(retention, 'Mode')),
        'object_lock.retention_days': days(at(retention, 'Days'), at(retention, 'Years')),
        'lifecycle.rules': mapList(at(properties, 'LifecycleConfiguration', 'Rules'), (rule) =>
          lifecycleRule(
            isOneOf(at(rule, 'Status'), 'Enabled'),
            at(rule, 'AbortIncompleteMultipartUpload', 'DaysAfterInitiation'),
          ),
        ),
      };
    },
    terraform: (raw, related) => {
      // Settings are resources of their own; the provider's versions before 4 had them as blocks of the bucket, which
      // later ones still read back.
      const own = (type: string): unknown =>
        related.referring(raw, type, bucketOfPlan)[0]?.properties;
      const setting = (type: string, inline: string): unknown =>
        own(type) ?? configured(block(raw.properties, inline));
      const publicAccess = own('AWS::S3::BucketPublicAccessBlock');
      const versioning = setting('AWS::S3::BucketVersioning', 'versioning');
      const logging = setting('AWS::S3::BucketLogging', 'logging');
      const encryption = block(
        setting(
          'AWS::S3::BucketServerSideEncryptionConfiguration',
          'server_side_encryption_configuration',
        ),
        'rule',
        'apply_server_side_encryption_by_default',
      );
      const lock = setting('AWS::S3::BucketObjectLockConfiguration', 'object_lock_configuration');
      const retention = block(lock, 'rule', 'default_retention');
      const replication = setting(
        'AWS::S3::BucketReplicationConfiguration',
        'replication_configuration',
      );
      const lifecycle = own('AWS::S3::BucketLifecycleConfiguration');
      const policies = related.referring(raw, 'AWS::S3::BucketPolicy', bucketOfPlan);
      return {
        'public_access_block.block_public_acls': flag(at(publicAccess, 'block_public_acls')),
        'public_access_block.ignore_public_acls': flag(at(publicAccess, 'ignore_public_acls')),
        'public_access_block.block_public_policy': flag(at(publicAccess, 'block_public_policy')),
        'public_access_block.restrict_public_buckets': flag(
          at(publicAccess, 'restrict_public_buckets'),
        ),
        acl: text(at(own('AWS::S3::BucketAcl'), 'acl') ?? configured(at(raw.properties, 'acl'))),
        'policy.statements': readAllStatements(
          [raw, ...policies].map((one) =>
            one === raw ? configured(at(raw.properties, 'policy')) : one.properties.policy,
          ),
        ),
        ...encryptionOf(
          at(encryption, 'sse_algorithm'),
          at(encryption, 'kms_master_key_id'),
          related,
        ),
        'versioning.enabled':
          flag(at(versioning, 'enabled')) ??
          isOneOf(at(block(versioning, 'versioning_configuration'), 'status'), 'Enabled'),
        'logging.enabled': isGiven(at(logging, 'target_bucket')),
        'logging.target_bucket': bucketName(at(logging, 'target_bucket'), related),
        'replication.enabled': some(at(replication, 'rule') ?? at(replication, 'rules'), (rule) =>
          isOneOf(at(rule, 'status'), 'Enabled'),
        ),
        'object_lock.enabled':
          flag(configured(at(raw.properties, 'object_lock_enabled'))) ??
          (lock === undefined
            ? undefined
            : isOneOf(at(lock, 'object_lock_enabled') ?? 'Enabled', 'Enabled')),
        'object_lock.mode': text(at(retention, 'mode')),
        'object_lock.retention_days': days(at(retention, 'days'), at(retention, 'years')),
        'lifecycle.rules': lifecycle
          ? mapList(at(lifecycle, 'rule'), (rule) =>
              lifecycleRule(
                isOneOf(at(rule, 'status'), 'Enabled'),
                at(block(rule, 'abort_incomplete_multipart_upload'), 'days_after_initiation'),
              ),
            )
          : mapList(configured(at(raw.properties, 'lifecycle_rule')), (rule) =>
              lifecycleRule(
                flag(at(rule, 'enabled')),
                at(rule, 'abort_incomplete_multipart_upload_days'),
              ),
            ),
      };
    },
    'aws-config': (raw, related) => {
      const part = (...steps: readonly (string | number)[]): unknown =>
        supplementary(raw, String(steps[0]), ...steps.slice(1));
      const encryption = part(
        'ServerSideEncryptionConfiguration',
        'rules',
        0,
        'applyServerSideEncryptionByDefault',
      );
      const target = part('BucketLoggingConfiguration', 'destinationBucketName');
      const retention = part('ObjectLockConfiguration', 'rule', 'defaultRetention');
      const block = part('PublicAccessBlockConfiguration');
      return {
        'public_access_block.block_public_acls': flag(at(block, 'blockPublicAcls')),
        'public_access_block.ignore_public_acls': flag(at(block, 'ignorePublicAcls')),
        'public_access_block.block_public_policy': flag(at(block, 'blockPublicPolicy')),
        'public_access_block.restrict_public_buckets': flag(at(block, 'restrictPublicBuckets')),
        acl: grantedAcl(part('AccessControlList', 'grantList')),
        'policy.statements': readStatements(part('BucketPolicy', 'policyText')),
        ...encryptionOf(at(encryption, 'sseAlgorithm'), at(encryption, 'kmsMasterKeyID'), related),
        'versioning.enabled': isOneOf(part('BucketVersioningConfiguration', 'status'), 'Enabled'),
        'logging.enabled': isGiven(target),
        'logging.target_bucket': target,
        'replication.enabled': some(
          replicationRules(part('BucketReplicationConfiguration', 'rules')),
          (rule) => isOneOf(at(rule, 'status'), 'Enabled'),
        ),
        'object_lock.enabled': isOneOf(
          part('ObjectLockConfiguration', 'objectLockEnabled') ??
            configuration(raw, 'objectLockEnabled'),
          'Enabled',
          'true',
        ),
        'object_lock.mode': text(at(retention, 'mode')),
        'object_lock.retention_days': days(at(retention, 'days'), at(retention, 'years')),
        'lifecycle.rules': mapList(part('BucketLifecycleConfiguration', 'rules'), (rule) =>
          lifecycleRule(
            isOneOf(at(rule, 'status'), 'Enabled'),
            at(rule, 'abortIncompleteMultipartUpload', 'daysAfterInitiation'),
          ),
        ),
      };
    },
  },
});

const bucketOfTemplate = (raw: RawResource): unknown => raw.properties.Bucket;
const bucketOfPlan = (raw: RawResource): unknown => raw.properties.bucket;

/** The name of a bucket; one of the same input that gets its name later is as it is written. */
const bucketName = (value: unknown, related: Related): unknown =>
  related.find(value)?.name ?? asWritten(value);

const encryptionOf = (algorithm: unknown, key: unknown, related: Related) => ({
  'encryption.enabled': isGiven(algorithm),
  'encryption.algorithm': text(algorithm),
  'encryption.customer_managed': and(
    isOneOf(algorithm, 'aws:kms', 'aws:kms:dsse'),
    isCustomerManaged(key, related),
  ),
  'encryption.kms_key_id': text(key),
});

const lifecycleRule = (enabled: unknown, abortDays: unknown) => ({
  enabled: enabled ?? false,
  ...(number(abortDays) === undefined ? {} : { abort_incomplete_upload_days: number(abortDays) }),
});

function days(given: unknown, years: unknown): unknown {
  const inYears = number(years);
  return number(given) ?? (typeof inYears === 'number' ? inYears * 365 : inYears);
}

/** CloudFormation's `PublicReadWrite` is S3's `public-read-write`. */
function cannedAcl(value: unknown): unknown {
  const word = text(value);
  return typeof word === 'string' ? word.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase() : word;
}

/** The canned ACL that public grants amount to. */
function grantedAcl(grants: unknown): string | UnknownValue {
  const permissions = (grantee: string): unknown[] => {
    const items = mapList(grants, (grant) =>
      at(grant, 'grantee') === grantee ? at(grant, 'permission') : undefined,
    );
    return isUnknown(items) ? [] : items.filter((item) => item !== undefined);
  };
  const all = permissions('AllUsers');
  if (all.some((one) => one === 'Write' || one === 'FullControl')) return 'public-read-write';
  if (all.length > 0) return 'public-read';
  return permissions('AuthenticatedUsers').length > 0 ? 'authenticated-read' : 'private';
}

/** AWS Config gives replication rules as a map by id. */
const replicationRules = (rules: unknown): unknown =>
  typeof rules === 'object' && rules !== null && !isUnknown(rules) ? Object.values(rules) : rules;
