import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { and, at, flag } from '../../values.ts';
import { kmsKey, kmsKeyAttributes } from '../kms-key.ts';
import { planned } from '../plan-value.ts';

export const workspacesWorkspace = normaliser({
  types: ['AWS::WorkSpaces::Workspace'],
  source: 'Amazon WorkSpaces API Reference, API version 2015-04-08',
  attributes: {
    'encryption.enabled': {
      type: 'bool',
      meaning: 'the root volume and the user volume are encrypted',
      absent: false,
    },
    ...kmsKeyAttributes(),
  },
  arguments: {
    RootVolumeEncryptionEnabled: 'root_volume_encryption_enabled',
    UserVolumeEncryptionEnabled: 'user_volume_encryption_enabled',
  },
  from: {
    cloudformation: (raw, related) => ofDocument(raw, related),
    terraform: ({ properties }, related) => ({
      'encryption.enabled': and(
        flag(planned(properties, 'root_volume_encryption_enabled')),
        flag(planned(properties, 'user_volume_encryption_enabled')),
      ),
      ...kmsKey(planned(properties, 'volume_encryption_key'), related),
    }),
    'aws-config': (raw, related) => ofDocument(raw, related),
  },
});

const ofDocument = ({ properties }: RawResource, related: Related) => ({
  'encryption.enabled': and(
    flag(at(properties, 'RootVolumeEncryptionEnabled')),
    flag(at(properties, 'UserVolumeEncryptionEnabled')),
  ),
  ...kmsKey(at(properties, 'VolumeEncryptionKey'), related),
});
