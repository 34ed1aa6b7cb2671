import { defined } from '../../../../contract/defined.ts';
import { isUnknown, number, text } from '../../values.ts';

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

const protocols = new Map([
  ['-1', 'all'],
  ['1', 'icmp'],
  ['6', 'tcp'],
  ['17', 'udp'],
  ['58', 'icmpv6'],
]);

/** A protocol by its name or its number, as IANA has them. */
export function protocolName(value: unknown) {
  const written = text(value);
  if (written === undefined || isUnknown(written)) return written;
  const name = written.toLowerCase();
  return protocols.get(name) ?? name;
}

/** Ports of a rule; one for all protocols opens all ports, whatever it says. */
export const ports = (protocol: unknown, from: unknown, to: unknown) =>
  protocol === 'all'
    ? { from_port: 0, to_port: 65_535 }
    : { from_port: number(from) ?? 0, to_port: number(to) ?? 65_535 };

/**
 * A rule in the shape TrafficRule. A protocol that is left out, which AWS refuses, stays away; what is not known of a
 * list stands in it as an item.
 */
export function trafficRule(parts: RuleParts) {
  const protocol = protocolName(parts.protocol);
  const description = text(parts.description);
  return {
    access: 'allow',
    ...defined({ protocol }),
    ...ports(protocol, parts.from, parts.to),
    cidrs: flatten(parts.cidrs),
    groups: flatten(parts.groups),
    ...(description === undefined || description === '' ? {} : { description }),
  };
}

export const flatten = (values: readonly unknown[]): unknown[] =>
  values.flat().filter((one) => one !== undefined && one !== null && one !== '');
