import type { UnknownValue } from '../../../contract/resources.ts';
import type { Related } from '../related.ts';
import { isUnknown } from '../values.ts';

const keyTypes = new Set(['AWS::KMS::Key', 'AWS::KMS::ReplicaKey', 'AWS::KMS::Alias']);

/**
 * Whether a KMS key id, ARN or alias is of a key of the customer's own: `alias/aws/…` names those that AWS manages.
 * Absent → false. A key of the same input is the customer's; of another value that is not known, that is not known.
 */
export function isCustomerManaged(key: unknown, related: Related): boolean | UnknownValue {
  if (!isUnknown(key)) return typeof key === 'string' && key !== '' && !isAwsAlias(key);
  if (keyTypes.has(related.find(key)?.type ?? '')) return true;
  if (key.text === undefined) return key;
  if (isAwsAlias(key.text)) return false;
  return /:key\/|alias\/[^$]/.test(key.text) ? true : key;
}

const isAwsAlias = (key: string): boolean => key.includes('alias/aws/');
