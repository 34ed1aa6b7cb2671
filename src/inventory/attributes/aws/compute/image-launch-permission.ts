import { normaliser } from '../../normaliser.ts';
import { text } from '../../values.ts';
import { planned } from '../plan-value.ts';

export const imageLaunchPermission = normaliser({
  types: ['AWS::EC2::ImageLaunchPermission'],
  attributes: {
    group: {
      type: 'string',
      meaning:
        'who may start instances of the image: `all` is everyone; none if set for one account',
      spelling: 'lower',
    },
  },
  arguments: { Group: 'group' },
  from: {
    terraform: ({ properties }) => ({ group: text(planned(properties, 'group')) || undefined }),
  },
});
