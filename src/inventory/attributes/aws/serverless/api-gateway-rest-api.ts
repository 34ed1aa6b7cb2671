import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { at, readJson } from '../../values.ts';
import { field } from '../api-field.ts';
import { notRecorded } from '../config-item.ts';
import { planned } from '../plan-value.ts';
import { readAllStatements, readStatements, requiredDocument } from '../policy-document.ts';
import { openMethods, openMethodsAttribute } from './openapi.ts';
import { endpointTypes, typesOf } from './api-gateway-domain-name.ts';

export const apiGatewayRestApi = normaliser({
  types: ['AWS::ApiGateway::RestApi'],
  source: 'Amazon API Gateway REST API Reference, API version 2015-07-09',
  attributes: {
    ...endpointTypes,
    ...openMethodsAttribute,
    'policy.statements': {
      type: 'list<Statement>',
      meaning:
        'the resource policy, which defines who can call the API; a private API rejects other callers',
      absent: [],
    },
  },
  arguments: {
    Body: 'body',
    'EndpointConfiguration.Types': 'endpoint_configuration.types',
    Policy: ['policy', 'policy of aws_api_gateway_rest_api_policy'],
  },
  from: {
    cloudformation: (raw) => ({
      ...ofDocument(raw),
      open_methods: openMethods(
        field(raw.properties, 'Body'),
        field(raw.properties, 'BodyS3Location'),
      ),
      'policy.statements': readStatements(
        field(raw.properties, 'Policy') ?? policyOfOpenApi(field(raw.properties, 'Body')),
      ),
    }),
    terraform: (raw, related) => ({
      open_methods: openMethods(planned(raw.properties, 'body')),
      endpoint_types: typesOf(planned(raw.properties, 'endpoint_configuration', 'types')),
      'policy.statements': readAllStatements([
        planned(raw.properties, 'policy') ?? policyOfOpenApi(planned(raw.properties, 'body')),
        ...related
          .referring(raw, policyType, apiOfPolicy)
          .map(({ properties }) => requiredDocument(properties['policy'])),
        related.stray('the policy of an API', policyType, apiOfPolicy),
      ]),
    }),
    'aws-config': (raw) => ({
      ...ofDocument(raw),
      'policy.statements': readStatements(
        field(raw.properties, 'Policy') ?? notRecorded('the resource policy'),
      ),
    }),
  },
});

const policyType = 'AWS::ApiGateway::RestApiPolicy';
const apiOfPolicy = ({ properties }: RawResource): unknown => properties['rest_api_id'];

/** An OpenAPI definition can have the policy, too. */
const policyOfOpenApi = (body: unknown): unknown =>
  at(readJson(body), 'x-amazon-apigateway-policy');

const ofDocument = ({ properties }: RawResource) => ({
  endpoint_types: typesOf(field(properties, 'EndpointConfiguration', 'Types')),
});
