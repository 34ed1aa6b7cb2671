import { protocolName } from '../../protocol.ts';
import { at, isUnknown, number, text } from '../../values.ts';

/** The parts of a rule, as the sources name them in their ways. */
interface RuleParts {
  readonly protocol: unknown;
  readonly from: unknown;
  readonly to: unknown;
  /** Blocks, or lists of them. */
  readonly cidrs: readonly unknown[];
  /** Security groups and prefix lists, or lists of them. */
  readonly groups: readonly unknown[];
  readonly description: unknown;
}

/** Ports of a rule; one for all protocols opens all ports, whatever it says, and one that is not known may be for all. */
export const ports = (protocol: unknown, from: unknown, to: unknown) =>
  protocol === 'all'
    ? { from_port: 0, to_port: 65_535 }
    : isUnknown(protocol)
      ? { from_port: protocol, to_port: protocol }
      : { from_port: number(from) ?? 0, to_port: number(to) ?? 65_535 };

/**
 * A rule in the shape TrafficRule. One without a protocol, which AWS refuses, is for all of them; what is not known of a
 * list stands in it as an item.
 */
export function trafficRule(parts: RuleParts) {
  const protocol = protocolName(parts.protocol) ?? 'all';
  const description = text(parts.description);
  return {
    access: 'allow',
    protocol,
    ...ports(protocol, parts.from, parts.to),
    cidrs: flatten(parts.cidrs),
    groups: flatten(parts.groups),
    ...(description === undefined || description === '' ? {} : { description }),
  };
}

export const flatten = (values: readonly unknown[]): unknown[] =>
  values.flat().filter((one) => one !== undefined && one !== null && one !== '');

/**
 * Whether a rule names nothing but addresses that no packet of a network interface comes from or goes to: loopback, and
 * the broadcast address of IPv4. That is how one says "no rule": AWS documents 127.0.0.1/32 and ::1/128 in the place of
 * the default egress (AWS::EC2::SecurityGroup, "Remove the default egress rule"); the CDK writes 255.255.255.255/32.
 */
export const opensNothing = (rule: unknown): boolean => {
  const cidrs = at(rule, 'cidrs');
  const groups = at(rule, 'groups');
  return (
    Array.isArray(cidrs) &&
    cidrs.length > 0 &&
    cidrs.every((cidr) => typeof cidr === 'string' && nowhere.test(cidr)) &&
    Array.isArray(groups) &&
    groups.length === 0
  );
};

const nowhere =
  /^(?:127(?:\.\d{1,3}){3}\/(?:[89]|[12]\d|3[0-2])|255\.255\.255\.255\/32|[0:]*:0*1\/128)$/;
