import { normaliser } from '../../normaliser.ts';
import { at, flag, isGiven, text } from '../../values.ts';
import { planned, plannedBlock } from '../plan-value.ts';
import { notRecorded } from '../config-item.ts';
import { plannedSecretSource, secretSource, secretSourceAttribute } from '../secret-source.ts';

export const firehoseDeliveryStream = normaliser({
  types: ['AWS::KinesisFirehose::DeliveryStream'],
  source: 'Amazon Data Firehose API Reference, API version 2015-08-04',
  attributes: {
    source_type: {
      type: 'string',
      meaning:
        'source of the stream: `DirectPut`, `KinesisStreamAsSource`, `MSKAsSource` and others',
      spelling: ['DirectPut', 'KinesisStreamAsSource', 'MSKAsSource', 'DatabaseAsSource'],
      absent: 'DirectPut',
    },
    'encryption.enabled': {
      type: 'bool',
      meaning:
        'server-side encryption is on; if the stream reads from another stream, that stream encrypts the data',
      absent: false,
    },
    'redshift_destination.enabled': {
      type: 'bool',
      meaning: 'records are delivered to a Redshift cluster',
      absent: false,
    },
    'redshift_destination.password.source': secretSourceAttribute('the Redshift password'),
    'splunk_destination.enabled': {
      type: 'bool',
      meaning: 'records are delivered to Splunk',
      absent: false,
    },
    'splunk_destination.hec_token.source': secretSourceAttribute('the Splunk HEC token'),
  },
  arguments: {
    DeliveryStreamEncryptionConfigurationInput: 'server_side_encryption',
    'RedshiftDestinationConfiguration.Password': 'redshift_configuration.password',
    'SplunkDestinationConfiguration.HECToken': 'splunk_configuration.hec_token',
  },
  from: {
    cloudformation: ({ properties }) => ofApi(properties, at),
    terraform: (raw) => {
      const { properties } = raw;
      const redshift = plannedBlock(properties, 'redshift_configuration');
      const splunk = plannedBlock(properties, 'splunk_configuration');
      return {
        source_type: isGiven(plannedBlock(properties, 'kinesis_source_configuration'))
          ? 'KinesisStreamAsSource'
          : isGiven(plannedBlock(properties, 'msk_source_configuration'))
            ? 'MSKAsSource'
            : undefined,
        'encryption.enabled': flag(planned(properties, 'server_side_encryption', 'enabled')),
        'redshift_destination.enabled': isGiven(redshift),
        'redshift_destination.password.source': credential(
          plannedSecretSource(raw, 'redshift_configuration', 'password'),
          planned(redshift, 'secrets_manager_configuration', 'enabled'),
        ),
        'splunk_destination.enabled': isGiven(splunk),
        'splunk_destination.hec_token.source': credential(
          plannedSecretSource(raw, 'splunk_configuration', 'hec_token'),
          planned(splunk, 'secrets_manager_configuration', 'enabled'),
        ),
      };
    },
    // The API never gives a credential back.
    'aws-config': ({ properties }) =>
      ofApi(properties, () => notRecorded('where the credential comes from')),
  },
});

function ofApi(properties: unknown, value: (destination: unknown, name: string) => unknown) {
  const destination = (name: string, credentialName: string) => {
    const given = at(properties, `${name}DestinationConfiguration`);
    const enabled = isGiven(given);
    return {
      enabled,
      source:
        enabled === false
          ? undefined
          : credential(
              secretSource(value(given, credentialName)),
              at(given, 'SecretsManagerConfiguration', 'Enabled'),
            ),
    };
  };
  const redshift = destination('Redshift', 'Password');
  const splunk = destination('Splunk', 'HECToken');
  return {
    source_type: text(at(properties, 'DeliveryStreamType')),
    'encryption.enabled': isGiven(
      at(properties, 'DeliveryStreamEncryptionConfigurationInput', 'KeyType'),
    ),
    'redshift_destination.enabled': redshift.enabled,
    'redshift_destination.password.source': redshift.source,
    'splunk_destination.enabled': splunk.enabled,
    'splunk_destination.hec_token.source': splunk.source,
  };
}

const credential = (given: unknown, fromSecretsManager: unknown): unknown =>
  flag(fromSecretsManager) === true ? 'secrets_manager' : given;
