import { normaliser } from '../../normaliser.ts';
import { at, configured, flag, text } from '../../values.ts';
import { configuration } from '../config-item.ts';

export const cognitoIdentityPool = normaliser({
  types: ['AWS::Cognito::IdentityPool'],
  attributes: {
    unauthenticated_identities: {
      type: 'bool',
      meaning: 'people who have not signed in get AWS credentials too',
      absent: false,
    },
  },
  from: {
    cloudformation: ({ properties }) => ({
      unauthenticated_identities: flag(at(properties, 'AllowUnauthenticatedIdentities')),
    }),
    terraform: ({ properties }) => ({
      unauthenticated_identities: flag(at(properties, 'allow_unauthenticated_identities')),
    }),
    'aws-config': (raw) => ({
      unauthenticated_identities: flag(configuration(raw, 'AllowUnauthenticatedIdentities')),
    }),
  },
});

export const cognitoUserPool = normaliser({
  types: ['AWS::Cognito::UserPool'],
  attributes: {
    'mfa.mode': { type: 'string', meaning: '`ON`, `OPTIONAL` or `OFF`', absent: 'OFF' },
  },
  from: {
    cloudformation: ({ properties }) => ({
      'mfa.mode': mode(at(properties, 'MfaConfiguration')),
    }),
    terraform: ({ properties }) => ({
      'mfa.mode': mode(configured(at(properties, 'mfa_configuration'))),
    }),
    'aws-config': (raw) => ({ 'mfa.mode': mode(configuration(raw, 'MfaConfiguration')) }),
  },
});

/** YAML takes an ON or OFF that is not quoted for a boolean. */
const mode = (value: unknown): unknown =>
  typeof value === 'boolean' ? (value ? 'ON' : 'OFF') : text(value);
