import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { field } from '../api-field.ts';
import { planned } from '../plan-value.ts';
import { endpointTypes, typesOf } from './api-gateway-domain-name.ts';

export const apiGatewayRestApi = normaliser({
  types: ['AWS::ApiGateway::RestApi'],
  source: 'Amazon API Gateway REST API Reference, API version 2015-07-09',
  attributes: endpointTypes,
  arguments: {
    'EndpointConfiguration.Types': 'endpoint_configuration.types',
  },
  from: {
    cloudformation: (raw) => ofDocument(raw),
    terraform: ({ properties }) => ({
      endpoint_types: typesOf(planned(properties, 'endpoint_configuration', 'types')),
    }),
    'aws-config': (raw) => ofDocument(raw),
  },
});

const ofDocument = ({ properties }: RawResource) => ({
  endpoint_types: typesOf(field(properties, 'EndpointConfiguration', 'Types')),
});
