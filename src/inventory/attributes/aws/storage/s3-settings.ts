import { defined } from '../../../../contract/defined.ts';
import type { UnknownValue } from '../../../../contract/resources.ts';
import type { RawResource } from '../../../model.ts';
import type { Related } from '../../related.ts';
import { and, flag, isGiven, isOneOf, isUnknown, number, text } from '../../values.ts';
import { isCustomerManaged } from '../kms-key.ts';
import { asWritten } from '../policy-document.ts';

/**
 * The attributes of a bucket's public access block. In one that is set, what is left out is off.
 * @param get a setting of the block, by the name that Terraform gives it
 * @param without what holds where none is set; undefined: the default of S3
 */
export function publicAccessBlock(
  block: unknown,
  get: (setting: string) => unknown,
  without: (setting: string) => boolean | UnknownValue | undefined,
) {
  const blocks = (setting: string) =>
    block === undefined ? without(setting) : (flag(get(setting)) ?? false);
  return {
    'public_access_block.configured': isGiven(block),
    'public_access_block.block_public_acls': blocks('block_public_acls'),
    'public_access_block.ignore_public_acls': blocks('ignore_public_acls'),
    'public_access_block.block_public_policy': blocks('block_public_policy'),
    'public_access_block.restrict_public_buckets': blocks('restrict_public_buckets'),
  };
}

/** The attributes of a bucket's default encryption. */
export const defaultEncryption = (algorithm: unknown, key: unknown, related: Related) => ({
  'encryption.configured': isGiven(algorithm),
  'encryption.algorithm': text(algorithm),
  'encryption.customer_managed': and(
    isOneOf(algorithm, 'aws:kms', 'aws:kms:dsse'),
    isCustomerManaged(key, related),
  ),
  'encryption.kms_key_id': text(key),
});

/** A lifecycle rule, as the table has it. */
export const lifecycleRule = (enabled: unknown, abortDays: unknown) => ({
  enabled: enabled ?? false,
  ...defined({ abort_incomplete_upload_days: number(abortDays) }),
});

/** A default retention in days; a year counts 365. */
export function retentionDays(days: unknown, years: unknown): unknown {
  const inYears = number(years);
  return number(days) ?? (typeof inYears === 'number' ? inYears * 365 : inYears);
}

/** The name of a bucket; one of the same input that gets its name later is as it is written. */
export const bucketName = (value: unknown, related: Related): unknown =>
  related.find(value, 'AWS::S3::Bucket')?.name ?? asWritten(value);

/** Whether a bucket is its own log bucket, `target` being the one that it names. */
export function logsIntoItself(target: unknown, raw: RawResource, related: Related) {
  const bucket = related.find(target, 'AWS::S3::Bucket');
  if (bucket) return bucket === raw;
  // A name that is made at the deployment can't be given to it beforehand.
  if (raw.name === undefined) return false;
  return [target, raw.name].find(isUnknown) ?? target === raw.name;
}
