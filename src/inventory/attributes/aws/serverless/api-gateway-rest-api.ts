import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { mapList, text } from '../../values.ts';
import { field } from '../api-field.ts';
import { planned } from '../plan-value.ts';
import { endpointTypes } from './api-gateway-domain-name.ts';

export const apiGatewayRestApi = normaliser({
  types: ['AWS::ApiGateway::RestApi'],
  attributes: endpointTypes,
  from: {
    cloudformation: (raw) => ofDocument(raw),
    terraform: ({ properties }) => ({
      endpoint_types: mapList(planned(properties, 'endpoint_configuration', 'types'), text),
    }),
    'aws-config': (raw) => ofDocument(raw),
  },
});

const ofDocument = ({ properties }: RawResource) => ({
  endpoint_types: mapList(field(properties, 'EndpointConfiguration', 'Types'), text),
});
