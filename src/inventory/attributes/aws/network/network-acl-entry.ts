import { normaliser } from '../../normaliser.ts';
import { protocolName, protocols } from '../../protocol.ts';
import { at, flag, isGiven, isSet, isUnknown, number, text } from '../../values.ts';
import { planned } from '../plan-value.ts';
import { flatten, ports } from './traffic-rule.ts';

export const networkAclEntry = normaliser({
  types: ['AWS::EC2::NetworkAclEntry'],
  source: 'Amazon EC2 API Reference, API version 2016-11-15',
  attributes: {
    access: { type: 'string', meaning: '`allow` or `deny`', spelling: ['allow', 'deny'] },
    direction: {
      type: 'string',
      spelling: ['ingress', 'egress'],
      meaning: '`ingress` or `egress`',
      absent: 'ingress',
    },
    protocol: {
      type: 'string',
      spelling: protocols,
      meaning: 'protocol: `tcp`, `udp`, `icmp`, `icmpv6`, a number as a string, or `all`',
    },
    from_port: { type: 'int', meaning: 'first port of the range', absent: 0 },
    to_port: { type: 'int', meaning: 'last port of the range', absent: 65_535 },
    cidrs: { type: 'list<string>', meaning: 'IPv4 and IPv6 CIDR blocks', absent: [] },
    ipv6: { type: 'bool', meaning: 'the entry has an IPv6 CIDR block', absent: false },
    'icmp.type': { type: 'int', meaning: 'ICMP type; -1 means all' },
    'icmp.code': { type: 'int', meaning: 'ICMP code; -1 means all' },
    priority: { type: 'int', meaning: 'rule number of the entry; lower numbers take precedence' },
  },
  arguments: {
    'PortRange.From': 'from_port',
    'PortRange.To': 'to_port',
  },
  from: {
    cloudformation: ({ properties }) => {
      const protocol = protocolName(at(properties, 'Protocol'));
      return {
        access: text(at(properties, 'RuleAction')),
        direction: direction(at(properties, 'Egress')),
        protocol,
        ...ports(protocol, at(properties, 'PortRange', 'From'), at(properties, 'PortRange', 'To')),
        cidrs: flatten([at(properties, 'CidrBlock'), at(properties, 'Ipv6CidrBlock')]),
        ipv6: isGiven(at(properties, 'Ipv6CidrBlock')),
        'icmp.type': number(at(properties, 'Icmp', 'Type')),
        'icmp.code': number(at(properties, 'Icmp', 'Code')),
        priority: number(at(properties, 'RuleNumber')),
      };
    },
    terraform: ({ properties }) => {
      const own = (name: string): unknown => planned(properties, name);
      const protocol = protocolName(own('protocol'));
      return {
        access: text(own('rule_action')),
        direction: direction(own('egress')),
        protocol,
        ...ports(protocol, own('from_port'), own('to_port')),
        cidrs: flatten([own('cidr_block'), own('ipv6_cidr_block')]),
        ipv6: isSet(own('ipv6_cidr_block')),
        'icmp.type': number(own('icmp_type')),
        'icmp.code': number(own('icmp_code')),
        priority: number(own('rule_number')),
      };
    },
  },
});

function direction(egress: unknown) {
  const is = flag(egress);
  if (is === undefined || isUnknown(is)) return is;
  return is ? 'egress' : 'ingress';
}
