import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { number, text } from '../../values.ts';
import { field } from '../api-field.ts';
import { kmsKey, kmsKeyAttributes, plannedKmsKey } from '../kms-key.ts';
import { planned } from '../plan-value.ts';

/** CloudFormation and the API keep the settings of each kind of file system in a block of its own. */
const kinds = ['Windows', 'Lustre', 'Ontap', 'OpenZFS'];

export const fsxFileSystem = normaliser({
  types: ['AWS::FSx::FileSystem'],
  source: 'Amazon FSx API Reference, API version 2018-03-01',
  attributes: {
    file_system_type: {
      type: 'string',
      meaning: '`WINDOWS`, `LUSTRE`, `ONTAP` or `OPENZFS`',
      spelling: ['WINDOWS', 'LUSTRE', 'ONTAP', 'OPENZFS'],
    },
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
  arguments: {
    AutomaticBackupRetentionDays: 'automatic_backup_retention_days',
  },
  from: {
    cloudformation: ofApi,
    terraform: (raw, related) => ({
      file_system_type: kindOfPlan(raw.address),
      deployment_type: text(planned(raw.properties, 'deployment_type')),
      ...plannedKmsKey(raw, related, 'kms_key_id'),
      'backup.retention_days': number(planned(raw.properties, 'automatic_backup_retention_days')),
    }),
    'aws-config': ofApi,
  },
});

function ofApi({ properties }: RawResource, related: Related) {
  const setting = (name: string): unknown =>
    kinds
      .map((kind) => field(properties, `${kind}Configuration`, name))
      .find((value) => value !== undefined);
  return {
    file_system_type: text(field(properties, 'FileSystemType')),
    deployment_type: text(setting('DeploymentType')),
    ...kmsKey(field(properties, 'KmsKeyId'), related),
    'backup.retention_days': number(setting('AutomaticBackupRetentionDays')),
  };
}

/** `module.data.aws_fsx_lustre_file_system.main` → `LUSTRE`: Terraform has a type for each kind. */
const kindOfPlan = (address: string): string | undefined =>
  /\baws_fsx_([a-z]+)_file_system\b/.exec(address)?.[1]?.toUpperCase();
