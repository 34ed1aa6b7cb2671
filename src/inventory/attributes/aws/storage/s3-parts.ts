import { UnknownValue } from '../../../../contract/resources.ts';
import { flag, isOneOf } from '../../values.ts';
import { joinedAttribute } from '../../joined.ts';
import { normaliser } from '../../normaliser.ts';
import type { RawResource } from '../../../model.ts';
import { planned } from '../plan-value.ts';
import { cannedAcls, plannedAcl, publicAccessBlock } from './s3-settings.ts';

const source = 'Amazon S3 API Reference, API version 2006-03-01';
const bucket = 'AWS::S3::Bucket';

/** What Terraform keeps beside a bucket, and how such a part names it; a constant function, as an index is kept for it. */
export const bucketOfPart = ({ properties }: RawResource): unknown => properties['bucket'];

/** An ACL that is a resource of its own: Terraform asks for a canned ACL or for grants. */
export const partAcl = (properties: unknown) =>
  plannedAcl(properties) ??
  new UnknownValue('the ACL, which the input does not show', { present: false });

export const bucketAcl = normaliser({
  types: ['AWS::S3::BucketAcl'],
  source,
  attributes: {
    acl: {
      type: 'string',
      meaning:
        'canned ACL, such as `private` or `public-read`, or the canned ACL equivalent to the grants',
      spelling: cannedAcls,
    },
    ...joinedAttribute('the bucket', bucket),
  },
  arguments: { AccessControl: 'acl' },
  from: {
    terraform: (raw, related) => ({
      acl: partAcl(raw.properties),
      joined: related.find(bucketOfPart(raw), bucket) !== undefined,
    }),
  },
});

const off = { type: 'bool', absent: false } as const;

export const bucketPublicAccessBlock = normaliser({
  types: ['AWS::S3::BucketPublicAccessBlock'],
  source,
  attributes: {
    'public_access_block.configured': { ...off, meaning: 'always true for a public access block' },
    'public_access_block.block_public_acls': { ...off, meaning: 'new public ACLs are rejected' },
    'public_access_block.ignore_public_acls': { ...off, meaning: 'public ACLs are ignored' },
    'public_access_block.block_public_policy': {
      ...off,
      meaning: 'new public bucket policies are rejected',
    },
    'public_access_block.restrict_public_buckets': {
      ...off,
      meaning:
        'access to a public bucket is limited to AWS services and the account of the bucket owner',
    },
    ...joinedAttribute('the bucket', bucket),
  },
  arguments: {
    BlockPublicAcls: 'block_public_acls',
    BlockPublicPolicy: 'block_public_policy',
    IgnorePublicAcls: 'ignore_public_acls',
    RestrictPublicBuckets: 'restrict_public_buckets',
  },
  from: {
    terraform: (raw, related) => ({
      ...publicAccessBlock(
        raw.properties,
        (name) => planned(raw.properties, name),
        () => undefined,
      ),
      joined: related.find(bucketOfPart(raw), bucket) !== undefined,
    }),
  },
});

/** Whether a setting of Terraform keeps versions: the block of a bucket, or the resource beside it. */
export const keepsVersions = (setting: unknown) =>
  flag(planned(setting, 'enabled')) ??
  isOneOf(planned(setting, 'versioning_configuration', 'status'), 'Enabled');

export const bucketVersioning = normaliser({
  types: ['AWS::S3::BucketVersioning'],
  source,
  attributes: {
    'versioning.enabled': { ...off, meaning: 'versioning is enabled, not suspended' },
    ...joinedAttribute('the bucket', bucket),
  },
  arguments: { 'VersioningConfiguration.Status': 'versioning_configuration.status' },
  from: {
    terraform: (raw, related) => ({
      'versioning.enabled': keepsVersions(raw.properties),
      joined: related.find(bucketOfPart(raw), bucket) !== undefined,
    }),
  },
});
