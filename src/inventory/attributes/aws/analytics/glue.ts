import { normaliser } from '../../normaliser.ts';
import {
  and,
  at,
  eitherWord,
  every,
  flag,
  hasItems,
  isUnknown,
  text,
  unlike,
} from '../../values.ts';
import type { Maybe } from '../../values.ts';
import { field } from '../api-field.ts';
import { kmsKey, kmsKeyAttributes, plannedKmsKey } from '../kms-key.ts';
import { planned } from '../plan-value.ts';
import { plannedSecretSource, secretSource, secretSourceAttribute } from '../secret-source.ts';

const source = 'AWS Glue Web API Reference, API version 2017-03-31';

/** Modes of encryption; of a mode that nobody has seen, nothing is known. */
const isEncrypting = (mode: unknown): Maybe<boolean> =>
  eitherWord(mode, ['SSE-KMS', 'SSE-S3', 'CSE-KMS', 'SSE-KMS-WITH-SERVICE-ROLE'], ['DISABLED']);

export const glueDataCatalogEncryptionSettings = normaliser({
  types: ['AWS::Glue::DataCatalogEncryptionSettings'],
  source,
  attributes: {
    'encryption.enabled': {
      type: 'bool',
      meaning: 'the Data Catalog metadata is encrypted with a KMS key',
      absent: false,
    },
    ...kmsKeyAttributes(' for the metadata'),
    'connection_passwords.encrypted': {
      type: 'bool',
      meaning: 'connection passwords are encrypted with a KMS key',
      absent: false,
    },
  },
  arguments: {
    'ConnectionPasswordEncryption.ReturnConnectionPasswordEncrypted':
      'data_catalog_encryption_settings.connection_password_encryption.return_connection_password_encrypted',
    'EncryptionAtRest.CatalogEncryptionMode':
      'data_catalog_encryption_settings.encryption_at_rest.catalog_encryption_mode',
  },
  from: {
    cloudformation: ({ properties }, related) => {
      const settings = at(properties, 'DataCatalogEncryptionSettings');
      return {
        'encryption.enabled': isEncrypting(
          at(settings, 'EncryptionAtRest', 'CatalogEncryptionMode'),
        ),
        ...kmsKey(at(settings, 'EncryptionAtRest', 'SseAwsKmsKeyId'), related),
        'connection_passwords.encrypted': flag(
          at(settings, 'ConnectionPasswordEncryption', 'ReturnConnectionPasswordEncrypted'),
        ),
      };
    },
    terraform: (raw, related) => {
      const path = ['data_catalog_encryption_settings', 'encryption_at_rest'];
      return {
        'encryption.enabled': isEncrypting(
          planned(raw.properties, ...path, 'catalog_encryption_mode'),
        ),
        ...plannedKmsKey(raw, related, ...path, 'sse_aws_kms_key_id'),
        'connection_passwords.encrypted': flag(
          planned(
            raw.properties,
            'data_catalog_encryption_settings',
            'connection_password_encryption',
            'return_connection_password_encrypted',
          ),
        ),
      };
    },
  },
});

/** Of a security configuration, in a template or a plan. */
function securityOf(properties: unknown) {
  const ofTemplate = at(properties, 'EncryptionConfiguration');
  const get = (property: string, mode: string, block: string, argument: string): unknown =>
    at(ofTemplate, property, mode) ??
    planned(properties, 'encryption_configuration', block, argument);
  const s3 =
    at(ofTemplate, 'S3Encryptions') ??
    planned(properties, 'encryption_configuration', 's3_encryption');
  return {
    'encryption.enabled': and(
      hasItems(s3),
      every(s3, (one) =>
        isEncrypting(at(one, 'S3EncryptionMode') ?? planned(one, 's3_encryption_mode')),
      ),
    ),
    'encryption.logs': isEncrypting(
      get(
        'CloudWatchEncryption',
        'CloudWatchEncryptionMode',
        'cloudwatch_encryption',
        'cloudwatch_encryption_mode',
      ),
    ),
    'encryption.job_bookmarks': isEncrypting(
      get(
        'JobBookmarksEncryption',
        'JobBookmarksEncryptionMode',
        'job_bookmarks_encryption',
        'job_bookmarks_encryption_mode',
      ),
    ),
  };
}

export const glueSecurityConfiguration = normaliser({
  types: ['AWS::Glue::SecurityConfiguration'],
  source,
  attributes: {
    'encryption.enabled': {
      type: 'bool',
      meaning: 'the security configuration encrypts job output in S3',
      absent: false,
    },
    'encryption.logs': {
      type: 'bool',
      meaning: 'job logs in CloudWatch Logs are encrypted with a KMS key',
      absent: false,
    },
    'encryption.job_bookmarks': {
      type: 'bool',
      meaning: 'job bookmarks are encrypted with a KMS key before they are stored',
      absent: false,
    },
  },
  arguments: {
    CloudWatchEncryptionMode:
      'encryption_configuration.cloudwatch_encryption.cloudwatch_encryption_mode',
    JobBookmarksEncryptionMode:
      'encryption_configuration.job_bookmarks_encryption.job_bookmarks_encryption_mode',
    S3EncryptionMode: 'encryption_configuration.s3_encryption.s3_encryption_mode',
  },
  from: {
    cloudformation: ({ properties }) => securityOf(properties),
    terraform: ({ properties }) => securityOf(properties),
  },
});

