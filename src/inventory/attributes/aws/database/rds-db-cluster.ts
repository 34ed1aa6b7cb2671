import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { flag, number, text } from '../../values.ts';
import { field } from '../api-field.ts';
import { rdsEngines } from './engines.ts';
import { planned } from '../plan-value.ts';
import { plannedSecretSource, secretSource, secretSourceAttribute } from '../secret-source.ts';
import { clusterEncryption, isEncryptedCluster } from './aurora.ts';
import { masterPasswordSource } from './master-password.ts';
import { ofParameterGroup, parameterGroupAttributes } from './rds-parameter-group.ts';

const groupType = 'AWS::RDS::DBClusterParameterGroup';

/** What the parameter group of a cluster says, of a template, an item or a plan. */
export function clusterParameters(cluster: unknown, related: Related) {
  const given = (property: string, argument: string): unknown =>
    field(cluster, property) ?? planned(cluster, argument);
  return ofParameterGroup(
    given('DBClusterParameterGroupName', 'db_cluster_parameter_group_name') ??
      field(cluster, 'DBClusterParameterGroup'),
    groupType,
    {
      engine: given('Engine', 'engine'),
      version: given('EngineVersion', 'engine_version'),
    },
    related,
  );
}

const fromApi = ({ properties }: RawResource, related: Related) => ({
  ...clusterParameters(properties, related),
  engine: text(field(properties, 'Engine')),
  'encryption.enabled': isEncryptedCluster(properties, related),
  'encryption.kms_key_id': text(field(properties, 'KmsKeyId')),
  'backup.retention_days': number(field(properties, 'BackupRetentionPeriod')),
  'backtrack.window_seconds': number(field(properties, 'BacktrackWindow')),
  deletion_protection: flag(field(properties, 'DeletionProtection')),
  'logging.types':
    field(properties, 'EnableCloudwatchLogsExports') ??
    field(properties, 'EnabledCloudwatchLogsExports'),
  'master_password.source': masterPasswordSource(
    secretSource(field(properties, 'MasterUserPassword')),
    field(properties, 'ManageMasterUserPassword') ??
      field(properties, 'MasterUserSecret') !== undefined,
  ),
});

export const rdsDbCluster = normaliser({
  types: ['AWS::RDS::DBCluster'],
  source: 'Amazon RDS API Reference, API version 2014-10-31',
  attributes: {
    engine: {
      type: 'string',
      meaning: 'engine of the cluster, such as `aurora-mysql`, `aurora-postgresql` or `postgres`',
      spelling: rdsEngines,
    },
    'encryption.enabled': {
      type: 'bool',
      meaning: 'the storage is encrypted; the default for new Aurora clusters',
      absent: false,
      source: clusterEncryption,
    },
    'encryption.kms_key_id': { type: 'string', meaning: 'the KMS key of the storage' },
    'backup.retention_days': {
      type: 'int',
      meaning: 'retention period of automated backups, in days',
      absent: 1,
    },
    'backtrack.window_seconds': {
      type: 'int',
      meaning: 'Backtrack window of Aurora MySQL, in seconds; 0 means off',
      absent: 0,
    },
    deletion_protection: { type: 'bool', meaning: 'deletion protection is on', absent: false },
    'logging.types': {
      type: 'list<string>',
      meaning:
        'log types that are exported to CloudWatch Logs, such as `audit`, `error` or `postgresql`',
      spelling: 'lower',
      absent: [],
    },
    'master_password.source': secretSourceAttribute('the master password'),
    ...parameterGroupAttributes,
  },
  arguments: {
    BacktrackWindow: 'backtrack_window',
    DBClusterParameterGroupName: 'db_cluster_parameter_group_name',
    DeletionProtection: 'deletion_protection',
    ManageMasterUserPassword: 'manage_master_user_password',
    StorageEncrypted: 'storage_encrypted',
  },
  from: {
    cloudformation: fromApi,
    'aws-config': fromApi,
    terraform: (raw, related) => ({
      ...clusterParameters(raw.properties, related),
      engine: text(planned(raw.properties, 'engine')),
      'encryption.enabled': isEncryptedCluster(raw.properties, related),
      'encryption.kms_key_id': text(planned(raw.properties, 'kms_key_id')),
      'backup.retention_days': number(planned(raw.properties, 'backup_retention_period')),
      'backtrack.window_seconds': number(planned(raw.properties, 'backtrack_window')),
      deletion_protection: flag(planned(raw.properties, 'deletion_protection')),
      'logging.types': planned(raw.properties, 'enabled_cloudwatch_logs_exports'),
      'master_password.source': masterPasswordSource(
        plannedSecretSource(raw, 'master_password'),
        planned(raw.properties, 'manage_master_user_password'),
      ),
    }),
  },
});
