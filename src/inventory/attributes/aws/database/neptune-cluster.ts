import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { flag, list, number } from '../../values.ts';
import { field } from '../api-field.ts';
import { kmsKey, kmsKeyAttributes, plannedKmsKey } from '../kms-key.ts';
import { planned } from '../plan-value.ts';

export const neptuneCluster = normaliser({
  types: ['AWS::Neptune::DBCluster'],
  source: 'Amazon Neptune API Reference, API version 2014-10-31',
  attributes: {
    'encryption.enabled': {
      type: 'bool',
      meaning: 'the cluster is encrypted at rest',
      absent: false,
    },
    ...kmsKeyAttributes(),
    iam_authentication: {
      type: 'bool',
      meaning: 'IAM authentication is required; Neptune supports no other authentication',
      absent: false,
    },
    'backup.retention_days': {
      type: 'int',
      meaning: 'retention period of backups, in days',
      absent: 1,
    },
    deletion_protection: { type: 'bool', meaning: 'deletion protection is on', absent: false },
    'logging.types': {
      type: 'list<string>',
      meaning: 'log types that are exported to CloudWatch Logs',
      absent: [],
    },
  },
  arguments: {
    DeletionProtection: 'deletion_protection',
    EnableCloudwatchLogsExports: 'enable_cloudwatch_logs_exports',
    IamAuthEnabled: 'iam_database_authentication_enabled',
    StorageEncrypted: 'storage_encrypted',
  },
  from: {
    cloudformation: (raw, related) => ofDocument(raw, related, 'IamAuthEnabled'),
    'aws-config': (raw, related) => ofDocument(raw, related, 'IAMDatabaseAuthenticationEnabled'),
    terraform: (raw, related) => {
      const own = (name: string): unknown => planned(raw.properties, name);
      return {
        'encryption.enabled': flag(own('storage_encrypted')),
        ...plannedKmsKey(raw, related, 'kms_key_arn'),
        iam_authentication: flag(own('iam_database_authentication_enabled')),
        'backup.retention_days': number(own('backup_retention_period')),
        deletion_protection: flag(own('deletion_protection')),
        'logging.types': list(own('enable_cloudwatch_logs_exports')),
      };
    },
  },
});

function ofDocument({ properties }: RawResource, related: Related, iam: string) {
  const own = (name: string): unknown => field(properties, name);
  return {
    'encryption.enabled': flag(own('StorageEncrypted')),
    ...kmsKey(own('KmsKeyId'), related),
    iam_authentication: flag(own(iam) ?? own('IamAuthEnabled')),
    'backup.retention_days': number(own('BackupRetentionPeriod')),
    deletion_protection: flag(own('DeletionProtection')),
    'logging.types': list(
      own('EnableCloudwatchLogsExports') ?? own('EnabledCloudwatchLogsExports'),
    ),
  };
}
