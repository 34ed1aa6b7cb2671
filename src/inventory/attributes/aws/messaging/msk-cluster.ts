import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { eitherWord, flag, isGiven, not, or } from '../../values.ts';
import { field } from '../api-field.ts';
import { kmsKey, kmsKeyAttributes, plannedKmsKey } from '../kms-key.ts';
import { planned } from '../plan-value.ts';

export const mskCluster = normaliser({
  types: ['AWS::MSK::Cluster'],
  source: 'Amazon MSK REST API Reference, API version 2018-11-14',
  attributes: {
    'tls.required': {
      type: 'bool',
      meaning: 'brokers accept only TLS connections from clients',
      absent: true,
    },
    public_access: { type: 'bool', meaning: 'the brokers are publicly accessible', absent: false },
    unauthenticated_access: {
      type: 'bool',
      meaning:
        'clients can connect without authentication; also true if `ClientAuthentication` is not set',
      absent: true,
    },
    ...kmsKeyAttributes(),
    'logging.enabled': {
      type: 'bool',
      meaning: 'broker logs are sent to CloudWatch Logs, Firehose or S3',
      absent: false,
    },
  },
  arguments: {
    'BrokerNodeGroupInfo.ConnectivityInfo.PublicAccess.Type':
      'broker_node_group_info.connectivity_info.public_access.type',
    'ClientAuthentication.Unauthenticated.Enabled': 'client_authentication.unauthenticated',
    'EncryptionInfo.EncryptionInTransit.ClientBroker':
      'encryption_info.encryption_in_transit.client_broker',
    'EncryptionInfo.EncryptionAtRest.DataVolumeKMSKeyId':
      'encryption_info.encryption_at_rest_kms_key_arn',
    'LoggingInfo.BrokerLogs': 'logging_info.broker_logs',
    ClientAuthentication: 'client_authentication',
  },
  from: {
    cloudformation: ofDocument,
    'aws-config': ofDocument,
    terraform: (raw, related) => {
      const own = (...names: string[]): unknown => planned(raw.properties, ...names);
      return {
        ...read({
          clientBroker: own('encryption_info', 'encryption_in_transit', 'client_broker'),
          access: own('broker_node_group_info', 'connectivity_info', 'public_access', 'type'),
          authentication: own('client_authentication'),
          unauthenticated: own('client_authentication', 'unauthenticated'),
          logs: ['cloudwatch_logs', 'firehose', 's3'].map((to) =>
            own('logging_info', 'broker_logs', to, 'enabled'),
          ),
        }),
        ...plannedKmsKey(raw, related, 'encryption_info', 'encryption_at_rest_kms_key_arn'),
      };
    },
  },
});

function ofDocument({ properties }: RawResource, related: Related) {
  const own = (...names: string[]): unknown => field(properties, ...names);
  return {
    ...read({
      clientBroker: own('EncryptionInfo', 'EncryptionInTransit', 'ClientBroker'),
      access: own('BrokerNodeGroupInfo', 'ConnectivityInfo', 'PublicAccess', 'Type'),
      authentication: own('ClientAuthentication'),
      unauthenticated: own('ClientAuthentication', 'Unauthenticated', 'Enabled'),
      logs: ['CloudWatchLogs', 'Firehose', 'S3'].map((to) =>
        own('LoggingInfo', 'BrokerLogs', to, 'Enabled'),
      ),
    }),
    ...kmsKey(own('EncryptionInfo', 'EncryptionAtRest', 'DataVolumeKMSKeyId'), related),
  };
}

const read = (given: {
  readonly clientBroker: unknown;
  readonly access: unknown;
  readonly authentication: unknown;
  readonly unauthenticated: unknown;
  readonly logs: readonly unknown[];
}) => ({
  'tls.required': eitherWord(given.clientBroker, ['TLS'], ['TLS_PLAINTEXT', 'PLAINTEXT']),
  public_access: eitherWord(given.access, ['SERVICE_PROVIDED_EIPS'], ['DISABLED']),
  unauthenticated_access: or(not(isGiven(given.authentication)), flag(given.unauthenticated)),
  'logging.enabled': or(...given.logs.map(flag)),
});
