import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { at, flag, mapList } from '../../values.ts';
import { joinedAttribute } from '../../joined.ts';
import type { Related } from '../../related.ts';
import { configured, planned } from '../plan-value.ts';
import { flatten, opensNothing, trafficRule } from './traffic-rule.ts';
import { protocols } from '../../protocol.ts';

/** A rule of a template: of a group, or a resource of its own. */
export const ruleOfTemplate = (rule: unknown) =>
  trafficRule({
    protocol: at(rule, 'IpProtocol'),
    from: at(rule, 'FromPort'),
    to: at(rule, 'ToPort'),
    cidrs: [at(rule, 'CidrIp'), at(rule, 'CidrIpv6')],
    groups: [
      at(rule, 'SourceSecurityGroupId') ?? at(rule, 'SourceSecurityGroupName'),
      at(rule, 'SourcePrefixListId'),
      at(rule, 'DestinationSecurityGroupId'),
      at(rule, 'DestinationPrefixListId'),
    ],
    description: at(rule, 'Description'),
  });

/** A rule of a plan: a block of a group, or one of the two kinds of separate resources. */
export const ruleOfPlan = (rule: unknown) =>
  trafficRule({
    protocol: configured(rule, 'ip_protocol') ?? configured(rule, 'protocol'),
    from: configured(rule, 'from_port'),
    to: configured(rule, 'to_port'),
    cidrs: ['cidr_blocks', 'ipv6_cidr_blocks', 'cidr_ipv4', 'cidr_ipv6'].map((name) =>
      configured(rule, name),
    ),
    groups: [
      ...[
        'security_groups',
        'source_security_group_id',
        'referenced_security_group_id',
        'prefix_list_ids',
        'prefix_list_id',
      ].map((name) => planned(rule, name)),
      flag(planned(rule, 'self')) === true ? 'self' : undefined,
    ],
    description: planned(rule, 'description'),
  });

/** The group that a separate rule belongs to. */
export const groupOfRule = ({ properties }: RawResource): unknown =>
  properties.GroupId ?? properties.GroupName ?? properties.security_group_id;

/** With the blocks of the prefix lists of the same input that a rule names: what is allowed to a list is to each of them. */
export function withEntries<Rule extends { cidrs: unknown[]; groups: unknown[] }>(
  rule: Rule,
  related: Related,
): Rule {
  const lists = rule.groups.flatMap((one) => related.find(one, 'AWS::EC2::PrefixList') ?? []);
  const blocks = lists.flatMap(({ properties }) => [
    mapList(at(properties, 'Entries'), (entry) => at(entry, 'Cidr')),
    mapList(planned(properties, 'entry'), (entry) => at(entry, 'cidr')),
  ]);
  return lists.length === 0 ? rule : { ...rule, cidrs: [...rule.cidrs, ...flatten(blocks)] };
}

const withEffect = (rule: ReturnType<typeof trafficRule>, raw: RawResource, related: Related) => ({
  ...withEntries(rule, related),
  opens_nothing: opensNothing(withEntries(rule, related)),
  joined: related.find(groupOfRule(raw), 'AWS::EC2::SecurityGroup') !== undefined,
});

export const securityGroupRule = normaliser({
  types: ['AWS::EC2::SecurityGroupIngress', 'AWS::EC2::SecurityGroupEgress'],
  source: 'Amazon EC2 API Reference, API version 2016-11-15',
  attributes: {
    access: {
      type: 'string',
      spelling: ['allow'],
      meaning: 'always `allow` for security groups',
      absent: 'allow',
    },
    protocol: {
      type: 'string',
      spelling: protocols,
      absent: 'all',
      meaning: 'protocol: `tcp`, `udp`, `icmp`, `icmpv6`, a number as a string, or `all`',
    },
    from_port: { type: 'int', meaning: 'first port of the range; for ICMP, the type', absent: 0 },
    to_port: { type: 'int', meaning: 'last port of the range; for ICMP, the code', absent: 65_535 },
    cidrs: { type: 'list<string>', meaning: 'IPv4 and IPv6 CIDR blocks', absent: [] },
    groups: {
      type: 'list<string>',
      meaning: 'security groups and prefix lists that the rule allows',
      absent: [],
    },
    description: { type: 'string', meaning: 'description of the rule' },
    opens_nothing: {
      type: 'bool',
      meaning:
        'the rule contains only loopback or broadcast addresses (127.0.0.1/32, ::1/128, 255.255.255.255/32), so it opens nothing',
      absent: false,
    },
    ...joinedAttribute('the security group', 'AWS::EC2::SecurityGroup'),
  },
  from: {
    cloudformation: (raw, related) => withEffect(ruleOfTemplate(raw.properties), raw, related),
    terraform: (raw, related) => withEffect(ruleOfPlan(raw.properties), raw, related),
  },
});
