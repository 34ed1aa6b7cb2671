import type { RawResource } from '../../model.ts';
import { planned } from '../aws/plan-value.ts';
import { joinedAttribute } from '../joined.ts';
import { normaliser } from '../normaliser.ts';
import type { Related } from '../related.ts';
import { isOneOf, isUnknown, list, text, unlike } from '../values.ts';
import { iamOf } from './iam.ts';
import { itemValue } from './read-google.ts';
import type { Get } from './read-google.ts';

/** What a predefined ACL grants to everybody, and those that grant it nothing: Cloud Storage, Access control lists, Predefined ACLs. */
const predefined = [
  { acl: 'publicRead', role: 'READER', entity: 'allUsers' },
  { acl: 'publicReadWrite', role: 'WRITER', entity: 'allUsers' },
  { acl: 'authenticatedRead', role: 'READER', entity: 'allAuthenticatedUsers' },
];

const narrow = ['private', 'projectPrivate', 'bucketOwnerRead', 'bucketOwnerFullControl'];

const parts = [
  'BucketAcl',
  'BucketAccessControl',
  'DefaultObjectAcl',
  'DefaultObjectAccessControl',
].map((part) => `GCP::Storage::${part}`);

/** The ACLs of a bucket and of its new objects, as the bindings that do the same: Cloud Storage, ACLs and IAM. */
export function aclBindings(get: Get, raw: RawResource, related: Related) {
  const own = [...items(get('acl')), ...items(get('defaultObjectAcl'))];
  const beside = parts.flatMap((part) =>
    related
      .referring(raw, part, iamOf.bucket.of)
      .flatMap(({ properties }) => entriesOf(properties)),
  );
  const stray = parts.map((part) =>
    related.stray('an ACL', part, iamOf.bucket.of, ({ properties }) =>
      entriesOf(properties).some(
        (entry) => isUnknown(entry) || letsInEverybody(itemValue(entry, 'entity')),
      ),
    ),
  );
  return [...[...own, ...beside].map(binding), ...stray.filter(isUnknown)];
}

/** An ACL, or an entry of one, that is a resource of its own: of a bucket, of its new objects, or of one object. */
export const aclPart = normaliser({
  types: [...parts, 'GCP::Storage::ObjectAcl', 'GCP::Storage::ObjectAccessControl'],
  source: 'Cloud Storage JSON API v1 reference, BucketAccessControls, as of 2025-06',
  attributes: {
    'iam.bindings': {
      type: 'list<Binding>',
      meaning: 'grants of the ACL, as equivalent roles',
      absent: [],
    },
    ...joinedAttribute('the bucket', iamOf.bucket.whole),
  },
  from: {
    terraform: (raw, related) => ({
      'iam.bindings': entriesOf(raw.properties).map(binding),
      joined:
        parts.includes(raw.type) &&
        related.find(iamOf.bucket.of(raw), iamOf.bucket.whole) !== undefined,
    }),
  },
});

const letsInEverybody = (entity: unknown): boolean =>
  isUnknown(entity) || entity === 'allUsers' || entity === 'allAuthenticatedUsers';

/** Of Terraform: one entry, a list of texts such as `READER:allUsers`, or the names of predefined ACLs. */
function entriesOf(part: RawResource['properties']): unknown[] {
  const words = items(planned(part, 'role_entity')).map((word) => {
    const written = text(word);
    if (typeof written !== 'string') return written;
    const [role, ...entity] = written.split(':');
    return { role, entity: entity.join(':') };
  });
  const named = ['predefined_acl', 'default_acl'].flatMap((attribute): unknown[] => {
    const name = text(planned(part, attribute));
    if (name === undefined || name === '' || isOneOf(name, ...narrow) === true) return [];
    if (isUnknown(name)) return [name];
    const isKnown = predefined.some(({ acl }) => isOneOf(name, acl) === true);
    if (!isKnown) return [unlike(name, 'a predefined ACL')];
    return predefined.filter(({ acl }) => isOneOf(name, acl) === true);
  });
  return [...(part['entity'] === undefined ? [] : [part]), ...words, ...named];
}

function binding(entry: unknown) {
  if (isUnknown(entry)) return entry;
  const word = text(itemValue(entry, 'role'));
  const member = text(itemValue(entry, 'entity'));
  return {
    role: typeof word === 'string' ? `roles/storage.legacyBucket${titled(word)}` : word,
    members: [typeof member === 'string' ? member.replace(/^(user|group|domain)-/, '$1:') : member],
  };
}

/** `READER` → `Reader`. */
const titled = (word: string): string => `${word.charAt(0)}${word.slice(1).toLowerCase()}`;

function items(value: unknown): unknown[] {
  const all = list(value);
  return isUnknown(all) ? [all] : [...all];
}
