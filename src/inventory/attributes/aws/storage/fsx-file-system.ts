import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { eitherWord, isUnknown, number, text } from '../../values.ts';
import type { Maybe } from '../../values.ts';
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
      meaning: 'deployment type, such as `MULTI_AZ_1`, `SCRATCH_2` or `PERSISTENT_2`',
    },
    ...kmsKeyAttributes(),
    'backup.enabled': {
      type: 'bool',
      meaning:
        'automatic backups are on; missing for Lustre scratch file systems, which cannot be backed up',
      source:
        'Amazon FSx API Reference, AutomaticBackupRetentionDays of CreateFileSystemLustreConfiguration (0) and of the other configurations (30), API version 2018-03-01',
    },
    'backup.retention_days': {
      type: 'int',
      meaning: 'retention period of automatic backups in days, if set; 0 means off',
    },
  },
  arguments: {
    AutomaticBackupRetentionDays: 'automatic_backup_retention_days',
  },
  from: {
    cloudformation: ofApi,
    terraform: (raw, related) => ({
      ...plannedKmsKey(raw, related, 'kms_key_id'),
      ...ofKind(
        kindOfPlan(raw.address),
        planned(raw.properties, 'deployment_type'),
        planned(raw.properties, 'automatic_backup_retention_days'),
      ),
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
    ...kmsKey(field(properties, 'KmsKeyId'), related),
    ...ofKind(
      field(properties, 'FileSystemType'),
      setting('DeploymentType'),
      setting('AutomaticBackupRetentionDays'),
    ),
  };
}

function ofKind(kind: unknown, deployment: unknown, days: unknown) {
  const type = text(kind);
  const deployed = text(deployment);
  const retained = number(days);
  return {
    file_system_type: type,
    deployment_type: deployed,
    'backup.enabled': isBackedUp(type, deployed, retained),
    'backup.retention_days': retained,
  };
}

/** Without a deployment type, Lustre is scratch. */
function isBackedUp(type: Maybe<string>, deployed: Maybe<string>, days: Maybe<number>) {
  const isLustre = eitherWord(type, ['LUSTRE'], ['WINDOWS', 'ONTAP', 'OPENZFS']) ?? false;
  if (isUnknown(isLustre)) return isLustre;
  if (isLustre && isUnknown(deployed)) return deployed;
  if (isLustre && !(typeof deployed === 'string' && /^persistent/i.test(deployed)))
    return undefined;
  if (isUnknown(days)) return days;
  return days === undefined ? !isLustre : days > 0;
}

/** `module.data.aws_fsx_lustre_file_system.main` → `LUSTRE`: Terraform has a type for each kind. */
const kindOfPlan = (address: string): string | undefined =>
  /\baws_fsx_([a-z]+)_file_system\b/.exec(address)?.[1]?.toUpperCase();
