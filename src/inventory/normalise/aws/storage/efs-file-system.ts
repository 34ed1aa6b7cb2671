import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { at, block, configured, flag, isOneOf } from '../../values.ts';
import { configuration } from '../config-item.ts';
import { kmsKey, kmsKeyAttributes } from '../kms-key.ts';

export const efsFileSystem = normaliser({
  types: ['AWS::EFS::FileSystem'],
  attributes: {
    'encryption.enabled': { type: 'bool', meaning: 'encrypted at rest', absent: false },
    ...kmsKeyAttributes(),
    'backup.enabled': { type: 'bool', meaning: 'automatic backups are on', absent: false },
  },
  from: {
    cloudformation: (raw, related) => ({
      'encryption.enabled': flag(at(raw.properties, 'Encrypted')),
      ...kmsKey(at(raw.properties, 'KmsKeyId'), related),
      'backup.enabled': isOneOf(at(raw.properties, 'BackupPolicy', 'Status'), 'ENABLED'),
    }),
    terraform: (raw, related) => {
      const [backup] = related.referring(raw, 'AWS::EFS::BackupPolicy', fileSystemOfPlan);
      return {
        'encryption.enabled': flag(configured(at(raw.properties, 'encrypted'))),
        ...kmsKey(configured(at(raw.properties, 'kms_key_id')), related),
        'backup.enabled': isOneOf(
          at(block(backup?.properties, 'backup_policy'), 'status'),
          'ENABLED',
        ),
      };
    },
    'aws-config': (raw, related) => ({
      'encryption.enabled': flag(configuration(raw, 'Encrypted')),
      ...kmsKey(configuration(raw, 'KmsKeyId'), related),
      'backup.enabled': isOneOf(configuration(raw, 'BackupPolicy', 'Status'), 'ENABLED'),
    }),
  },
});

const fileSystemOfPlan = ({ properties }: RawResource): unknown => properties.file_system_id;
