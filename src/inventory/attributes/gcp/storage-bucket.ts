import { UnknownValue } from '../../../contract/resources.ts';
import { normaliser } from '../normaliser.ts';
import { flag, isOneOf, isSet, isUnknown, joinLists, or } from '../values.ts';
import { aclBindings } from './bucket-acl.ts';
import { iamBindings, iamOf } from './iam.ts';
import { days, fromGoogle } from './read-google.ts';

export const storageBucket = normaliser({
  types: ['GCP::Storage::Bucket'],
  source: 'Cloud Storage JSON API v1 reference, Buckets, as of 2025-06',
  attributes: {
    'iam.bindings': {
      type: 'list<Binding>',
      meaning:
        "bindings of the bucket's IAM policy and, if ACLs are enabled, grants of its ACLs as equivalent roles",
      absent: [],
    },
    public_access_prevention: {
      type: 'bool',
      meaning: 'public access prevention is enforced on the bucket itself',
      absent: false,
    },
    uniform_bucket_level_access: {
      type: 'bool',
      meaning: 'uniform bucket-level access is enabled, so ACLs have no effect',
      absent: false,
    },
    'versioning.enabled': { type: 'bool', meaning: 'Object Versioning is enabled', absent: false },
    'encryption.customer_managed': {
      type: 'bool',
      meaning: 'a default Cloud KMS key is set',
      absent: false,
    },
    'encryption.kms_key_id': { type: 'string', meaning: 'the default Cloud KMS key' },
    'object_lock.enabled': {
      type: 'bool',
      meaning: "the bucket's retention policy is locked",
      absent: false,
    },
    'object_lock.retention_days': {
      type: 'double',
      meaning: 'retention period of the retention policy, in days',
      absent: 0,
    },
    'logging.enabled': {
      type: 'bool',
      meaning: 'usage logs are written to a bucket',
      absent: false,
    },
  },
  arguments: {
    'encryption.defaultKmsKeyName': 'encryption.default_kms_key_name',
    'iamConfiguration.publicAccessPrevention': 'public_access_prevention',
    'iamConfiguration.uniformBucketLevelAccess.enabled': 'uniform_bucket_level_access',
    retentionPolicy: 'retention_policy',
    'versioning.enabled': 'versioning.enabled',
  },
  from: fromGoogle((get, raw, related) => {
    const key = get('encryption', 'defaultKmsKeyName');
    const prevention =
      get('iamConfiguration', 'publicAccessPrevention') ?? get('publicAccessPrevention');
    const uniform = or(
      flag(get('iamConfiguration', 'uniformBucketLevelAccess', 'enabled')),
      flag(get('iamConfiguration', 'bucketPolicyOnly', 'enabled')),
      flag(get('uniformBucketLevelAccess')),
      flag(get('bucketPolicyOnly')),
    );
    const grants = grantsWhere(uniform, aclBindings(get, raw, related));
    return {
      'iam.bindings': joinLists<unknown>(iamBindings(raw, related, iamOf.bucket), grants),
      public_access_prevention: isOneOf(prevention, 'enforced'),
      uniform_bucket_level_access: uniform,
      'versioning.enabled': flag(get('versioning', 'enabled')),
      'encryption.customer_managed': isSet(key),
      'encryption.kms_key_id': key === '' ? undefined : key,
      'object_lock.enabled': flag(get('retentionPolicy', 'isLocked')),
      'object_lock.retention_days': days(get('retentionPolicy', 'retentionPeriod')),
      'logging.enabled': isSet(get('logging', 'logBucket')),
    };
  }),
});

/** ACLs count where uniform access is off; where that is not known, nothing is known of what they grant. */
function grantsWhere<Grant>(uniform: boolean | UnknownValue, grants: Grant[]) {
  if (!isUnknown(uniform)) return uniform ? [] : grants;
  return grants.map(() => new UnknownValue(uniform.expression, { present: false }));
}
