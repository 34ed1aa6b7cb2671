import { normaliser } from '../../normaliser.ts';
import { at, isUnknown, text } from '../../values.ts';

export const apiGatewayMethod = normaliser({
  types: ['AWS::ApiGateway::Method'],
  source: 'Amazon API Gateway REST API Reference, API version 2015-07-09',
  attributes: {
    http_method: {
      type: 'string',
      meaning: 'HTTP method, such as `GET` or `OPTIONS`; `ANY` for all methods',
      spelling: 'upper',
    },
    authorization_type: {
      type: 'string',
      meaning: '`NONE`, `AWS_IAM`, `CUSTOM` or `COGNITO_USER_POOLS`',
      spelling: ['NONE', 'AWS_IAM', 'CUSTOM', 'COGNITO_USER_POOLS'],
      absent: 'NONE',
    },
  },
  arguments: {
    AuthorizationType: 'authorization',
  },
  from: {
    cloudformation: ({ properties }) =>
      read(at(properties, 'HttpMethod'), at(properties, 'AuthorizationType')),
    terraform: ({ properties }) =>
      read(at(properties, 'http_method'), at(properties, 'authorization')),
  },
});

function read(method: unknown, authorization: unknown) {
  const word = text(method);
  return {
    http_method: isUnknown(word) ? word : word?.toUpperCase(),
    authorization_type: text(authorization),
  };
}
