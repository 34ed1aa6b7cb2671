import { UnknownValue } from '../../../../contract/resources.ts';
import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { flag } from '../../values.ts';
import { field } from '../api-field.ts';
import { planned } from '../plan-value.ts';

/** Whether the instances of a subnet get a public address; those of a default subnet do, unless it says otherwise. */
const givesPublicAddresses = ({ properties, source }: RawResource) =>
  flag(
    field(properties, 'MapPublicIpOnLaunch') ?? planned(properties, 'map_public_ip_on_launch'),
  ) ?? source.terraform_type === 'aws_default_subnet';

/** Whether an instance gets one from its subnet; without a subnet it is in one of the default VPC, which gives it one. */
export function addressOfSubnet(subnet: unknown, related: Related) {
  if (subnet === undefined) return true;
  const found = related.find(subnet, 'AWS::EC2::Subnet');
  return found ? givesPublicAddresses(found) : subnetElsewhere;
}

const subnetElsewhere = new UnknownValue(
  'whether a subnet that is not in this input assigns public IP addresses',
  { present: false },
);

const read = (raw: RawResource) => ({ public_ip_on_launch: givesPublicAddresses(raw) });

export const subnet = normaliser({
  types: ['AWS::EC2::Subnet'],
  source: 'Amazon EC2 API Reference, API version 2016-11-15',
  attributes: {
    public_ip_on_launch: {
      type: 'bool',
      meaning: 'new instances get a public IPv4 address, as they do in a default subnet',
      absent: false,
    },
  },
  arguments: {
    MapPublicIpOnLaunch: 'map_public_ip_on_launch',
  },
  from: { cloudformation: read, 'aws-config': read, terraform: read },
});
