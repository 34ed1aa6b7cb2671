import { normaliser } from '../../normaliser.ts';
import { at, text } from '../../values.ts';
import { planned } from '../plan-value.ts';
import { plannedSecretSource, secretSource, secretSourceAttribute } from '../secret-source.ts';

export const dmsEndpoint = normaliser({
  types: ['AWS::DMS::Endpoint'],
  attributes: {
    engine: {
      type: 'string',
      meaning: 'engine of the endpoint, such as `postgres`, `oracle` or `s3`',
      spelling: 'lower',
    },
    'password.source': secretSourceAttribute('the endpoint password'),
  },
  arguments: {
    SecretsManagerSecretId: 'secrets_manager_arn',
  },
  from: {
    cloudformation: ({ properties }) => ({
      engine: text(at(properties, 'EngineName')),
      'password.source': secretSource(at(properties, 'Password')),
    }),
    terraform: (raw) => ({
      engine: text(planned(raw.properties, 'engine_name')),
      'password.source': plannedSecretSource(raw, 'password'),
    }),
  },
});
