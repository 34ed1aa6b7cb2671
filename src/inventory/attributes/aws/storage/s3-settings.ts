import { defined } from '../../../../contract/defined.ts';
import { UnknownValue } from '../../../../contract/resources.ts';
import type { RawResource } from '../../../model.ts';
import type { Related } from '../../related.ts';
import {
  and,
  flag,
  hasItems,
  isGiven,
  isOneOf,
  isUnknown,
  list,
  number,
  text,
} from '../../values.ts';
import { isCustomerManaged } from '../kms-key.ts';
import { planned } from '../plan-value.ts';
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

/** Amazon S3 User Guide, Access control list (ACL) overview, Canned ACL. */
export const cannedAcls = [
  ...['private', 'public-read', 'public-read-write', 'authenticated-read', 'aws-exec-read'],
  ...['bucket-owner-read', 'bucket-owner-full-control', 'log-delivery-write'],
];

const mayWrite = ['Write', 'WriteAcp', 'WRITE_ACP', 'FullControl', 'FULL_CONTROL'];

/** The canned ACL that grants amount to, to the groups `AllUsers` and `AuthenticatedUsers`, as names or as addresses. */
export function grantedAcl(
  grants: unknown,
  read: (grant: unknown) => { readonly to: unknown; readonly permissions: unknown },
): string | UnknownValue {
  const items = list(grants);
  if (isUnknown(items)) return items;
  const permissions = (group: string): unknown[] =>
    items.flatMap((item) => {
      const { to, permissions } = isUnknown(item) ? { to: item, permissions: item } : read(item);
      const name = text(to);
      const isTo = isUnknown(name) || name?.split('/').at(-1) === group;
      const all = list(permissions);
      return !isTo ? [] : isUnknown(to) ? [to] : isUnknown(all) ? [all] : all;
    });
  const everybody = permissions('AllUsers');
  if (everybody.some((one) => isOneOf(one, ...mayWrite) === true)) return 'public-read-write';
  const unknown = everybody.find(isUnknown);
  if (unknown) return new UnknownValue(unknown.expression);
  if (everybody.length > 0) return 'public-read';
  return permissions('AuthenticatedUsers').length > 0 ? 'authenticated-read' : 'private';
}

/** The canned ACL of a bucket in a plan, or of an ACL beside it; undefined where none is set. */
export function plannedAcl(properties: unknown): string | UnknownValue | undefined {
  const canned = text(planned(properties, 'acl'));
  if (canned !== undefined && canned !== '') return canned;
  const beside = planned(properties, 'access_control_policy', 'grant');
  if (beside !== undefined) {
    return grantedAcl(beside, (grant) => ({
      to: planned(grant, 'grantee', 'uri'),
      permissions: planned(grant, 'permission'),
    }));
  }
  const own = planned(properties, 'grant');
  const isSome = hasItems(own);
  if (isSome === false) return undefined;
  return grantedAcl(own, (grant) => ({
    to: planned(grant, 'uri'),
    permissions: planned(grant, 'permissions'),
  }));
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
