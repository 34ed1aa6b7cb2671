import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import type { Related } from '../../related.ts';
import { at, text } from '../../values.ts';
import { planned } from '../plan-value.ts';
import { flatten } from './traffic-rule.ts';

export const route = normaliser({
  types: ['AWS::EC2::Route'],
  source: 'Amazon EC2 API Reference, API version 2016-11-15',
  attributes: {
    destination_cidrs: { type: 'list<string>', meaning: 'IPv4 and IPv6 CIDR blocks', absent: [] },
    gateway_id: { type: 'string', meaning: 'the target gateway' },
    to_internet_gateway: {
      type: 'bool',
      meaning:
        'the target may be an internet gateway, because it is not known to be a virtual private gateway, a VPC endpoint or `local`',
      absent: false,
    },
  },
  from: {
    cloudformation: ({ properties }, related) => ({
      destination_cidrs: flatten([
        at(properties, 'DestinationCidrBlock'),
        at(properties, 'DestinationIpv6CidrBlock'),
      ]),
      gateway_id: text(at(properties, 'GatewayId')),
      to_internet_gateway: isInternetGateway(at(properties, 'GatewayId'), related),
    }),
    terraform: ({ properties }, related) => ({
      destination_cidrs: flatten([
        planned(properties, 'destination_cidr_block'),
        planned(properties, 'destination_ipv6_cidr_block'),
      ]),
      gateway_id: text(planned(properties, 'gateway_id')) || undefined,
      to_internet_gateway: isInternetGateway(planned(properties, 'gateway_id'), related),
    }),
  },
});

function isInternetGateway(gateway: unknown, related: Related): boolean {
  if (gateway === undefined || gateway === '') return false;
  if (typeof gateway === 'string' && /^(igw|vgw|vpce|eigw|cagw|local)\b/.test(gateway))
    return gateway.startsWith('igw');
  const found: RawResource | undefined = related.find(gateway);
  return found === undefined || found.type === 'AWS::EC2::InternetGateway';
}
