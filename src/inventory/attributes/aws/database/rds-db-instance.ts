import { UnknownValue } from '../../../../contract/resources.ts';
import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import type { Maybe } from '../../values.ts';
import {
  flag,
  isGiven,
  isOneOf,
  isSet,
  isUnknown,
  not,
  notEmpty,
  number,
  text,
} from '../../values.ts';
import { field } from '../api-field.ts';
import { rdsEngines } from './engines.ts';
import { notRecorded } from '../config-item.ts';
import { planned } from '../plan-value.ts';
import { plannedSecretSource, secretSource, secretSourceAttribute } from '../secret-source.ts';
import { asSource, isAurora, isEncryptedCluster } from './aurora.ts';
import { masterPasswordSource } from './master-password.ts';
import { clusterParameters } from './rds-db-cluster.ts';
import { ofParameterGroup, parameterGroupAttributes } from './rds-parameter-group.ts';

const clusterType = 'AWS::RDS::DBCluster';

/** AWS Config knows the instance's cluster and its settings; a template may leave them to the cluster beside it. */
const fromApi = (raw: RawResource, related: Related) => {
  const own = (name: string): unknown => field(raw.properties, name);
  const clusterId = notEmpty(own('DBClusterIdentifier'));
  const cluster = related.find(clusterId, clusterType)?.properties;
  const shared = (name: string): unknown => own(name) ?? field(cluster, name);
  const source = own('SourceDBInstanceIdentifier');
  return {
    ...parametersOf(raw, related),
    engine: text(own('Engine')),
    cluster_id: text(clusterId),
    'encryption.enabled':
      flag(own('StorageEncrypted')) ??
      inherited(related, clusterId, (one) => isEncryptedCluster(one, related)) ??
      inherited(related, source, (one) => flag(field(one, 'StorageEncrypted'))) ??
      inherited(related, own('DBSnapshotIdentifier') ?? own('DBClusterSnapshotIdentifier')),
    'encryption.kms_key_id': text(shared('KmsKeyId')),
    public_access:
      flag(own('PubliclyAccessible')) ??
      isPublicByDefault(
        shared('DBSubnetGroupName'),
        shared('Engine'),
        clusterId !== undefined && cluster === undefined,
      ),
    'backup.retention_days': number(shared('BackupRetentionPeriod')) ?? retentionOfReplica(source),
    multi_az: flag(own('MultiAZ')),
    deletion_protection: flag(shared('DeletionProtection')),
    auto_minor_version_upgrade:
      flag(own('AutoMinorVersionUpgrade')) ??
      inherited(related, source, (one) => flag(field(one, 'AutoMinorVersionUpgrade'))),
    iam_authentication: flag(
      own('EnableIAMDatabaseAuthentication') ?? own('IAMDatabaseAuthenticationEnabled'),
    ),
    'logging.types': own('EnableCloudwatchLogsExports') ?? own('EnabledCloudwatchLogsExports'),
    'monitoring.interval_seconds': number(own('MonitoringInterval')),
    'master_username.source': secretSource(own('MasterUsername')),
    'master_password.source': masterPasswordSource(
      secretSource(own('MasterUserPassword')),
      own('ManageMasterUserPassword') ?? own('MasterUserSecret') !== undefined,
    ),
  };
};

/** What the parameter group says: in a cluster, the cluster's. A replica has the group of its source unless it says otherwise. */
function parametersOf(raw: RawResource, related: Related) {
  const { properties } = raw;
  const given = (property: string, argument: string): unknown =>
    field(properties, property) ?? planned(properties, argument);
  const clusterId = given('DBClusterIdentifier', 'cluster_identifier') ?? unnamedCluster(raw);
  if (isSet(clusterId) !== false) {
    const cluster = related.find(clusterId, clusterType);
    return cluster
      ? clusterParameters(cluster.properties, related)
      : {
          'tls.required': new UnknownValue('the parameter group of a cluster', { present: false }),
        };
  }
  const source = given('SourceDBInstanceIdentifier', 'replicate_source_db');
  return ofParameterGroup(
    given('DBParameterGroupName', 'parameter_group_name') ??
      field(properties, 'DBParameterGroups', 0, 'DBParameterGroupName') ??
      (isSet(source) === false
        ? undefined
        : new UnknownValue('the parameter group of the source', { present: false })),
    'AWS::RDS::DBParameterGroup',
    {
      engine: given('Engine', 'engine'),
      version: given('EngineVersion', 'engine_version'),
    },
    related,
  );
}

