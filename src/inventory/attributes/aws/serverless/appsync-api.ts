import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { eitherWord, isOneOf, not, text } from '../../values.ts';
import { field } from '../api-field.ts';
import { planned } from '../plan-value.ts';

const words = ['API_KEY', 'AWS_IAM', 'AMAZON_COGNITO_USER_POOLS', 'OPENID_CONNECT', 'AWS_LAMBDA'];
const levels = ['ERROR', 'ALL', 'INFO', 'DEBUG'];

const ofDocument = ({ properties }: RawResource) =>
  read(
    field(properties, 'AuthenticationType'),
    field(properties, 'LogConfig', 'FieldLogLevel'),
    field(properties, 'LogConfig'),
  );

export const appsyncApi = normaliser({
  types: ['AWS::AppSync::GraphQLApi'],
  source: 'AWS AppSync API Reference, API version 2017-07-25',
  attributes: {
    authorization_type: {
      type: 'string',
      meaning:
        'default authentication type: `API_KEY`, `AWS_IAM`, `AMAZON_COGNITO_USER_POOLS`, `OPENID_CONNECT` or `AWS_LAMBDA`',
      spelling: words,
    },
    'logging.enabled': { type: 'bool', meaning: 'requests are logged', absent: false },
  },
  arguments: { AuthenticationType: 'authentication_type', LogConfig: 'log_config' },
  from: {
    cloudformation: ofDocument,
    'aws-config': ofDocument,
    terraform: ({ properties }) =>
      read(
        planned(properties, 'authentication_type'),
        planned(properties, 'log_config', 'field_log_level'),
        planned(properties, 'log_config'),
      ),
  },
});

const read = (authentication: unknown, level: unknown, logs: unknown) => ({
  authorization_type: text(authentication),
  'logging.enabled':
    logs === undefined
      ? undefined
      : (eitherWord(level, levels, ['NONE']) ?? not(isOneOf(level, 'NONE'))),
});
