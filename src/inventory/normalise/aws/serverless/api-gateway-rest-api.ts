import type { Attribute } from '../../normaliser.ts';
import { normaliser } from '../../normaliser.ts';
import { at, block, mapList, text } from '../../values.ts';

const endpointTypes = {
  endpoint_types: {
    type: 'list<string>',
    meaning: '`EDGE`, `REGIONAL` or `PRIVATE`, as written; none written: EDGE',
    absent: [],
  },
} as const satisfies Record<string, Attribute>;

export const apiGatewayRestApi = normaliser({
  types: ['AWS::ApiGateway::RestApi'],
  attributes: endpointTypes,
  from: {
    cloudformation: ({ properties }) => read(at(properties, 'EndpointConfiguration', 'Types')),
    terraform: ({ properties }) => read(at(block(properties, 'endpoint_configuration'), 'types')),
    'aws-config': ({ properties }) => read(at(properties, 'endpointConfiguration', 'types')),
  },
});

const read = (types: unknown) => ({ endpoint_types: mapList(types, text) });
