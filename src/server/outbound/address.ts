import { BlockList, isIP } from 'node:net';

/** What addresses may be targets. */
export interface TargetRules {
  /** Only this machine reaches the server, so what it reaches on this machine is no secret. */
  readonly local: boolean;
  /** Ranges that are targets whatever they are. */
  readonly allowed: BlockList;
}

/** Why an address is none that the public internet leads to. */
export type Kind = (typeof specialRanges)[number][0];

/** The first that holds names it. See the IANA registries of special-purpose addresses for IPv4 and IPv6. */
const specialRanges = [
  // Clouds' own; the one of Azure looks like any other address, and is the host it is asked on.
  ['metadata', '169.254.169.254/32 168.63.129.16/32 100.100.100.200/32 fd00:ec2::254/128'],
  ['unspecified', '0.0.0.0/8 ::/128'],
  ['loopback', '127.0.0.0/8 ::1/128'],
  ['private', '10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 fc00::/7 fec0::/10'],
  ['link-local', '169.254.0.0/16 fe80::/10'],
  ['shared', '100.64.0.0/10'],
  ['documentation', '192.0.2.0/24 198.51.100.0/24 203.0.113.0/24 2001:db8::/32 3fff::/20'],
  ['multicast', '224.0.0.0/4 ff00::/8'],
  // 6to4, Teredo, NAT64 of a network's own, IPv4 in IPv6 as it was once written: they lead to an address within.
  ['tunnel', '192.88.99.0/24 2002::/16 2001::/32 64:ff9b:1::/48 ::/96 ::ffff:0:0:0/96'],
  ['reserved', '192.0.0.0/24 198.18.0.0/15 240.0.0.0/4 2001::/23 ::/3 4000::/2 8000::/1'],
] as const;

type Family = 'ipv4' | 'ipv6';

const familyOf = (address: string): Family => (isIP(address) === 4 ? 'ipv4' : 'ipv6');

/** Apart for each family: a list takes an IPv4 address for its form in IPv6, too, which is in `::/3`. */
const specialLists: Readonly<Record<Family, readonly { kind: Kind; list: BlockList }[]>> = {
  ipv4: listsOf('ipv4'),
  ipv6: listsOf('ipv6'),
};

function listsOf(family: Family) {
  return specialRanges.map(([kind, ranges]) => {
    const list = new BlockList();
    for (const range of ranges.split(' ')) {
      const [network = '', bits = ''] = range.split('/');
      if (familyOf(network) === family) list.addSubnet(network, Number(bits), family);
    }
    return { kind, list };
  });
}

/** The IPv4 address that `::ffff:a.b.c.d` and NAT64's `64:ff9b::a.b.c.d` are another way to write, else the address itself. */
function meantBy(address: string): string {
  if (isIP(address) === 4) return address;
  // Its one canonical form, in which no part is decimal.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [, high = '0', low] =
    /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(canonical) ??
    /^64:ff9b::(?:([0-9a-f]+):)?([0-9a-f]+)$/.exec(canonical) ??
    [];
  if (low === undefined) return canonical === '64:ff9b::' ? '0.0.0.0' : canonical;
  const [first, second] = [parseInt(high, 16), parseInt(low, 16)];
  return [first >> 8, first & 255, second >> 8, second & 255].join('.');
}

/**
 * What a special address is, whatever it is written as; undefined for those of the public internet.
 * @param address IPv4 in four decimal numbers or IPv6 in any form, a zone too
 */
export function kindOf(address: string): Kind | undefined {
  const meant = meantBy(withoutZone(address));
  const family = familyOf(meant);
  return specialLists[family].find(({ list }) => list.check(meant, family))?.kind;
}

/** Why an address may not be a target; undefined: it may. Arguments as `kindOf`. */
export function refusedKind(address: string, { local, allowed }: TargetRules): Kind | undefined {
  const kind = kindOf(address);
  if (kind === undefined || (local && kind === 'loopback')) return undefined;
  const plain = withoutZone(address);
  const forms = [plain, meantBy(plain)];
  return forms.some((form) => allowed.check(form, familyOf(form))) ? undefined : kind;
}

/** `fe80::1%eth0`: the network card is no part of the address. */
const withoutZone = (address: string): string => address.replace(/%.*$/s, '');
