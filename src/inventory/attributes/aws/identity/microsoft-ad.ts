import { normaliser } from '../../normaliser.ts';
import { at } from '../../values.ts';
import { plannedSecretSource, secretSource, secretSourceAttribute } from '../secret-source.ts';

export const microsoftAd = normaliser({
  types: ['AWS::DirectoryService::MicrosoftAD', 'AWS::DirectoryService::SimpleAD'],
  attributes: {
    'admin_password.source': secretSourceAttribute('the administrator password'),
  },
  arguments: {
    Password: 'password',
  },
  from: {
    cloudformation: ({ properties }) => ({
      'admin_password.source': secretSource(at(properties, 'Password')),
    }),
    terraform: (raw) => ({
      'admin_password.source': plannedSecretSource(raw, 'password'),
    }),
  },
});
