import { normaliser } from '../../normaliser.ts';
import { at, mapList } from '../../values.ts';
import { trafficRule } from '../network/traffic-rule.ts';

export const gameliftFleet = normaliser({
  types: ['AWS::GameLift::Fleet'],
  source: 'Amazon GameLift Servers API Reference, API version 2015-10-01',
  attributes: {
    ingress: {
      type: 'list<TrafficRule>',
      meaning: 'inbound rules for access to the game servers',
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

const readRule = (rule: unknown, protocol: string, from: string, to: string, range: string) =>
  trafficRule({
    protocol: at(rule, protocol),
    from: at(rule, from),
    to: at(rule, to),
    cidrs: [at(rule, range)],
    groups: [],
    description: undefined,
  });
