import { UnknownValue } from '../../../contract/resources.ts';
import type { RawResource } from '../../model.ts';
import type { Attribute } from '../normaliser.ts';
import type { Related } from '../related.ts';
import { eitherWord, isUnknown, text } from '../values.ts';
import { field } from './api-field.ts';
import { planned } from './plan-value.ts';

/**
 * Whether a KMS key ID, ARN or alias is of a key of the customer's own: `alias/aws/…` names those that AWS manages.
 * Absent → false. In a template or plan, whoever writes a key chooses one of their own. Services also report the key
 * that AWS manages, by the same kind of ARN: then only the key itself, in the same input, tells whose it is.
 * @param isChosen whether the key is surely one that somebody chose
 */
export function isCustomerManaged(
  key: unknown,
  related: Related,
  isChosen = !related.isExport,
): boolean | UnknownValue {
  if (!isUnknown(key) && (typeof key !== 'string' || key === '' || isAwsAlias(key))) return false;
  // A text may be the name of something else, too; a reference means what it leads to.
  const found = isUnknown(key) ? related.find(key) : related.find(key, ...keyTypes);
  if (found) return isCustomers(found, related);
  if (isUnknown(key)) return ofUnknown(key);
  return isChosen || isAlias(key) || notInInput;
}

const keyTypes = ['AWS::KMS::Key', 'AWS::KMS::ReplicaKey', 'AWS::KMS::Alias'];

/** A value that comes from a resource, an export or a stack is a key that somebody made; a parameter's may be either. */
function ofUnknown(key: UnknownValue): boolean | UnknownValue {
  if (key.parameter || !key.present) return key;
  if (key.text === undefined || /:key\/|alias\/[^$]/.test(key.text))
    return !isAwsAlias(key.text ?? '');
  return key;
}

const notInInput = new UnknownValue('the manager of a key that is not in this input', {
  present: false,
});

/** Whose key it is that an export has, which an item without this field doesn't tell; a template has the customer's only. */
export const managerOfKey = ({ properties }: RawResource, { isExport }: Related): unknown =>
  field(properties, 'KeyManager') ?? (isExport ? unknownManager : undefined);

const unknownManager = new UnknownValue(
  'the manager of the key, which the configuration item does not show',
);

function isCustomers(key: RawResource, related: Related): boolean | UnknownValue {
  const manager = key.type === 'AWS::KMS::Key' ? managerOfKey(key, related) : undefined;
  return eitherWord(manager, ['CUSTOMER'], ['AWS']) ?? true;
}

const isAwsAlias = (key: string): boolean => key.includes('alias/aws/');
const isAlias = (key: string): boolean => /(^|:)alias\//.test(key);

/** Declares what `kmsKey` gives. `what` ends the phrase "a customer managed KMS key is set": ` for the volumes`. */
export const kmsKeyAttributes = (what = '') =>
  ({
    'encryption.customer_managed': {
      type: 'bool',
      meaning: `a customer managed KMS key is set${what}`,
      absent: false,
    },
    'encryption.kms_key_id': { type: 'string', meaning: 'ID, ARN or alias of the KMS key' },
  }) as const satisfies Record<string, Attribute>;

/** The two attributes about a KMS key that is set, or not. An empty text is no key. @param isChosen as `isCustomerManaged` */
export const kmsKey = (key: unknown, related: Related, isChosen?: boolean) => ({
  'encryption.customer_managed':
    key === undefined ? undefined : isCustomerManaged(key, related, isChosen),
  'encryption.kms_key_id': key === '' ? undefined : text(key),
});

/** The same for a plan or state of Terraform, which shows the provider's choice where the configuration sets no key. */
export const plannedKmsKey = (raw: RawResource, related: Related, ...path: readonly string[]) =>
  kmsKey(planned(raw.properties, ...path), related, isSetInPlan(raw, ...path));

/** Whether the configuration of a plan sets it; in a state nothing tells. */
export const isSetInPlan = ({ sets }: RawResource, ...path: readonly string[]): boolean =>
  sets?.(...path) ?? false;
