import { normaliser } from '../../normaliser.ts';
import { at, isUnknown, text } from '../../values.ts';

export const apiGatewayV2Route = normaliser({
  types: ['AWS::ApiGatewayV2::Route'],
  source: 'Amazon API Gateway Version 2 API Reference, API version 2018-11-29',
  attributes: {
    route_key: {
      type: 'string',
      meaning: 'route key, such as `GET /orders`, `$default` or `$connect`',
    },
    http_method: {
      type: 'string',
      meaning: 'HTTP method in the route key; `ANY` for all methods and for keys without a method',
      spelling: 'upper',
    },
    authorization_type: {
      type: 'string',
      meaning: '`NONE`, `AWS_IAM`, `CUSTOM` or `JWT`',
      spelling: ['NONE', 'AWS_IAM', 'CUSTOM', 'JWT'],
      absent: 'NONE',
    },
  },
  arguments: { AuthorizationType: 'authorization_type' },
  from: {
    cloudformation: ({ properties }) =>
      read(at(properties, 'RouteKey'), at(properties, 'AuthorizationType')),
    terraform: ({ properties }) =>
      read(at(properties, 'route_key'), at(properties, 'authorization_type')),
  },
});

function read(key: unknown, authorization: unknown) {
  const word = text(key);
  return {
    route_key: word,
    http_method: isUnknown(word) ? word : (/^([A-Za-z]+) /.exec(word ?? '')?.[1] ?? 'ANY'),
    authorization_type: text(authorization),
  };
}
