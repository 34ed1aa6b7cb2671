import { defined } from '../../../contract/defined.ts';
import { normaliser } from '../normaliser.ts';
import { protocolName } from '../protocol.ts';
import { eitherWord, flag, isUnknown, list, number, text } from '../values.ts';
import { fromGoogle, itemValue } from './read-google.ts';
import type { Get } from './read-google.ts';

export const computeFirewall = normaliser({
  types: ['GCP::Compute::Firewall'],
  source: 'Compute Engine API v1 reference, firewalls, as of 2025-06',
  attributes: {
    disabled: { type: 'bool', meaning: 'the rule is not enforced', absent: false },
    ingress: {
      type: 'list<TrafficRule>',
      meaning: 'entries of an INGRESS rule; no source means `0.0.0.0/0`',
      absent: [],
    },
    egress: {
      type: 'list<TrafficRule>',
      meaning: 'entries of an EGRESS rule',
      absent: [],
    },
  },
  from: fromGoogle((get, _raw, _related, given) => {
    const egress = eitherWord(get('direction'), ['EGRESS'], ['INGRESS']) ?? false;
    const rules = readRules(get, given, egress === true);
    return {
      disabled: flag(get('disabled')),
      ingress: isUnknown(egress) ? egress : egress ? [] : rules,
      egress: isUnknown(egress) ? egress : egress ? rules : [],
    };
  }),
});

function readRules(get: Get, given: Get, egress: boolean) {
  const cidrs = list(get(egress ? 'destinationRanges' : 'sourceRanges'));
  const groups = egress
    ? []
    : [...itemsOrUnknown(get('sourceTags')), ...itemsOrUnknown(get('sourceServiceAccounts'))];
  const open = !isUnknown(cidrs) && cidrs.length === 0 && groups.length === 0;
  const priority = number(get('priority'));
  const description = text(get('description'));
  const shared = {
    cidrs: open ? ['0.0.0.0/0'] : cidrs,
    groups,
    ...defined({ priority }),
    ...(description === undefined || description === '' ? {} : { description }),
  };
  const allowed = list(given('allowed') ?? given('allow'));
  const denied = list(given('denied') ?? given('deny'));
  if (isUnknown(allowed)) return allowed;
  if (isUnknown(denied)) return denied;
  return [
    ...allowed.flatMap((rule) => portRules(rule, 'allow')),
    ...denied.flatMap((rule) => portRules(rule, 'deny')),
  ].map((rule) => ({ ...rule, ...shared }));
}

const itemsOrUnknown = (value: unknown): unknown[] => {
  const items = list(value);
  return isUnknown(items) ? [items] : items;
};

/** One entry for each range of ports; ports that are not known are one entry. */
function portRules(rule: unknown, access: string) {
  const protocol =
    protocolName(itemValue(rule, 'IPProtocol') ?? itemValue(rule, 'protocol')) ?? 'all';
  const ports = list(itemValue(rule, 'ports'));
  if (isUnknown(ports)) return [{ access, protocol, from_port: ports, to_port: ports }];
  if (ports.length === 0) return [{ access, protocol, from_port: 0, to_port: 65_535 }];
  return ports.map((range) => {
    const [from, to] = typeof range === 'string' ? range.split('-') : [range, range];
    return { access, protocol, from_port: number(from), to_port: number(to ?? from) };
  });
}
