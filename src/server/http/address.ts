import { BlockList, isIP } from 'node:net';
import { GovctlError } from '../../contract/errors.ts';

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);

/**
 * What is counted as one caller where only an address tells callers apart: an IPv4 address, of IPv6 the network, of
 * which a caller has as many addresses as it likes.
 */
export function networkOf(address: string | undefined): string {
  if (address === undefined) return '';
  const canonical = canonicalAddress(address);
  if (isIP(canonical) !== 6) return canonical;
  const [head = '', tail] = canonical.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  return [...before, ...Array.from({ length: zeros }, () => '0'), ...after].slice(0, 4).join(':');
}

/** Where this machine reaches a listener; one on all addresses is reached on the loopback one. */
export function baseUrlOf(host: string, port: number, secure: boolean): string {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  const name = isIP(reachable) === 6 ? `[${reachable}]` : reachable;
  return `${secure ? 'https' : 'http'}://${name}:${port}`;
}

/** Undefined: it isn't a CIDR. */
function readRange(cidr: string): Parameters<BlockList['addSubnet']> | undefined {
  const [, address = '', digits = ''] = /^([^/]+)\/(\d{1,3})$/.exec(cidr) ?? [];
  const family = isIP(address);
  const bits = Number(digits);
  if (family === 0 || bits > (family === 6 ? 128 : 32)) return undefined;
  return [address, bits, family === 6 ? 'ipv6' : 'ipv4'];
}

/** Whether it is a CIDR that leaves out some addresses. */
export const isProperRange = (cidr: string): boolean => (readRange(cidr)?.[1] ?? 0) > 0;

/** Ranges of addresses. @throws GovctlError usage_error for what isn't a CIDR */
export function parseRanges(cidrs: readonly string[]): BlockList {
  const ranges = new BlockList();
  for (const cidr of cidrs) {
    const range = readRange(cidr);
    if (!range) {
      throw new GovctlError('usage_error', `"${cidr}" is not an address range`, {
        hint: 'Use a CIDR, such as 10.0.0.0/8 or fd00::/8.',
      });
    }
    ranges.addSubnet(...range);
  }
  return ranges;
}

/** False for what is no IP address, such as the `unknown` of a proxy. */
export function isInRanges(ranges: BlockList, address: string | undefined): boolean {
  const family = address === undefined ? 0 : isIP(address);
  if (address === undefined || family === 0) return false;
  return ranges.check(address.replace(/%.*$/, ''), family === 6 ? 'ipv6' : 'ipv4');
}

/** One way to write an IP address: IPv4 as four numbers also where IPv6 contains it, IPv6 short, without a zone. */
export function canonicalAddress(address: string): string {
  if (isIP(address) !== 6) return address;
  const { hostname } = new URL(`http://[${address.replace(/%.*$/, '')}]`);
  const ipv6 = hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(ipv6) ?? [];
  if (high === undefined || low === undefined) return ipv6;
  const bytes = [high, low].flatMap((part) => [parseInt(part, 16) >> 8, parseInt(part, 16) & 255]);
  return bytes.join('.');
}

/** @throws GovctlError usage_error */
export function checkPublicUrl(text: string): void {
  let url: URL | undefined;
  try {
    url = new URL(text);
  } catch {
    // said below
  }
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.search && !url.hash) return;
  throw new GovctlError('usage_error', `"${text}" is not a valid public URL`, {
    hint: 'Use an http or https URL without user, query or fragment, such as https://governance.example.com.',
  });
}
