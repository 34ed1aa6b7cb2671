import { normaliser } from '../../normaliser.ts';
import { flag, isGiven, number, or, text } from '../../values.ts';
import type { RawResource } from '../../../model.ts';
import { field } from '../api-field.ts';
import { notRecorded, supplementary } from '../config-item.ts';
import { planned } from '../plan-value.ts';
import { plannedSecretSource, secretSource, secretSourceAttribute } from '../secret-source.ts';
import { masterPasswordSource } from './master-password.ts';

const fromApi = ({ properties }: RawResource) => ({
  'encryption.enabled': flag(field(properties, 'Encrypted')),
  'encryption.kms_key_id': text(field(properties, 'KmsKeyId')),
  public_access: flag(field(properties, 'PubliclyAccessible')),
  'logging.enabled': isGiven(field(properties, 'LoggingProperties')),
  'backup.retention_days': number(field(properties, 'AutomatedSnapshotRetentionPeriod')),
  maintenance_window: text(field(properties, 'PreferredMaintenanceWindow')),
  version_upgrade: flag(field(properties, 'AllowVersionUpgrade')),
  enhanced_vpc_routing: flag(field(properties, 'EnhancedVpcRouting')),
  'master_password.source': masterPasswordSource(
    secretSource(field(properties, 'MasterUserPassword')),
    field(properties, 'ManageMasterPassword') ??
      field(properties, 'MasterPasswordSecretArn') !== undefined,
  ),
});

const newDefaults =
  'Amazon Redshift Management Guide, Behavior changes: clusters created since 2025-01-10';

const clusterOfLogging = ({ properties }: RawResource): unknown => properties.cluster_identifier;

export const redshiftCluster = normaliser({
  types: ['AWS::Redshift::Cluster'],
  source: 'Amazon Redshift API Reference, API version 2012-12-01',
  attributes: {
    'encryption.enabled': {
      type: 'bool',
      meaning: 'the cluster is encrypted at rest',
      absent: true,
      source: newDefaults,
    },
    'encryption.kms_key_id': { type: 'string', meaning: 'the KMS key of the cluster' },
    public_access: {
      type: 'bool',
      meaning: 'PubliclyAccessible',
      absent: false,
      source: newDefaults,
    },
    'logging.enabled': { type: 'bool', meaning: 'audit logging is on', absent: false },
    'backup.retention_days': {
      type: 'int',
      meaning: 'retention period of automated snapshots, in days; 0 means off',
      absent: 1,
    },
    maintenance_window: {
      type: 'string',
      meaning: 'maintenance window, such as `sun:03:00-sun:03:30`',
    },
    version_upgrade: {
      type: 'bool',
      meaning: 'major versions are installed automatically during the maintenance window',
      absent: true,
    },
    enhanced_vpc_routing: {
      type: 'bool',
      meaning: 'COPY and UNLOAD traffic goes through the VPC',
      absent: false,
    },
    'master_password.source': secretSourceAttribute('the master password'),
  },
  arguments: {
    AllowVersionUpgrade: 'allow_version_upgrade',
    AutomatedSnapshotRetentionPeriod: 'automated_snapshot_retention_period',
    Encrypted: 'encrypted',
    EnhancedVpcRouting: 'enhanced_vpc_routing',
    KmsKeyId: 'kms_key_id',
    LoggingProperties: 'aws_redshift_logging',
    ManageMasterPassword: 'manage_master_password',
    PreferredMaintenanceWindow: 'preferred_maintenance_window',
    PubliclyAccessible: 'publicly_accessible',
  },
  from: {
    cloudformation: fromApi,
    'aws-config': (raw) => ({
      ...fromApi(raw),
      'encryption.enabled': flag(field(raw.properties, 'Encrypted')) ?? notRecorded('encryption'),
      public_access:
        flag(field(raw.properties, 'PubliclyAccessible')) ?? notRecorded('public access'),
      version_upgrade:
        flag(field(raw.properties, 'AllowVersionUpgrade')) ?? notRecorded('upgrades'),
      'backup.retention_days':
        number(field(raw.properties, 'AutomatedSnapshotRetentionPeriod')) ??
        notRecorded('the retention of snapshots'),
      'logging.enabled': flag(
        field(raw.properties, 'LoggingStatus', 'LoggingEnabled') ??
          field(supplementary(raw, 'LoggingStatus'), 'LoggingEnabled'),
      ),
    }),
    terraform: (raw, related) => {
      const own = (...names: string[]): unknown => planned(raw.properties, ...names);
      return {
        'encryption.enabled': flag(own('encrypted')),
        'encryption.kms_key_id': text(own('kms_key_id')),
        public_access: flag(own('publicly_accessible')),
        'logging.enabled': or(
          flag(own('logging', 'enable')),
          related.referring(raw, 'AWS::Redshift::Logging', clusterOfLogging).length > 0,
        ),
        'backup.retention_days': number(own('automated_snapshot_retention_period')),
        maintenance_window: text(own('preferred_maintenance_window')),
        version_upgrade: flag(own('allow_version_upgrade')),
        enhanced_vpc_routing: flag(own('enhanced_vpc_routing')),
        'master_password.source': masterPasswordSource(
          plannedSecretSource(raw, 'master_password'),
          own('manage_master_password'),
        ),
      };
    },
  },
});