/** What a cluster, a source or a snapshot gives to what is made from it; undefined where there is none. */
function inherited(
  related: Related,
  from: unknown,
  read: (properties: unknown) => Maybe<boolean> = () => asSource,
): Maybe<boolean> {
  if (from === undefined || from === '') return undefined;
  const found = related.find(from, clusterType, 'AWS::RDS::DBInstance');
  return found ? read(found.properties) : asSource;
}

/** The subnet group `default` is the default VPC's; so is one that is left out, but for Aurora. */
function isPublicByDefault(
  group: unknown,
  engine: unknown,
  isOfUnknownCluster: boolean,
): boolean | UnknownValue {
  if (group === undefined && isOfUnknownCluster)
    return new UnknownValue('the subnet group of a cluster', { present: false });
  if (group === undefined) return not(isAurora(engine));
  // Only a parameter can name that group: none that is made can have its name.
  if (isUnknown(group) && !group.parameter) return false;
  return isOneOf(group, 'default');
}

/** A read replica keeps no backups of its own unless it is told to. */
const retentionOfReplica = (source: unknown): number | UnknownValue | undefined => {
  const isReplica = isGiven(source);
  if (isUnknown(isReplica)) return isReplica;
  return isReplica ? 0 : undefined;
};

/** Terraform asks for none, but leaves an instance that is restored as the snapshot has it. */
const retentionOfPlan = (snapshot: unknown): number | UnknownValue =>
  isSet(snapshot) === false
    ? 0
    : new UnknownValue('the backup retention of a restored instance', { present: false });

/** An instance of a cluster needs one; the values of a plan leave out a cluster that is not known yet. */
const unnamedCluster = ({ source }: RawResource): UnknownValue | undefined =>
  source['terraform_type'] === 'aws_rds_cluster_instance'
    ? new UnknownValue('cluster_identifier')
    : undefined;

