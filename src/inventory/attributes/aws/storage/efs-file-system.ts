import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { flag, isOneOf } from '../../values.ts';
import { field } from '../api-field.ts';
import { kmsKey, kmsKeyAttributes, plannedKmsKey } from '../kms-key.ts';
import { planned } from '../plan-value.ts';

export const efsFileSystem = normaliser({
  types: ['AWS::EFS::FileSystem'],
  attributes: {
    'encryption.enabled': { type: 'bool', meaning: 'encrypted at rest', absent: false },
    ...kmsKeyAttributes(),
    'backup.enabled': { type: 'bool', meaning: 'automatic backups are on', absent: false },
  },
  from: {
    cloudformation: ofApi,
    terraform: (raw, related) => {
      const [backup] = related.referring(raw, 'AWS::EFS::BackupPolicy', fileSystemOfPlan);
      return {
        'encryption.enabled': flag(planned(raw.properties, 'encrypted')),
        ...plannedKmsKey(raw, related, 'kms_key_id'),
        'backup.enabled': isOneOf(
          planned(backup?.properties, 'backup_policy', 'status'),
          'ENABLED',
        ),
      };
    },
    'aws-config': ofApi,
  },
});

function ofApi({ properties }: RawResource, related: Related) {
  return {
    'encryption.enabled': flag(field(properties, 'Encrypted')),
    ...kmsKey(field(properties, 'KmsKeyId'), related),
    'backup.enabled': isOneOf(field(properties, 'BackupPolicy', 'Status'), 'ENABLED'),
  };
}

const fileSystemOfPlan = ({ properties }: RawResource): unknown => properties.file_system_id;