export const glueJob = normaliser({
  types: ['AWS::Glue::Job'],
  source,
  attributes: {
    security_configuration: {
      type: 'string',
      meaning: 'name of the security configuration, which encrypts logs, bookmarks and output',
    },
  },
  arguments: {
    SecurityConfiguration: 'security_configuration',
  },
  from: {
    cloudformation: ({ properties }) => ofJob(at(properties, 'SecurityConfiguration')),
    terraform: ({ properties }) => ofJob(planned(properties, 'security_configuration')),
    'aws-config': ({ properties }) => ofJob(field(properties, 'SecurityConfiguration')),
  },
});

const ofJob = (name: unknown) => ({
  security_configuration: name === '' ? undefined : text(name),
});

export const glueConnection = normaliser({
  types: ['AWS::Glue::Connection'],
  source,
  attributes: {
    connection_type: {
      type: 'string',
      meaning:
        'type of the connection, such as `JDBC`, `KAFKA` or `NETWORK`; `JDBC` by default in Terraform',
    },
    'tls.required': {
      type: 'bool',
      meaning:
        '`JDBC_ENFORCE_SSL` for JDBC connections (default: off), `KAFKA_SSL_ENABLED` for Kafka connections (default: on); missing for other types',
    },
    'password.source': secretSourceAttribute('the connection password'),
  },
  arguments: {
    ConnectionProperties: 'connection_properties',
  },
  from: {
    cloudformation: ({ properties }) => {
      const input = at(properties, 'ConnectionInput');
      return {
        ...ofConnection(at(input, 'ConnectionType'), at(input, 'ConnectionProperties')),
        'password.source': secretSource(at(input, 'ConnectionProperties', 'PASSWORD')),
      };
    },
    terraform: (raw) => ({
      ...ofConnection(
        planned(raw.properties, 'connection_type') ?? 'JDBC',
        planned(raw.properties, 'connection_properties'),
      ),
      'password.source': plannedSecretSource(raw, 'connection_properties', 'PASSWORD'),
    }),
  },
});

/** "Connection API", AWS Glue Developer Guide: those to databases and to Kafka, and those that say nothing about TLS. */
const connectionTypes = [
  ...['JDBC', 'SFTP', 'MONGODB', 'KAFKA', 'NETWORK', 'MARKETPLACE', 'CUSTOM', 'SALESFORCE'],
  ...['VIEW_VALIDATION_REDSHIFT', 'VIEW_VALIDATION_ATHENA', 'GOOGLEADS', 'GOOGLESHEETS'],
  ...['GOOGLEANALYTICS4', 'SERVICENOW', 'MARKETO', 'SAPODATA', 'ZENDESK', 'JIRACLOUD'],
  ...['NETSUITEERP', 'HUBSPOT', 'FACEBOOKADS', 'INSTAGRAMADS', 'ZOHOCRM', 'SALESFORCEPARDOT'],
  ...['SALESFORCEMARKETINGCLOUD', 'ADOBEANALYTICS', 'SLACK', 'LINKEDIN', 'MIXPANEL', 'ASANA'],
  ...['STRIPE', 'SMARTSHEET', 'DATADOG', 'WOOCOMMERCE', 'INTERCOM', 'SNAPCHATADS', 'PAYPAL'],
  ...['QUICKBOOKS', 'FACEBOOKPAGEINSIGHTS', 'FRESHDESK', 'TWILIO', 'DOCUSIGNMONITOR'],
  ...['FRESHSALES', 'ZOOM', 'GOOGLESEARCHCONSOLE', 'SALESFORCECOMMERCECLOUD', 'SAPCONCUR'],
  ...['DYNATRACE', 'AZURECOSMOS', 'AZURESQL', 'BIGQUERY', 'DYNAMODB', 'MYSQL', 'OPENSEARCH'],
  ...['ORACLE', 'POSTGRESQL', 'REDSHIFT', 'SAPHANA', 'SNOWFLAKE', 'SQLSERVER', 'SYNAPSE'],
  ...['TERADATA', 'VERTICA'],
];

function ofConnection(type: unknown, settings: unknown) {
  const word = text(type);
  return { connection_type: word, 'tls.required': requiresTls(word, settings) };
}

function requiresTls(type: Maybe<string>, settings: unknown): Maybe<boolean> {
  if (isUnknown(type)) return type;
  if (type?.toUpperCase() === 'JDBC') return flag(at(settings, 'JDBC_ENFORCE_SSL')) ?? false;
  if (type?.toUpperCase() === 'KAFKA') return flag(at(settings, 'KAFKA_SSL_ENABLED')) ?? true;
  return type === undefined || connectionTypes.includes(type.toUpperCase())
    ? undefined
    : unlike(type, 'a known connection type');
}
