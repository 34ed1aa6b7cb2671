import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { flag, isOneOf } from '../../values.ts';
import { field } from '../api-field.ts';
import { planned } from '../plan-value.ts';

const fromApi = ({ properties }: RawResource) => ({
  'encryption.enabled': flag(field(properties, 'SSESpecification', 'SSEEnabled')),
  'tls.required': isOneOf(field(properties, 'ClusterEndpointEncryptionType'), 'TLS'),
});

export const daxCluster = normaliser({
  types: ['AWS::DAX::Cluster'],
  source: 'DynamoDB Accelerator API Reference, API version 2017-04-19',
  attributes: {
    'encryption.enabled': {
      type: 'bool',
      meaning: 'the cluster is encrypted at rest',
      absent: false,
    },
    'tls.required': {
      type: 'bool',
      meaning: 'the endpoint accepts only TLS connections',
      absent: false,
    },
  },
  arguments: {
    'SSESpecification.SSEEnabled': 'server_side_encryption.enabled',
  },
  from: {
    cloudformation: fromApi,
    'aws-config': fromApi,
    terraform: ({ properties }) => ({
      'encryption.enabled': flag(planned(properties, 'server_side_encryption', 'enabled')),
      'tls.required': isOneOf(planned(properties, 'cluster_endpoint_encryption_type'), 'TLS'),
    }),
  },
});