export const rdsDbInstance = normaliser({
  types: ['AWS::RDS::DBInstance'],
  source: 'Amazon RDS API Reference, API version 2014-10-31',
  attributes: {
    engine: {
      type: 'string',
      meaning: 'engine of the database, such as `postgres`, `mysql` or `aurora-mysql`',
      spelling: rdsEngines,
    },
    cluster_id: {
      type: 'string',
      meaning:
        'the Aurora or Multi-AZ cluster that the instance belongs to; the cluster determines backups, Availability Zones and encryption',
    },
    'encryption.enabled': {
      type: 'bool',
      meaning: 'the storage is encrypted; by default, the same as the cluster, source or snapshot',
      absent: false,
    },
    'encryption.kms_key_id': { type: 'string', meaning: 'the KMS key of the storage' },
    public_access: {
      type: 'bool',
      meaning:
        'PubliclyAccessible; default in a template: true in the default VPC without another subnet group, except for Aurora',
      absent: false,
      source:
        'Amazon RDS API Reference, CreateDBInstance, API version 2014-10-31; Terraform sets false by default',
    },
    'backup.retention_days': {
      type: 'int',
      meaning:
        "retention period of automated backups, in days; 0 means off, the default for read replicas and for Terraform's aws_db_instance",
      absent: 1,
      source:
        "Amazon RDS API Reference, CreateDBInstance, API version 2014-10-31; Terraform's aws_db_instance sets 0 by default",
    },
    multi_az: {
      type: 'bool',
      meaning: 'the database has a standby in another Availability Zone',
      absent: false,
    },
    deletion_protection: { type: 'bool', meaning: 'deletion protection is on', absent: false },
    auto_minor_version_upgrade: {
      type: 'bool',
      meaning: 'minor versions are installed automatically during the maintenance window',
      absent: true,
    },
    iam_authentication: {
      type: 'bool',
      meaning: 'IAM database authentication is enabled',
      absent: false,
    },
    'logging.types': {
      type: 'list<string>',
      meaning:
        'log types that are exported to CloudWatch Logs, such as `audit`, `error` or `postgresql`',
      spelling: 'lower',
      absent: [],
    },
    'monitoring.interval_seconds': {
      type: 'int',
      meaning: 'interval between Enhanced Monitoring metrics, in seconds; 0 means off',
      absent: 0,
    },
    'master_username.source': secretSourceAttribute('the master username'),
    'master_password.source': secretSourceAttribute('the master password'),
    ...parameterGroupAttributes,
  },
  arguments: {
    AutoMinorVersionUpgrade: 'auto_minor_version_upgrade',
    BackupRetentionPeriod: 'backup_retention_period',
    DBParameterGroupName: 'parameter_group_name',
    DeletionProtection: 'deletion_protection',
    EnableCloudwatchLogsExports: {
      aws_db_instance: 'enabled_cloudwatch_logs_exports',
      aws_rds_cluster_instance: 'enabled_cloudwatch_logs_exports of aws_rds_cluster',
    },
    EnableIAMDatabaseAuthentication: {
      aws_db_instance: 'iam_database_authentication_enabled',
      aws_rds_cluster_instance: 'iam_database_authentication_enabled of aws_rds_cluster',
    },
    ManageMasterUserPassword: 'manage_master_user_password',
    MonitoringInterval: 'monitoring_interval',
    MultiAZ: 'multi_az',
    PubliclyAccessible: 'publicly_accessible',
    StorageEncrypted: 'storage_encrypted',
  },
  from: {
    cloudformation: fromApi,
    'aws-config': (raw, related) => ({
      ...fromApi(raw, related),
      public_access:
        flag(field(raw.properties, 'PubliclyAccessible')) ?? notRecorded('public access'),
      auto_minor_version_upgrade:
        flag(field(raw.properties, 'AutoMinorVersionUpgrade')) ?? notRecorded('upgrades'),
      // The item says neither where the name came from nor what the password is.
      'master_username.source': undefined,
    }),
    terraform: (raw, related) => {
      const own = (name: string): unknown => planned(raw.properties, name);
      const clusterId = notEmpty(own('cluster_identifier')) ?? unnamedCluster(raw);
      const cluster = related.find(clusterId, clusterType)?.properties;
      const shared = (name: string): unknown => own(name) ?? planned(cluster, name);
      return {
        ...parametersOf(raw, related),
        engine: text(own('engine')),
        cluster_id: text(clusterId),
        'encryption.enabled':
          flag(own('storage_encrypted')) ??
          inherited(related, clusterId, (one) => isEncryptedCluster(one, related)) ??
          inherited(related, own('replicate_source_db'), (one) =>
            flag(planned(one, 'storage_encrypted')),
          ) ??
          inherited(related, own('snapshot_identifier')),
        'encryption.kms_key_id': text(shared('kms_key_id')),
        public_access: flag(own('publicly_accessible')),
        'backup.retention_days':
          number(shared('backup_retention_period')) ??
          (clusterId === undefined ? retentionOfPlan(own('snapshot_identifier')) : undefined),
        multi_az: flag(own('multi_az')),
        deletion_protection: flag(shared('deletion_protection')),
        auto_minor_version_upgrade: flag(own('auto_minor_version_upgrade')),
        iam_authentication: flag(own('iam_database_authentication_enabled')),
        'logging.types': own('enabled_cloudwatch_logs_exports'),
        'monitoring.interval_seconds': number(own('monitoring_interval')),
        'master_username.source': plannedSecretSource(raw, 'username'),
        'master_password.source': masterPasswordSource(
          plannedSecretSource(raw, 'password'),
          own('manage_master_user_password'),
        ),
      };
    },
  },
});
