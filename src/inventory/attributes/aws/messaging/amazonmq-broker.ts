import { UnknownValue } from '../../../../contract/resources.ts';
import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { at, flag, hasItems, isGiven, mapList, text } from '../../values.ts';
import { notRecorded } from '../config-item.ts';
import { kmsKey, kmsKeyAttributes, plannedKmsKey } from '../kms-key.ts';
import { planned } from '../plan-value.ts';
import { plannedSecretSource, secretSource, secretSourceAttribute } from '../secret-source.ts';

export const amazonmqBroker = normaliser({
  types: ['AWS::AmazonMQ::Broker'],
  source: 'Amazon MQ REST API Reference, API version 2017-11-27',
  attributes: {
    'encryption.configured': {
      type: 'bool',
      meaning: 'EncryptionOptions specifies the KMS key; data is always encrypted',
      absent: false,
    },
    ...kmsKeyAttributes(),
    public_access: { type: 'bool', meaning: 'PubliclyAccessible', absent: false },
    users: { type: 'list', meaning: 'users of the broker', absent: [] },
    'users[].name': { type: 'string', meaning: 'name of the broker user' },
    'users[].password.source': secretSourceAttribute('the password of the broker user'),
  },
  arguments: {
    EncryptionOptions: 'encryption_options',
    PubliclyAccessible: 'publicly_accessible',
    Users: 'user',
  },
  from: {
    cloudformation: (raw, related) => ofDocument(raw, related),
    terraform: (raw, related) => ({
      'encryption.configured': hasItems(planned(raw.properties, 'encryption_options')),
      ...plannedKmsKey(raw, related, 'encryption_options', 'kms_key_id'),
      public_access: flag(planned(raw.properties, 'publicly_accessible')),
      users: plannedUsers(raw),
    }),
    'aws-config': (raw, related) => ({
      ...ofDocument(raw, related),
      public_access: flag(at(raw.properties, 'PubliclyAccessible')) ?? notRecorded('public access'),
      // An item shows the users without their passwords.
      users: mapList(at(raw.properties, 'Users'), (user) => ({
        name: text(at(user, 'Username')),
        password: { source: new UnknownValue('a password, which AWS Config does not record') },
      })),
    }),
  },
});

const ofDocument = ({ properties }: RawResource, related: Related) => ({
  'encryption.configured': isGiven(at(properties, 'EncryptionOptions')),
  ...kmsKey(at(properties, 'EncryptionOptions', 'KmsKeyId'), related),
  public_access: flag(at(properties, 'PubliclyAccessible')),
  users: mapList(at(properties, 'Users'), (user) =>
    userOf(text(at(user, 'Username')), secretSource(at(user, 'Password'))),
  ),
});

/** Each user's password is looked up by itself, as the block of one says nothing about the others. */
const plannedUsers = (raw: RawResource) =>
  mapList(at(raw.properties, 'user'), (user) =>
    userOf(
      text(at(user, 'username')),
      plannedSecretSource({ ...raw, properties: { user } }, 'user', 'password'),
    ),
  );

const userOf = (name: unknown, source: ReturnType<typeof secretSource>) => ({
  name,
  password: source === undefined ? {} : { source },
});
