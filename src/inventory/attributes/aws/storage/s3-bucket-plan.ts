import { UnknownValue } from '../../../../contract/resources.ts';
import type { RawResource } from '../../../model.ts';
import { allParts } from '../../related.ts';
import type { Related } from '../../related.ts';
import { at, flag, isGiven, isOneOf, mapList, some, text } from '../../values.ts';
import { planned, plannedBlock } from '../plan-value.ts';
import { readAllStatements } from '../policy-document.ts';
import {
  bucketName,
  defaultEncryption,
  lifecycleRule,
  logsIntoItself,
  plannedAcl,
  publicAccessBlock,
  retentionDays,
} from './s3-settings.ts';
import { bucketOfPart, keepsVersions, partAcl } from './s3-parts.ts';

const blockType = 'AWS::S3::BucketPublicAccessBlock';

/**
 * The attributes of a bucket in a plan. Its settings are resources of their own; in the provider's versions before 4
 * they were blocks of the bucket, which later versions still read back.
 */
export function bucketOfPlan(raw: RawResource, related: Related) {
  const own = (type: string): unknown => related.referring(raw, type, bucketOfPart)[0]?.properties;
  const setting = (type: string, block: string): unknown =>
    own(type) ??
    plannedBlock(raw.properties, block) ??
    related.stray(`a block ${block}`, type, bucketOfPart);
  const block = own(blockType);
  const strayBlock = (matters?: (part: RawResource) => boolean) =>
    related.stray('a public access block', blockType, bucketOfPart, matters);
  const encryption = plannedBlock(
    setting(
      'AWS::S3::BucketServerSideEncryptionConfiguration',
      'server_side_encryption_configuration',
    ),
    'rule',
    'apply_server_side_encryption_by_default',
  );
  const versioning = setting('AWS::S3::BucketVersioning', 'versioning');
  const logging = setting('AWS::S3::BucketLogging', 'logging');
  const replication = setting(
    'AWS::S3::BucketReplicationConfiguration',
    'replication_configuration',
  );
  const lock = setting('AWS::S3::BucketObjectLockConfiguration', 'object_lock_configuration');
  const retention = plannedBlock(lock, 'rule', 'default_retention');
  const ownAcl = own('AWS::S3::BucketAcl');
  const policies = allParts(related, raw, 'AWS::S3::BucketPolicy', bucketOfPart);
  return {
    ...publicAccessBlock(
      block,
      (name) => planned(block, name),
      (name) =>
        strayBlock(({ properties }) => flag(planned(properties, name)) !== true) ??
        (raw.exists ? olderBlock : undefined),
    ),
    'public_access_block.configured': isGiven(block ?? strayBlock()),
    acl:
      (ownAcl && partAcl(ownAcl)) ??
      plannedAcl(raw.properties) ??
      related.stray(
        'an ACL',
        'AWS::S3::BucketAcl',
        bucketOfPart,
        ({ properties }) => partAcl(properties) !== 'private',
      ),
    'policy.statements': readAllStatements(
      [planned(raw.properties, 'policy')],
      policies.map(({ type, properties }) => ({ type, document: properties.policy })),
    ),
    ...defaultEncryption(
      planned(encryption, 'sse_algorithm'),
      planned(encryption, 'kms_master_key_id'),
      related,
    ),
    'versioning.enabled': keepsVersions(versioning),
    'logging.enabled': isGiven(logging),
    'logging.target_bucket': bucketName(planned(logging, 'target_bucket'), related),
    'logging.to_itself': logging && logsIntoItself(planned(logging, 'target_bucket'), raw, related),
    'replication.enabled': some(
      planned(replication, 'rule') ?? planned(replication, 'rules'),
      (rule) => isOneOf(at(rule, 'status'), 'Enabled'),
    ),
    'object_lock.enabled': flag(planned(raw.properties, 'object_lock_enabled')) ?? isGiven(lock),
    'object_lock.mode': text(planned(retention, 'mode')),
    'object_lock.retention_days': retentionDays(
      planned(retention, 'days'),
      planned(retention, 'years'),
    ),
    'lifecycle.rules': lifecycleRules(raw, own('AWS::S3::BucketLifecycleConfiguration')),
  };
}

/** Buckets from before April 2023 have none, and one that is set elsewhere isn't in the state of the bucket. */
const olderBlock = new UnknownValue(
  'the public access block of an existing bucket, which is not in this input',
  { present: false },
);

const lifecycleRules = (raw: RawResource, own: unknown): unknown =>
  own === undefined
    ? mapList(planned(raw.properties, 'lifecycle_rule'), (rule) =>
        lifecycleRule(
          flag(at(rule, 'enabled')),
          planned(rule, 'abort_incomplete_multipart_upload_days'),
        ),
      )
    : mapList(planned(own, 'rule'), (rule) =>
        lifecycleRule(
          isOneOf(at(rule, 'status'), 'Enabled'),
          planned(rule, 'abort_incomplete_multipart_upload', 'days_after_initiation'),
        ),
      );
