import { expect, test } from 'vitest';
import { UnknownValue } from '../../../../src/contract/resources.ts';
import { openMethods } from '../../../../src/inventory/attributes/aws/serverless/openapi.ts';
import { readInventory } from '../../../../src/inventory/read.ts';

type Fields = Record<string, unknown>;

const definition = (get: unknown, more: Fields = {}) => ({
  openapi: '3.0.1',
  paths: { '/a': { get, options: {}, parameters: [] } },
  ...more,
});
const schemes = {
  users: { type: 'apiKey', 'x-amazon-apigateway-authtype': 'cognito_user_pools' },
  key: { type: 'apiKey', name: 'x-api-key', in: 'header' },
};

test.each<[string, unknown, unknown]>([
  ['no definition', undefined, []],
  ['no security', definition({}), ['GET /a']],
  ['an empty list, which overrides that of the whole', definition({ security: [] }), ['GET /a']],
  ['an optional one', definition({ security: [{}] }), ['GET /a']],
  [
    'a key of the API',
    definition({ security: [{ key: [] }] }, { components: { securitySchemes: schemes } }),
    ['GET /a'],
  ],
  [
    'an authorizer',
    definition({ security: [{ users: [] }] }, { components: { securitySchemes: schemes } }),
    [],
  ],
  [
    'an authorizer in Swagger',
    definition({ security: [{ users: [] }] }, { swagger: '2.0', securityDefinitions: schemes }),
    [],
  ],
  ['a scheme that is not described', definition({ security: [{ other: [] }] }), []],
  ['IAM', definition({ 'x-amazon-apigateway-auth': { type: 'AWS_IAM' } }), []],
  ['none of IAM', definition({ 'x-amazon-apigateway-auth': { type: 'NONE' } }), ['GET /a']],
  [
    'a method for all',
    { paths: { '/{proxy+}': { 'x-amazon-apigateway-any-method': {} } } },
    ['ANY /{proxy+}'],
  ],
  ['JSON text', JSON.stringify(definition({})), ['GET /a']],
])('open methods of a definition with %s', (_, body, expected) => {
  expect(openMethods(body)).toEqual(expected);
});

test.each<[string, unknown, unknown]>([
  ['that stands elsewhere', undefined, { Bucket: 'b', Key: 'k' }],
  ['that is YAML in a text', 'openapi: 3.0.1', undefined],
  ['that nobody knows', new UnknownValue('Body'), undefined],
])('the open methods of a definition %s are unknown', (_, body, elsewhere) => {
  expect(openMethods(body, elsewhere)).toBeInstanceOf(UnknownValue);
});

test('whether a security requirement of the whole definition counts is unknown', () => {
  expect(openMethods(definition({}, { security: [{ users: [] }] }))).toEqual([
    expect.any(UnknownValue),
  ]);
});

test('a default authorizer of SAM makes it unknown, too', () => {
  const read = readInventory(
    JSON.stringify({
      Transform: 'AWS::Serverless-2016-10-31',
      Resources: {
        It: {
          Type: 'AWS::Serverless::Api',
          Properties: {
            StageName: 'live',
            DefinitionBody: definition({}),
            Auth: { DefaultAuthorizer: 'Users', Authorizers: { Users: {} } },
          },
        },
      },
    }),
  );
  const api = read.ok
    ? read.inventory.resources.find(({ resource }) => resource.type === 'AWS::ApiGateway::RestApi')
    : undefined;
  expect(api?.resource['open_methods']).toEqual([expect.any(UnknownValue)]);
});
