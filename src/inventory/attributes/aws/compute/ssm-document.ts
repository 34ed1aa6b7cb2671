import { normaliser } from '../../normaliser.ts';
import { isUnknown, text } from '../../values.ts';
import { planned } from '../plan-value.ts';

export const ssmDocument = normaliser({
  types: ['AWS::SSM::Document'],
  source: 'AWS Systems Manager API Reference, API version 2014-11-06',
  attributes: {
    shared_with: {
      type: 'list<string>',
      spelling: 'lower',
      meaning: 'accounts that the document is shared with; `all` means every AWS account',
      absent: [],
    },
  },
  arguments: { AccountIds: 'permissions' },
  from: {
    // Sharing is a call of its own, which no template makes.
    cloudformation: () => ({}),
    terraform: ({ properties }) => {
      const accounts = text(planned(properties, 'permissions', 'account_ids'));
      if (accounts === undefined || isUnknown(accounts)) return { shared_with: accounts };
      return {
        shared_with: accounts
          .toLowerCase()
          .split(/[\s,]+/)
          .filter((one) => one !== ''),
      };
    },
  },
});
