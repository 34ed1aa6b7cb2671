import { defined } from '../../../contract/defined.ts';
import type { UnknownValue } from '../../../contract/resources.ts';
import type { RawResource } from '../../model.ts';
import { configured, planned } from '../aws/plan-value.ts';
import { joinedAttribute } from '../joined.ts';
import { normaliser } from '../normaliser.ts';
import { protocolName } from '../protocol.ts';
import { eitherWord, isUnknown, list, number, text } from '../values.ts';
import { at, everywhere, itemsOrOne, parentOf, partsOf } from './read-azure.ts';
import { allParts } from '../related.ts';

const groupType = 'Azure::Network::networkSecurityGroups';
const ruleType = `${groupType}/securityRules`;

export const networkSecurityGroups = normaliser({
  types: [groupType],
  source:
    'Azure Resource Manager template reference, Microsoft.Network/networkSecurityGroups, 2023-09-01',
  attributes: {
    ingress: {
      type: 'list<TrafficRule>',
      meaning: "inbound security rules, without Azure's default rules",
      absent: [],
    },
    egress: {
      type: 'list<TrafficRule>',
      meaning: "outbound security rules, without Azure's default rules",
      absent: [],
    },
  },
  from: {
    azure: (raw, related) => {
      const own = list(at(raw.properties, 'securityRules'));
      const beside = partsOf(raw, related, ruleType).map(ruleOfTemplate);
      return isUnknown(own)
        ? withOpen(byDirection(beside), own)
        : byDirection([
            ...own.map((rule) => readRule((name) => at(rule, 'properties', name))),
            ...beside,
          ]);
    },
    terraform: (raw, related) => {
      const own = list(planned(raw.properties, 'security_rule'));
      const beside = allParts(related, raw, ruleType, ofGroup).map((part) =>
        ruleOfPlan(part.properties),
      );
      return isUnknown(own)
        ? withOpen(byDirection(beside), own)
        : byDirection([...own.map(ruleOfPlan), ...beside]);
    },
  },
});

/** A rule that is a resource of its own. */
export const networkSecurityRules = normaliser({
  types: [ruleType],
  source:
    'Azure Resource Manager template reference, Microsoft.Network/networkSecurityGroups/securityRules, 2023-09-01',
  attributes: {
    ingress: {
      type: 'list<TrafficRule>',
      meaning: 'the rule, if it applies to inbound traffic: one entry per port range',
      absent: [],
    },
    egress: {
      type: 'list<TrafficRule>',
      meaning: 'the rule, if it applies to outbound traffic: one entry per port range',
      absent: [],
    },
    ...joinedAttribute('the network security group', groupType),
  },
  from: {
    azure: (raw, related) => ({
      ...byDirection([ruleOfTemplate(raw)]),
      joined: related.find(parentOf(raw), groupType) !== undefined,
    }),
    terraform: (raw, related) => ({
      ...byDirection([ruleOfPlan(raw.properties)]),
      joined: related.find(ofGroup(raw), groupType) !== undefined,
    }),
  },
});

const ruleOfTemplate = ({ properties }: RawResource) => readRule((name) => at(properties, name));

const ruleOfPlan = (rule: unknown) => readRule((name) => configured(rule, snakeCase(name)));

/** Where the group's own rules are not known, those beside it still are. */
const withOpen = ({ ingress, egress }: ReturnType<typeof byDirection>, own: UnknownValue) => ({
  ingress: ingress.length > 0 ? [...ingress, own] : own,
  egress: egress.length > 0 ? [...egress, own] : own,
});

const ofGroup = (part: RawResource): unknown => part.properties['network_security_group_name'];

/** Terraform names a rule's attributes as Azure does, in snake case. */
const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

type Rules = ReturnType<typeof readRule>[];

const byDirection = (rules: Rules) => ({
  ingress: rules.flatMap(({ ingress }) => ingress),
  egress: rules.flatMap(({ egress }) => egress),
});

/** Of a rule whose direction is not known, it is not known in either of them what it does. */
function readRule(get: (name: string) => unknown) {
  const outbound = eitherWord(get('direction'), ['Outbound'], ['Inbound']) ?? false;
  if (!isUnknown(outbound))
    return outbound
      ? { ingress: [], egress: readSide(get, true) }
      : { ingress: readSide(get, false), egress: [] };
  const [ingress, egress] = [false, true].map((one) =>
    readSide(get, one).map((rule) => ({ ...rule, access: outbound })),
  );
  return { ingress: ingress ?? [], egress: egress ?? [] };
}

/** A rule as one entry for each range of its ports. */
function readSide(get: (name: string) => unknown, outbound: boolean) {
  const side = outbound ? 'destination' : 'source';
  const prefixes = [get(`${side}AddressPrefix`), ...itemsOrOne(get(`${side}AddressPrefixes`))]
    .filter((one) => one !== undefined && one !== '')
    .map(readPrefix);
  const groups = itemsOrOne(
    get(`${side}ApplicationSecurityGroups`) ?? get(`${side}ApplicationSecurityGroupIds`),
  );
  const priority = number(get('priority'));
  const description = text(get('description'));
  const allow = eitherWord(get('access'), ['Allow'], ['Deny']) ?? true;
  const shared = {
    access: isUnknown(allow) ? allow : allow ? 'allow' : 'deny',
    protocol: protocolName(get('protocol')) ?? 'all',
    cidrs: prefixes.flatMap(({ cidrs }) => cidrs),
    groups: [
      ...prefixes.flatMap((one) => one.groups),
      ...groups.map((one) => at(one, 'id') ?? one),
    ],
    ...defined({ priority }),
    ...(description === undefined || description === '' ? {} : { description }),
  };
  const ranges = [get('destinationPortRange'), ...itemsOrOne(get('destinationPortRanges'))].filter(
    (one) => one !== undefined && one !== '',
  );
  // Azure asks for a range: a rule without one is taken for one about all ports, so that it is not lost.
  return (ranges.length > 0 ? ranges : ['*']).map((range) => ({ ...shared, ...portsOf(range) }));
}

const wordOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

function portsOf(range: unknown) {
  if (isUnknown(range)) return { from_port: range, to_port: range };
  const written = typeof range === 'number' ? String(range) : wordOf(range);
  if (written === '*') return { from_port: 0, to_port: 65_535 };
  const [from, to] = written.split('-');
  return { from_port: number(from), to_port: number(to ?? from) };
}

/**
 * An address prefix is a block; a word is a service tag (`Storage.EastUS2`), of which some mean everybody.
 * One that is not known may be either.
 */
function readPrefix(prefix: unknown): { readonly cidrs: unknown[]; readonly groups: unknown[] } {
  if (isUnknown(prefix)) return { cidrs: [prefix], groups: [prefix] };
  const written = wordOf(prefix);
  if (['*', 'any', 'internet'].includes(written.toLowerCase()))
    return { cidrs: everywhere, groups: [] };
  return /^[\da-f]*[.:/]/i.test(written)
    ? { cidrs: [written === '0.0.0.0' ? '0.0.0.0/0' : written], groups: [] }
    : { cidrs: [], groups: written === '' ? [] : [written] };
}
