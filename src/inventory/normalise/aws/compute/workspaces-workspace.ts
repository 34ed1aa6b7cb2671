import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { and, at, flag } from '../../values.ts';
import { kmsKey, kmsKeyAttributes } from '../kms-key.ts';

export const workspacesWorkspace = normaliser({
  types: ['AWS::WorkSpaces::Workspace'],
  attributes: {
    'encryption.enabled': {
      type: 'bool',
      meaning: 'the root and the user volume are encrypted',
      absent: false,
    },
    ...kmsKeyAttributes(),
  },
  from: {
    cloudformation: ({ properties }, related) =>
      read(related, {
        root: at(properties, 'RootVolumeEncryptionEnabled'),
        user: at(properties, 'UserVolumeEncryptionEnabled'),
        key: at(properties, 'VolumeEncryptionKey'),
      }),
    terraform: ({ properties }, related) =>
      read(related, {
        root: at(properties, 'root_volume_encryption_enabled'),
        user: at(properties, 'user_volume_encryption_enabled'),
        key: at(properties, 'volume_encryption_key'),
      }),
    'aws-config': ({ properties }, related) =>
      read(related, {
        root: at(properties, 'RootVolumeEncryptionEnabled'),
        user: at(properties, 'UserVolumeEncryptionEnabled'),
        key: at(properties, 'VolumeEncryptionKey'),
      }),
  },
});

const read = (related: Related, given: Readonly<Record<'root' | 'user' | 'key', unknown>>) => ({
  'encryption.enabled': and(flag(given.root), flag(given.user)),
  ...kmsKey(given.key, related),
});
