import type { UnknownValue } from '../../../../contract/resources.ts';
import type { RawResource } from '../../../model.ts';
import { normaliser } from '../../normaliser.ts';
import { allParts } from '../../related.ts';
import type { Related } from '../../related.ts';
import { at, isUnknown, list, mapList, text } from '../../values.ts';
import { planned } from '../plan-value.ts';
import { groupOfRule, ruleOfPlan, ruleOfTemplate, withEntries } from './security-group-rule.ts';
import { flatten, opensNothing, trafficRule } from './traffic-rule.ts';

export const securityGroup = normaliser({
  types: ['AWS::EC2::SecurityGroup'],
  source: 'Amazon EC2 API Reference, API version 2016-11-15',
  attributes: {
    group_name: {
      type: 'string',
      meaning: 'name of the security group; `default` for the default security group of the VPC',
    },
    description: { type: 'string', meaning: 'description of the security group' },
    ingress: {
      type: 'list<TrafficRule>',
      meaning:
        'inbound rules of the security group and of separate rule resources, except rules that contain only loopback or broadcast addresses',
      absent: [],
    },
    egress: {
      type: 'list<TrafficRule>',
      meaning:
        'outbound rules of the security group and of separate rule resources, except rules that contain only loopback or broadcast addresses',
      absent: [],
    },
    default_egress: {
      type: 'bool',
      meaning:
        'the template has no outbound rules, so AWS adds one that allows all outbound traffic',
      absent: false,
    },
  },
  arguments: {
    GroupDescription: 'description',
  },
  from: {
    cloudformation: (raw, related) => {
      const own = (kind: 'Ingress' | 'Egress') =>
        joined(raw, related, kind, at(raw.properties, `SecurityGroup${kind}`), ruleOfTemplate);
      const egress = own('Egress');
      return {
        group_name: text(at(raw.properties, 'GroupName')),
        description: text(at(raw.properties, 'GroupDescription')),
        ingress: thatOpen(own('Ingress')),
        egress: thatOpen(egress),
        default_egress: isUnknown(egress) ? egress : egress.length === 0,
      };
    },
    terraform: (raw, related) => ({
      group_name: isDefaultGroup(raw) ? 'default' : text(planned(raw.properties, 'name')),
      description: text(planned(raw.properties, 'description')),
      ingress: thatOpen(
        joined(raw, related, 'Ingress', planned(raw.properties, 'ingress'), ruleOfPlan),
      ),
      egress: thatOpen(
        joined(raw, related, 'Egress', planned(raw.properties, 'egress'), ruleOfPlan),
      ),
    }),
    'aws-config': (raw) => ({
      group_name: text(at(raw.properties, 'groupName')),
      description: text(at(raw.properties, 'description')),
      ingress: thatOpen(mapList(at(raw.properties, 'ipPermissions'), permission)),
      egress: thatOpen(mapList(at(raw.properties, 'ipPermissionsEgress'), permission)),
    }),
  },
});

/** The rules within the group, and those beside it. */
function joined(
  raw: RawResource,
  related: Related,
  kind: 'Ingress' | 'Egress',
  within: unknown,
  readRule: (rule: unknown) => ReturnType<typeof trafficRule>,
) {
  const read = (rule: unknown) => withEntries(readRule(rule), related);
  const own = list(within);
  const beside = allParts(related, raw, `AWS::EC2::SecurityGroup${kind}`, groupOfRule);
  const separate = beside.map(({ type, properties }) => ({
    ...read(properties),
    declared_by: type,
  }));
  if (isUnknown(own)) return separate.length > 0 ? [...separate, own] : own;
  return [...own.map((rule) => (isUnknown(rule) ? rule : read(rule))), ...separate];
}

const thatOpen = (rules: readonly unknown[] | UnknownValue) =>
  isUnknown(rules) ? rules : rules.filter((rule) => !opensNothing(rule));

const isDefaultGroup = ({ source }: RawResource): boolean =>
  source.terraform_type === 'aws_default_security_group';

/** A permission of AWS Config: each of its sources has a description of its own. */
function permission(given: unknown) {
  const ranges = [
    ...['ipv4Ranges', 'ipRanges'].map((name) => listed(given, name, 'cidrIp')),
    listed(given, 'ipv6Ranges', 'cidrIpv6'),
  ].flat();
  const pairs = listed(given, 'userIdGroupPairs', 'groupId');
  const prefixes = listed(given, 'prefixListIds', 'prefixListId');
  // Older items have `ipRanges` as texts beside the same in `ipv4Ranges`.
  const described = [...ranges, ...pairs, ...prefixes].filter(({ bare }) => !bare);
  const everyDescribed = described.every(({ description }) => Boolean(description));
  return trafficRule({
    protocol: at(given, 'ipProtocol'),
    from: at(given, 'fromPort'),
    to: at(given, 'toPort'),
    cidrs: [...new Set(flatten(ranges.map(({ source }) => source)))],
    groups: [...pairs, ...prefixes].map(({ source }) => source),
    description: everyDescribed ? described[0]?.description : undefined,
  });
}

function listed(given: unknown, name: string, key: string) {
  const items = mapList(at(given, name), (one) => ({
    source: typeof one === 'string' ? one : at(one, key),
    description: at(one, 'description'),
    bare: typeof one === 'string',
  }));
  return isUnknown(items) ? [{ source: items, description: undefined, bare: false }] : items;
}
