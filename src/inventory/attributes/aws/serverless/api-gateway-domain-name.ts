import type { Attribute } from '../../normaliser.ts';
import { normaliser } from '../../normaliser.ts';
import { at, mapList, text } from '../../values.ts';
import { planned } from '../plan-value.ts';
import { tlsOfPolicy } from '../tls-policy.ts';

const tls = {
  'tls.minimum_version': {
    type: 'string',
    meaning: 'the oldest version of the security policy',
    absent: '1.0',
  },
} as const satisfies Record<string, Attribute>;

/** Declared alike for an API and for a domain name. */
export const endpointTypes = {
  endpoint_types: {
    type: 'list<string>',
    meaning: '`EDGE`, `REGIONAL` or `PRIVATE`, as written; none written: EDGE',
    spelling: ['EDGE', 'REGIONAL', 'PRIVATE'],
    absent: [],
  },
} as const satisfies Record<string, Attribute>;

export const apiGatewayDomainName = normaliser({
  types: ['AWS::ApiGateway::DomainName'],
  attributes: {
    ...tls,
    ...endpointTypes,
  },
  from: {
    cloudformation: ({ properties }) => ({
      'tls.minimum_version': tlsOfPolicy(at(properties, 'SecurityPolicy')),
      endpoint_types: mapList(at(properties, 'EndpointConfiguration', 'Types'), text),
    }),
    terraform: ({ properties }) => ({
      'tls.minimum_version': tlsOfPolicy(planned(properties, 'security_policy')),
      endpoint_types: mapList(planned(properties, 'endpoint_configuration', 'types'), text),
    }),
  },
});

export const apiGatewayV2DomainName = normaliser({
  types: ['AWS::ApiGatewayV2::DomainName'],
  attributes: tls,
  from: {
    cloudformation: ({ properties }) => ({
      'tls.minimum_version': tlsOfPolicy(
        at(properties, 'DomainNameConfigurations', 0, 'SecurityPolicy'),
      ),
    }),
    terraform: ({ properties }) => ({
      'tls.minimum_version': tlsOfPolicy(
        planned(properties, 'domain_name_configuration', 'security_policy'),
      ),
    }),
  },
});
