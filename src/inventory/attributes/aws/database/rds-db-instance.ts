import { UnknownValue } from '../../../../contract/resources.ts';
import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { flag, isGiven, isUnknown, not, number, text } from '../../values.ts';
import { field } from '../api-field.ts';
import { planned } from '../plan-value.ts';
import { plannedSecretSource, secretSource, secretSourceAttribute } from '../secret-source.ts';
import { masterPasswordSource } from './master-password.ts';

/** AWS Config knows the instance's cluster and its settings; a template may leave them to the cluster beside it. */
const fromApi = (raw: RawResource, related: Related) => {
  const own = (name: string): unknown => field(raw.properties, name);
  const cluster = related.find(own('DBClusterIdentifier'))?.properties;
  const shared = (name: string): unknown => own(name) ?? field(cluster, name);
  return {
    engine: text(own('Engine')),
    cluster_id: text(own('DBClusterIdentifier')),
    'encryption.enabled': flag(
      shared('StorageEncrypted') ??
        field(related.find(own('SourceDBInstanceIdentifier'))?.properties, 'StorageEncrypted'),
    ),
    'encryption.kms_key_id': text(shared('KmsKeyId')),
    public_access:
      flag(own('PubliclyAccessible')) ??
      isInDefaultVpc(shared('DBSubnetGroupName'), own('DBClusterIdentifier'), cluster),
    'backup.retention_days':
      number(shared('BackupRetentionPeriod')) ??
      retentionOfReplica(own('SourceDBInstanceIdentifier')),
    multi_az: flag(own('MultiAZ')),
    deletion_protection: flag(shared('DeletionProtection')),
    auto_minor_version_upgrade: flag(own('AutoMinorVersionUpgrade')),
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

/** A subnet group that is not named is the default VPC's, whose subnets are public. A member is where its cluster is. */
function isInDefaultVpc(
  subnetGroup: unknown,
  clusterId: unknown,
  cluster: unknown,
): boolean | UnknownValue {
  if (subnetGroup === undefined && clusterId !== undefined && cluster === undefined)
    return new UnknownValue('the subnet group of a cluster', { present: false });
  return not(isGiven(subnetGroup));
}

/** A read replica keeps no backups of its own unless it is told to. */
const retentionOfReplica = (source: unknown): number | UnknownValue | undefined => {
  const isReplica = isGiven(source);
  if (isUnknown(isReplica)) return isReplica;
  return isReplica ? 0 : undefined;
};

export const rdsDbInstance = normaliser({
  types: ['AWS::RDS::DBInstance'],
  attributes: {
    engine: {
      type: 'string',
      meaning: 'such as `postgres`, `mysql`, `aurora-mysql`',
      spelling: 'lower',
    },
    cluster_id: {
      type: 'string',
      meaning:
        'the Aurora or Multi-AZ cluster that the instance belongs to, which then decides on backups, zones and encryption',
    },
    'encryption.enabled': {
      type: 'bool',
      meaning: 'storage is encrypted; a read replica takes it over from its source',
      absent: false,
    },
    'encryption.kms_key_id': { type: 'string', meaning: 'its key' },
    public_access: {
      type: 'bool',
      meaning:
        'PubliclyAccessible; a template that leaves it out and names no subnet group lands in the default VPC: true',
      absent: false,
    },
    'backup.retention_days': {
      type: 'int',
      meaning:
        "automated backups; 0 is off, which is the default of read replicas and of Terraform's aws_db_instance",
      absent: 1,
    },
    multi_az: { type: 'bool', meaning: 'has a standby in another zone', absent: false },
    deletion_protection: { type: 'bool', meaning: 'deletion protection is on', absent: false },
    auto_minor_version_upgrade: {
      type: 'bool',
      meaning: 'minor versions are installed in the maintenance window; AWS does so if left out',
    },
    iam_authentication: {
      type: 'bool',
      meaning: 'users can sign in with IAM credentials',
      absent: false,
    },
    'logging.types': {
      type: 'list<string>',
      meaning: 'logs that go to CloudWatch, such as `audit`, `error`, `postgresql`',
      spelling: 'lower',
      absent: [],
    },
    'monitoring.interval_seconds': {
      type: 'int',
      meaning: 'between two enhanced monitoring metrics; 0 is off',
      absent: 0,
    },
    'master_username.source': secretSourceAttribute("the master user's name"),
    'master_password.source': secretSourceAttribute("the master user's password"),
  },
  from: {
    cloudformation: fromApi,
    'aws-config': (raw, related) => ({
      ...fromApi(raw, related),
      public_access: flag(field(raw.properties, 'PubliclyAccessible')),
      // The item says neither where the name came from nor what the password is.
      'master_username.source': undefined,
    }),
    terraform: (raw, related) => {
      const own = (name: string): unknown => planned(raw.properties, name);
      const clusterId = own('cluster_identifier');
      const cluster = related.find(clusterId)?.properties;
      const shared = (name: string): unknown => own(name) ?? planned(cluster, name);
      return {
        engine: text(own('engine')),
        cluster_id: text(clusterId),
        'encryption.enabled': flag(
          shared('storage_encrypted') ??
            planned(related.find(own('replicate_source_db'))?.properties, 'storage_encrypted'),
        ),
        'encryption.kms_key_id': text(shared('kms_key_id')),
        public_access: flag(own('publicly_accessible')),
        'backup.retention_days':
          number(shared('backup_retention_period')) ?? (clusterId === undefined ? 0 : undefined),
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
