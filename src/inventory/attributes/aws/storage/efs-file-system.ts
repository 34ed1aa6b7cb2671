import type { RawResource } from '../../../model.ts';
import { joinedAttribute } from '../../joined.ts';
import { normaliser } from '../../normaliser.ts';
import { allParts } from '../../related.ts';
import type { Related } from '../../related.ts';
import { flag, isOneOf, isSet } from '../../values.ts';
import { field } from '../api-field.ts';
import { kmsKey, kmsKeyAttributes, plannedKmsKey } from '../kms-key.ts';
import { planned } from '../plan-value.ts';
import { readAllStatements, requiredDocument } from '../policy-document.ts';

export const efsFileSystem = normaliser({
  types: ['AWS::EFS::FileSystem'],
  source: 'Amazon EFS API Reference, API version 2015-02-01',
  attributes: {
    'encryption.enabled': {
      type: 'bool',
      meaning: 'the file system is encrypted at rest',
      absent: false,
    },
    ...kmsKeyAttributes(),
    'backup.enabled': {
      type: 'bool',
      meaning: 'automatic backups are on; the default for One Zone file systems',
      absent: false,
    },
    'policy.statements': {
      type: 'list<Statement>',
      meaning:
        'the file system policy; without one, anyone who reaches a mount target has full access',
      absent: [],
    },
  },
  arguments: {
    FileSystemPolicy: 'policy of aws_efs_file_system_policy',
    'BackupPolicy.Status': 'backup_policy.status of aws_efs_backup_policy',
    Encrypted: 'encrypted',
  },
  from: {
    cloudformation: ofApi,
    terraform: (raw, related) => {
      const [backup] = related.referring(raw, 'AWS::EFS::BackupPolicy', fileSystemOfPlan);
      return {
        'encryption.enabled': flag(planned(raw.properties, 'encrypted')),
        'policy.statements': readAllStatements(
          allParts(related, raw, 'AWS::EFS::FileSystemPolicy', fileSystemOfPlan).map(
            ({ properties }) => requiredDocument(properties.policy),
          ),
        ),
        ...plannedKmsKey(raw, related, 'kms_key_id'),
        'backup.enabled': isBackedUp(
          planned(backup?.properties, 'backup_policy', 'status'),
          planned(raw.properties, 'availability_zone_name'),
        ),
      };
    },
    'aws-config': ofApi,
  },
});

function ofApi({ properties }: RawResource, related: Related) {
  return {
    'encryption.enabled': flag(field(properties, 'Encrypted')),
    'policy.statements': readAllStatements([field(properties, 'FileSystemPolicy')]),
    ...kmsKey(field(properties, 'KmsKeyId'), related),
    'backup.enabled': isBackedUp(
      field(properties, 'BackupPolicy', 'Status'),
      related.isExport ? undefined : field(properties, 'AvailabilityZoneName'),
    ),
  };
}

/** File systems in one zone are backed up unless somebody says otherwise. */
const isBackedUp = (status: unknown, zone: unknown) =>
  status === undefined ? isSet(zone) : isOneOf(status, 'ENABLED');

/** Only Terraform has it as a resource of its own. */
export const efsBackupPolicy = normaliser({
  types: ['AWS::EFS::BackupPolicy'],
  source: 'Amazon EFS API Reference, API version 2015-02-01',
  attributes: {
    'backup.enabled': { type: 'bool', meaning: 'automatic backups are on', absent: false },
    ...joinedAttribute('the file system', 'AWS::EFS::FileSystem'),
  },
  arguments: { 'BackupPolicy.Status': 'backup_policy.status' },
  from: {
    terraform: (raw, related) => ({
      'backup.enabled': isOneOf(planned(raw.properties, 'backup_policy', 'status'), 'ENABLED'),
      joined: related.find(fileSystemOfPlan(raw), 'AWS::EFS::FileSystem') !== undefined,
    }),
  },
});

const fileSystemOfPlan = ({ properties }: RawResource): unknown => properties.file_system_id;
