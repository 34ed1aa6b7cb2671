import type { UnknownValue } from '../../../contract/resources.ts';
import type { Attribute } from '../normaliser.ts';
import type { Related } from '../related.ts';
import { isUnknown, text } from '../values.ts';

/**
 * Whether a KMS key id, ARN or alias is of a key of the customer's own: `alias/aws/…` names those that AWS manages.
 * Absent → false. A value that comes from a resource, an export or a stack is a key that somebody made; only what a
 * parameter holds may be either.
 */
export function isCustomerManaged(key: unknown, related: Related): boolean | UnknownValue {
  if (!isUnknown(key)) return typeof key === 'string' && key !== '' && !isAwsAlias(key);
  if (related.find(key)) return true;
  if (key.parameter || !key.present) return key;
  if (key.text === undefined || /:key\/|alias\/[^$]/.test(key.text))
    return !isAwsAlias(key.text ?? '');
  return key;
}

const isAwsAlias = (key: string): boolean => key.includes('alias/aws/');

/** Declares what `kmsKey` gives. `what` ends the phrase "a KMS key of the customer's own is set": ` for the volumes`. */
export const kmsKeyAttributes = (what = '') =>
  ({
    'encryption.customer_managed': {
      type: 'bool',
      meaning: `a KMS key of the customer's own is set${what}`,
      absent: false,
    },
    'encryption.kms_key_id': { type: 'string', meaning: 'the KMS key that is set' },
  }) as const satisfies Record<string, Attribute>;

/** The two attributes about a KMS key that is set, or not. An empty text is no key. */
export const kmsKey = (key: unknown, related: Related) => ({
  'encryption.customer_managed': key === undefined ? undefined : isCustomerManaged(key, related),
  'encryption.kms_key_id': key === '' ? undefined : text(key),
});
