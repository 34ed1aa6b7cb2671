import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { at, flag, text } from '../../values.ts';
import { field } from '../api-field.ts';
import { planned } from '../plan-value.ts';

export const cognitoIdentityPool = normaliser({
  types: ['AWS::Cognito::IdentityPool'],
  source: 'Amazon Cognito Federated Identities API Reference, API version 2014-06-30',
  attributes: {
    unauthenticated_identities: {
      type: 'bool',
      meaning: 'unauthenticated users can get AWS credentials',
      absent: false,
    },
  },
  arguments: {
    AllowUnauthenticatedIdentities: 'allow_unauthenticated_identities',
  },
  from: {
    cloudformation: poolOfApi,
    terraform: ({ properties }) => ({
      unauthenticated_identities: flag(at(properties, 'allow_unauthenticated_identities')),
    }),
    'aws-config': poolOfApi,
  },
});

export const cognitoUserPool = normaliser({
  types: ['AWS::Cognito::UserPool'],
  source: 'Amazon Cognito User Pools API Reference, API version 2016-04-18',
  attributes: {
    'mfa.mode': {
      type: 'string',
      meaning: '`ON`, `OPTIONAL` or `OFF`',
      spelling: ['ON', 'OPTIONAL', 'OFF'],
      absent: 'OFF',
    },
  },
  arguments: {
    MfaConfiguration: 'mfa_configuration',
  },
  from: {
    cloudformation: usersOfApi,
    terraform: ({ properties }) => ({
      'mfa.mode': mode(planned(properties, 'mfa_configuration')),
    }),
    'aws-config': usersOfApi,
  },
});

function poolOfApi({ properties }: RawResource) {
  return { unauthenticated_identities: flag(field(properties, 'AllowUnauthenticatedIdentities')) };
}

function usersOfApi({ properties }: RawResource) {
  return { 'mfa.mode': mode(field(properties, 'MfaConfiguration')) };
}

/** YAML takes an ON or OFF that is not quoted for a boolean. */
const mode = (value: unknown): unknown =>
  typeof value === 'boolean' ? (value ? 'ON' : 'OFF') : text(value);
