import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { flag } from '../../values.ts';
import { field } from '../api-field.ts';
import { planned } from '../plan-value.ts';

const fromApi = ({ properties }: RawResource) => ({
  public_ip_on_launch: flag(field(properties, 'MapPublicIpOnLaunch')),
});

export const subnet = normaliser({
  types: ['AWS::EC2::Subnet'],
  attributes: {
    public_ip_on_launch: {
      type: 'bool',
      meaning: 'new instances get a public IPv4 address',
      absent: false,
    },
  },
  from: {
    cloudformation: fromApi,
    'aws-config': fromApi,
    terraform: ({ properties }) => ({
      public_ip_on_launch: flag(planned(properties, 'map_public_ip_on_launch')),
    }),
  },
});
