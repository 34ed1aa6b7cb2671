import { normaliser } from '../../normaliser.ts';
import { field } from '../api-field.ts';
import { planned } from '../plan-value.ts';
import { openMethods, openMethodsAttribute } from './openapi.ts';

export const apiGatewayV2Api = normaliser({
  types: ['AWS::ApiGatewayV2::Api'],
  source: 'Amazon API Gateway Version 2 API Reference, API version 2018-11-29',
  attributes: openMethodsAttribute,
  arguments: { Body: 'body' },
  from: {
    cloudformation: ({ properties }) => ({
      open_methods: openMethods(field(properties, 'Body'), field(properties, 'BodyS3Location')),
    }),
    terraform: ({ properties }) => ({ open_methods: openMethods(planned(properties, 'body')) }),
    // Its routes are resources of their own, which AWS Config does not record.
    'aws-config': () => ({}),
  },
});
