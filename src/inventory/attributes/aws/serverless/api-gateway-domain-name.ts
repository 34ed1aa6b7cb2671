import type { Attribute } from '../../normaliser.ts';
import { normaliser } from '../../normaliser.ts';
import { at, mapList, text } from '../../values.ts';
import { planned } from '../plan-value.ts';
import { tlsOfPolicy } from '../tls-policy.ts';
import { tlsVersions } from '../../tls-version.ts';

const tls = {
  'tls.minimum_version': {
    type: 'string',
    spelling: tlsVersions,
    meaning: 'earliest TLS version that the security policy accepts',
    absent: '1.0',
    source:
      'Amazon API Gateway Developer Guide, Choose a security policy for your custom domain, API version 2015-07-09: specifies no default, so the earliest allowed version',
  },
} as const satisfies Record<string, Attribute>;

/** Declared alike for an API and for a domain name. */
export const endpointTypes = {
  endpoint_types: {
    type: 'list<string>',
    meaning: '`EDGE`, `REGIONAL` or `PRIVATE`',
    spelling: ['EDGE', 'REGIONAL', 'PRIVATE'],
    absent: ['EDGE'],
  },
} as const satisfies Record<string, Attribute>;

/** Undefined where none are given. */
export const typesOf = (given: unknown) => (given === undefined ? undefined : mapList(given, text));

export const apiGatewayDomainName = normaliser({
  types: ['AWS::ApiGateway::DomainName'],
  source: 'Amazon API Gateway REST API Reference, API version 2015-07-09',
  attributes: {
    ...tls,
    ...endpointTypes,
  },
  arguments: {
    'EndpointConfiguration.Types': 'endpoint_configuration.types',
    SecurityPolicy: 'security_policy',
  },
  from: {
    cloudformation: ({ properties }) => ({
      'tls.minimum_version': tlsOfPolicy(at(properties, 'SecurityPolicy')),
      endpoint_types: typesOf(at(properties, 'EndpointConfiguration', 'Types')),
    }),
    terraform: ({ properties }) => ({
      'tls.minimum_version': tlsOfPolicy(planned(properties, 'security_policy')),
      endpoint_types: typesOf(planned(properties, 'endpoint_configuration', 'types')),
    }),
  },
});

export const apiGatewayV2DomainName = normaliser({
  types: ['AWS::ApiGatewayV2::DomainName'],
  source: 'Amazon API Gateway Version 2 API Reference, API version 2018-11-29',
  attributes: {
    'tls.minimum_version': {
      ...tls['tls.minimum_version'],
      absent: '1.2',
      source:
        'Amazon API Gateway Developer Guide, Security policy for HTTP APIs, and for WebSocket APIs, API version 2018-11-29: no other security policy is supported',
    },
  },
  arguments: {
    SecurityPolicy: 'domain_name_configuration.security_policy',
  },
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
