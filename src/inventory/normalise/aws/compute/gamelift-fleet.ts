import { normaliser } from '../../normaliser.ts';
import { at, isUnknown, mapList, number, text } from '../../values.ts';

export const gameliftFleet = normaliser({
  types: ['AWS::GameLift::Fleet'],
  attributes: {
    ingress: {
      type: 'list<TrafficRule>',
      meaning: 'who may reach the game servers',
      absent: [],
    },
  },
  from: {
    cloudformation: ({ properties }) => ({
      ingress: mapList(at(properties, 'EC2InboundPermissions'), (rule) =>
        readRule(rule, 'Protocol', 'FromPort', 'ToPort', 'IpRange'),
      ),
    }),
    terraform: ({ properties }) => ({
      ingress: mapList(at(properties, 'ec2_inbound_permission'), (rule) =>
        readRule(rule, 'protocol', 'from_port', 'to_port', 'ip_range'),
      ),
    }),
  },
});

function readRule(rule: unknown, protocol: string, from: string, to: string, range: string) {
  const named = text(at(rule, protocol)) ?? 'all';
  return {
    access: 'allow',
    protocol: isUnknown(named) ? named : named.toLowerCase(),
    from_port: number(at(rule, from)) ?? 0,
    to_port: number(at(rule, to)) ?? 65535,
    cidrs: mapList(at(rule, range), text),
    groups: [],
  };
}
