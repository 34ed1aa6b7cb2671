import { normaliser } from '../../normaliser.ts';
import { flag, isOneOf, text } from '../../values.ts';
import { field } from '../api-field.ts';
import { supplementary } from '../config-item.ts';
import { kmsKey, kmsKeyAttributes, plannedKmsKey } from '../kms-key.ts';
import { planned } from '../plan-value.ts';
import { readAllStatements } from '../policy-document.ts';

export const dynamodbTable = normaliser({
  types: ['AWS::DynamoDB::Table'],
  source: 'Amazon DynamoDB API Reference, API version 2012-08-10',
  attributes: {
    'backup.point_in_time_recovery': {
      type: 'bool',
      meaning: 'continuous backups are on',
      absent: false,
    },
    'encryption.enabled': {
      type: 'bool',
      meaning: 'the table is encrypted at rest, which is always the case in DynamoDB',
      absent: true,
    },
    'encryption.kms': {
      type: 'bool',
      meaning:
        'the table is encrypted with a KMS key of the account (AWS managed or customer managed) instead of an AWS owned key',
      absent: false,
    },
    ...kmsKeyAttributes(),
    'policy.statements': {
      type: 'list<Statement>',
      meaning:
        'resource-based policies of the table and its stream, in templates; AWS Config does not record them, and Terraform declares them in separate resources',
    },
    deletion_protection: { type: 'bool', meaning: 'deletion protection is on', absent: false },
    billing_mode: {
      type: 'string',
      meaning: '`PAY_PER_REQUEST` or `PROVISIONED`',
      spelling: ['PAY_PER_REQUEST', 'PROVISIONED'],
      absent: 'PROVISIONED',
    },
  },
  arguments: {
    BillingMode: 'billing_mode',
    ResourcePolicy: 'policy of aws_dynamodb_resource_policy',
    'PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled': 'point_in_time_recovery.enabled',
    'SSESpecification.KMSMasterKeyId': 'server_side_encryption.kms_key_arn',
    'SSESpecification.SSEEnabled': 'server_side_encryption.enabled',
  },
  from: {
    cloudformation: ({ properties }, related) => ({
      'backup.point_in_time_recovery': flag(
        field(properties, 'PointInTimeRecoverySpecification', 'PointInTimeRecoveryEnabled'),
      ),
      'encryption.kms': flag(field(properties, 'SSESpecification', 'SSEEnabled')),
      ...kmsKey(field(properties, 'SSESpecification', 'KMSMasterKeyId'), related),
      deletion_protection: flag(field(properties, 'DeletionProtectionEnabled')),
      billing_mode: text(field(properties, 'BillingMode')),
      'policy.statements': statementsOf([
        field(properties, 'ResourcePolicy', 'PolicyDocument'),
        field(properties, 'StreamSpecification', 'ResourcePolicy', 'PolicyDocument'),
      ]),
    }),
    terraform: (raw, related) => ({
      'backup.point_in_time_recovery': flag(
        planned(raw.properties, 'point_in_time_recovery', 'enabled'),
      ),
      'encryption.kms': flag(planned(raw.properties, 'server_side_encryption', 'enabled')),
      ...plannedKmsKey(raw, related, 'server_side_encryption', 'kms_key_arn'),
      deletion_protection: flag(planned(raw.properties, 'deletion_protection_enabled')),
      billing_mode: text(planned(raw.properties, 'billing_mode')),
    }),
    'aws-config': (raw, related) => ({
      'backup.point_in_time_recovery': isOneOf(
        field(
          supplementary(raw, 'ContinuousBackupsDescription'),
          'PointInTimeRecoveryDescription',
          'PointInTimeRecoveryStatus',
        ),
        'ENABLED',
      ),
      'encryption.kms': isOneOf(field(raw.properties, 'SSEDescription', 'Status'), 'ENABLED'),
      ...kmsKey(field(raw.properties, 'SSEDescription', 'KMSMasterKeyArn'), related),
      deletion_protection: flag(field(raw.properties, 'DeletionProtectionEnabled')),
      billing_mode: text(field(raw.properties, 'BillingModeSummary', 'BillingMode')),
    }),
  },
});

/** Missing where there are none, as in the other sources, which never show them. */
const statementsOf = (documents: readonly unknown[]) =>
  documents.some((one) => one !== undefined) ? readAllStatements(documents) : undefined;
