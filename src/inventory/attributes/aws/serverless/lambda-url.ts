import { normaliser } from '../../normaliser.ts';
import { at, text } from '../../values.ts';

export const lambdaUrl = normaliser({
  types: ['AWS::Lambda::Url'],
  attributes: {
    auth_type: { type: 'string', meaning: '`AWS_IAM` or `NONE`', spelling: ['AWS_IAM', 'NONE'] },
  },
  arguments: {
    AuthType: 'authorization_type',
  },
  from: {
    cloudformation: ({ properties }) => ({ auth_type: text(at(properties, 'AuthType')) }),
    terraform: ({ properties }) => ({ auth_type: text(at(properties, 'authorization_type')) }),
  },
});
