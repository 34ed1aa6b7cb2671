import type { Words } from './spelling.ts';
import { isUnknown, text, unlike } from './values.ts';

const numbers = new Map([
  ['*', 'all'],
  ['-1', 'all'],
  ['1', 'icmp'],
  ['6', 'tcp'],
  ['17', 'udp'],
  ['58', 'icmpv6'],
]);

/** Names that the providers take, beside numbers. */
const names = new Set([
  ...['all', 'tcp', 'udp', 'icmp', 'icmpv6', 'icmp6'],
  ...[
    'ah',
    'egp',
    'esp',
    'gre',
    'igmp',
    'ipip',
    'ipv6',
    'ospf',
    'pim',
    'rsvp',
    'sctp',
    'udplite',
    'vrrp',
  ],
]);

/** A protocol by its name or its number, as IANA has them; AWS writes -1 for all of them, Azure *. Another word is unknown. */
export function protocolName(value: unknown) {
  const written = text(value);
  if (written === undefined || isUnknown(written)) return written;
  const name = written.toLowerCase();
  return (
    numbers.get(name) ?? (names.has(name) || isNumber(name) ? name : unlike(written, 'a protocol'))
  );
}

const isNumber = (name: string): boolean => /^\d{1,3}$/.test(name);

/** Names, and the numbers of protocols without one. */
export const protocols: Words = {
  words: [
    ...names,
    ...Array.from({ length: 256 }, (_, number) => String(number)).filter(
      (one) => !numbers.has(one),
    ),
  ],
  read: protocolName,
};
