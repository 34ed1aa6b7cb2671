import { joinedAttribute } from '../joined.ts';
import { normaliser } from '../normaliser.ts';
import type { RawResource } from '../../model.ts';
import { allParts } from '../related.ts';
import type { Related } from '../related.ts';
import { at, isOneOf, isSet, isUnknown, list, unlike } from '../values.ts';
import { iamBindings, iamOf } from './iam.ts';
import { fromGoogle, itemValue } from './read-google.ts';

const accessType = 'GCP::Bigquery::DatasetAccess';

export const bigqueryDataset = normaliser({
  types: ['GCP::Bigquery::Dataset'],
  source: 'BigQuery API v2 reference, datasets, as of 2025-06',
  attributes: {
    'iam.bindings': {
      type: 'list<Binding>',
      meaning:
        'bindings of the IAM policy and access entries, which are equivalent; special groups are listed as members',
      absent: [],
    },
    'encryption.customer_managed': {
      type: 'bool',
      meaning: 'a default Cloud KMS key is set',
      absent: false,
    },
  },
  from: fromGoogle((get, raw, related) => ({
    'iam.bindings': bindingsOf(raw, related, get('access')),
    'encryption.customer_managed': isSet(get('defaultEncryptionConfiguration', 'kmsKeyName')),
  })),
});

/** An access entry of Terraform that is a resource of its own. */
export const datasetAccess = normaliser({
  types: [accessType],
  source: 'BigQuery API v2 reference, datasets, as of 2025-06',
  attributes: {
    'iam.bindings': {
      type: 'list<Binding>',
      meaning: 'the access entry as a binding; special groups are listed as members',
      absent: [],
    },
    ...joinedAttribute('the dataset', iamOf.dataset.whole),
  },
  from: {
    terraform: (raw, related) => ({
      'iam.bindings': accessBindings(raw.properties),
      joined: related.find(iamOf.dataset.of(raw), iamOf.dataset.whole) !== undefined,
    }),
  },
});

type Bindings = ReturnType<typeof iamBindings>;

/** BigQuery keeps a dataset's IAM policy as its access entries: an export that has these alone leaves out nothing. */
function bindingsOf(raw: RawResource, related: Related, access: unknown): Bindings {
  const beside = allParts(related, raw, accessType, iamOf.dataset.of);
  const listed = join(
    accessBindings(access),
    accessBindings(beside.map(({ properties }) => properties)),
  );
  if (Array.isArray(access) && isUnknown(at(raw.properties, 'iamPolicy'))) return listed;
  return join(iamBindings(raw, related, iamOf.dataset), listed);
}

const join = (a: Bindings, b: Bindings): Bindings =>
  isUnknown(a) ? a : isUnknown(b) ? b : [...a, ...b];

/** BigQuery's basic roles of a dataset. */
const roles: Readonly<Record<string, string>> = {
  READER: 'roles/bigquery.dataViewer',
  WRITER: 'roles/bigquery.dataEditor',
  OWNER: 'roles/bigquery.dataOwner',
};

/** Access entries as bindings; those that let in a view, a routine or another dataset name no member. */
function accessBindings(access: unknown): Bindings {
  const entries = list(access);
  if (isUnknown(entries)) return entries;
  return entries.flatMap((entry) => {
    const member = memberOf(entry);
    if (member === undefined) return [];
    const role = itemValue(entry, 'role');
    const name = typeof role === 'string' && Object.hasOwn(roles, role) ? roles[role] : role;
    return [{ role: name as string, members: [member] }]; // or a value that is not known, as elsewhere in bindings
  });
}

function memberOf(entry: unknown): unknown {
  const named = (name: string, prefix: string): unknown => {
    const value = itemValue(entry, name);
    return typeof value === 'string' && value !== '' ? `${prefix}${value}` : value || undefined;
  };
  return (
    specialGroup(itemValue(entry, 'specialGroup')) ??
    named('iamMember', '') ??
    named('userByEmail', 'user:') ??
    named('groupByEmail', 'group:') ??
    named('domain', 'domain:')
  );
}

const specialGroups = [
  'projectOwners',
  'projectWriters',
  'projectReaders',
  'allAuthenticatedUsers',
  'allUsers',
];

/** Of a group that nobody has seen, it is not known whom it lets in. */
function specialGroup(value: unknown): unknown {
  if (typeof value !== 'string' || value === '') return value || undefined;
  const known = specialGroups.find((group) => isOneOf(value, group) === true);
  return known ?? unlike(value, 'a known special group');
}
