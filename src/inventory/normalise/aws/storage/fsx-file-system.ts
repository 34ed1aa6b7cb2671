import { normaliser } from '../../normaliser.ts';
import { at, configured, number, text } from '../../values.ts';
import { configuration } from '../config-item.ts';
import { kmsKey, kmsKeyAttributes } from '../kms-key.ts';

/** CloudFormation and the API keep the settings of each kind of file system in a block of its own. */
const kinds = ['Windows', 'Lustre', 'Ontap', 'OpenZFS'];

export const fsxFileSystem = normaliser({
  types: ['AWS::FSx::FileSystem'],
  attributes: {
    file_system_type: { type: 'string', meaning: '`WINDOWS`, `LUSTRE`, `ONTAP` or `OPENZFS`' },
    deployment_type: {
      type: 'string',
      meaning: 'such as `MULTI_AZ_1`, `SCRATCH_2`, `PERSISTENT_2`',
    },
    ...kmsKeyAttributes(),
    'backup.retention_days': {
      type: 'int',
      meaning: 'automatic backups, where the number of days is set; 0 is off',
    },
  },
  from: {
    cloudformation: (raw, related) => {
      const setting = (name: string): unknown =>
        kinds.map((kind) => at(raw.properties, `${kind}Configuration`, name)).find(isSet);
      return {
        file_system_type: text(at(raw.properties, 'FileSystemType')),
        deployment_type: text(setting('DeploymentType')),
        ...kmsKey(at(raw.properties, 'KmsKeyId'), related),
        'backup.retention_days': number(setting('AutomaticBackupRetentionDays')),
      };
    },
    terraform: (raw, related) => ({
      file_system_type: kindOfPlan(raw.address),
      deployment_type: text(configured(at(raw.properties, 'deployment_type'))),
      ...kmsKey(configured(at(raw.properties, 'kms_key_id')), related),
      'backup.retention_days': number(
        configured(at(raw.properties, 'automatic_backup_retention_days')),
      ),
    }),
    'aws-config': (raw, related) => {
      const setting = (name: string): unknown =>
        kinds.map((kind) => configuration(raw, `${kind}Configuration`, name)).find(isSet);
      return {
        file_system_type: text(configuration(raw, 'FileSystemType')),
        deployment_type: text(setting('DeploymentType')),
        ...kmsKey(configuration(raw, 'KmsKeyId'), related),
        'backup.retention_days': number(setting('AutomaticBackupRetentionDays')),
      };
    },
  },
});

const isSet = (value: unknown): boolean => value !== undefined;

/** `module.data.aws_fsx_lustre_file_system.main` → `LUSTRE`: Terraform has a type for each kind. */
const kindOfPlan = (address: string): string | undefined =>
  /\baws_fsx_([a-z]+)_file_system\b/.exec(address)?.[1]?.toUpperCase();
