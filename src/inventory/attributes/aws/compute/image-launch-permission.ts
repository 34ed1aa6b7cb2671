import { normaliser } from '../../normaliser.ts';
import { text } from '../../values.ts';
import { planned } from '../plan-value.ts';

export const imageLaunchPermission = normaliser({
  types: ['AWS::EC2::ImageLaunchPermission'],
  attributes: {
    group: {
      type: 'string',
      meaning:
        'group that can launch instances from the AMI: `all` means every AWS account; missing if a single account is set',
      spelling: 'lower',
    },
  },
  arguments: { Group: 'group' },
  from: {
    terraform: ({ properties }) => ({ group: text(planned(properties, 'group')) || undefined }),
  },
});
