import { normaliser } from '../../normaliser.ts';
import { at } from '../../values.ts';
import { secretSource, secretSourceAttribute } from '../secret-source.ts';

export const microsoftAd = normaliser({
  types: ['AWS::DirectoryService::MicrosoftAD', 'AWS::DirectoryService::SimpleAD'],
  attributes: {
    'admin_password.source': secretSourceAttribute("the administrator's password"),
  },
  from: {
    cloudformation: ({ properties }) => ({
      'admin_password.source': secretSource(at(properties, 'Password')),
    }),
    terraform: ({ properties }) => ({
      'admin_password.source': secretSource(at(properties, 'password')),
    }),
  },
});
