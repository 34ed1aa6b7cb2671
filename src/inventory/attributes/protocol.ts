import { isUnknown, text } from './values.ts';

const protocols = new Map([
  ['-1', 'all'],
  ['1', 'icmp'],
  ['6', 'tcp'],
  ['17', 'udp'],
  ['58', 'icmpv6'],
]);

/** A protocol by its name or its number, as IANA has them; AWS writes -1 for all of them. */
export function protocolName(value: unknown) {
  const written = text(value);
  if (written === undefined || isUnknown(written)) return written;
  const name = written.toLowerCase();
  return protocols.get(name) ?? name;
}
