import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { at, block, flag, isGiven, mapList, text } from '../../values.ts';
import { kmsKey, kmsKeyAttributes } from '../kms-key.ts';
import { secretSource, secretSourceAttribute } from '../secret-source.ts';

export const amazonmqBroker = normaliser({
  types: ['AWS::AmazonMQ::Broker'],
  attributes: {
    'encryption.configured': {
      type: 'bool',
      meaning: 'EncryptionOptions says which key encrypts; data is encrypted in any case',
      absent: false,
    },
    ...kmsKeyAttributes(),
    public_access: { type: 'bool', meaning: 'PubliclyAccessible', absent: false },
    users: { type: 'list', meaning: "the broker's own users", absent: [] },
    'users[].name': { type: 'string', meaning: 'how the user signs in' },
    'users[].password.source': secretSourceAttribute("the user's password"),
  },
  from: {
    cloudformation: ({ properties }, related) =>
      read(related, {
        encryption: at(properties, 'EncryptionOptions'),
        key: at(properties, 'EncryptionOptions', 'KmsKeyId'),
        open: at(properties, 'PubliclyAccessible'),
        users: readUsers(at(properties, 'Users'), 'Username', 'Password'),
      }),
    terraform: ({ properties }, related) => {
      const encryption = block(properties, 'encryption_options');
      return read(related, {
        encryption,
        key: at(encryption, 'kms_key_id'),
        open: at(properties, 'publicly_accessible'),
        users: readUsers(at(properties, 'user'), 'username', 'password'),
      });
    },
    'aws-config': ({ properties }, related) =>
      read(related, {
        encryption: at(properties, 'EncryptionOptions'),
        key: at(properties, 'EncryptionOptions', 'KmsKeyId'),
        open: at(properties, 'PubliclyAccessible'),
        users: readUsers(at(properties, 'Users'), 'Username', 'Password'),
      }),
  },
});

const readUsers = (users: unknown, name: string, password: string) =>
  mapList(users, (user) => {
    const source = secretSource(at(user, password));
    return { name: text(at(user, name)), password: source === undefined ? {} : { source } };
  });

const read = (
  related: Related,
  given: Readonly<Record<'encryption' | 'key' | 'open' | 'users', unknown>>,
) => ({
  'encryption.configured': isGiven(given.encryption),
  ...kmsKey(given.key, related),
  public_access: flag(given.open),
  users: given.users,
});
