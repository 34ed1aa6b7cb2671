import { spend } from './budget.ts';
import { prices } from './prices.ts';
import { mismatch, typeError } from './values.ts';
import type { Failure } from './values.ts';

/** An address range: `bits` of the address are fixed. An IPv4 address is 32 wide, IPv6 128. */
interface Range {
  readonly address: bigint;
  readonly bits: number;
  readonly width: 32 | 128;
}

/** The longest text of a range, with a dotted IPv4 tail: anything longer is none. */
const longestRange = 49;

function parseRange(text: string): Range | undefined {
  if (text.length > longestRange) return undefined;
  const slash = text.indexOf('/');
  const host = slash < 0 ? text : text.slice(0, slash);
  const width = host.includes(':') ? 128 : 32;
  const address = width === 32 ? parseV4(host) : parseV6(host);
  const bits = slash < 0 ? width : parseBits(text.slice(slash + 1));
  return address === undefined || bits === undefined || bits > width
    ? undefined
    : { address, bits, width };
}

const parseBits = (text: string): number | undefined =>
  /^(?:0|[1-9]\d{0,2})$/.test(text) ? Number(text) : undefined;

function parseV4(text: string): bigint | undefined {
  const parts = text.split('.');
  // A leading zero is octal to some readers and decimal to others: it is refused, as Go and Python do.
  const isByte = (part: string) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255;
  if (parts.length !== 4 || !parts.every(isByte)) return undefined;
  return parts.reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
}

function parseV6(text: string): bigint | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head = [], tail = []] = halves.map((half, i) =>
    parseGroups(half, i === halves.length - 1),
  );
  if (head === undefined || tail === undefined) return undefined;
  const missing = 8 - head.length - tail.length;
  // `::` stands for one group of zeros at least.
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head, ...Array.from({ length: missing }, () => 0n), ...tail];
  return groups.reduce((sum, group) => (sum << 16n) | group, 0n);
}

function parseGroups(text: string, isLast: boolean): bigint[] | undefined {
  if (text === '') return [];
  const parts = text.split(':');
  const groups: bigint[] = [];
  for (const [i, part] of parts.entries()) {
    if (isLast && i === parts.length - 1 && part.includes('.')) {
      const v4 = parseV4(part);
      if (v4 === undefined) return undefined;
      groups.push(v4 >> 16n, v4 & 0xffffn);
    } else if (/^[0-9a-f]{1,4}$/i.test(part)) {
      groups.push(BigInt(`0x${part}`));
    } else {
      return undefined;
    }
  }
  return groups;
}

const notRange = (): Failure => typeError('the text is not an IP address or range (CIDR)');

/** `cidr_contains(outer, inner)`: whether all addresses of `inner`, an address or a range, are in `outer`. */
export function cidrContains(outer: unknown, inner: unknown): boolean | Failure {
  if (typeof outer !== 'string' || typeof inner !== 'string') {
    return mismatch('cidr_contains', outer, inner);
  }
  spend(prices.network + Math.min(outer.length + inner.length, 2 * longestRange));
  const around = parseRange(outer);
  if (!around) return notRange();
  const within = parseRange(inner);
  if (!within) return notRange();
  if (around.width !== within.width || within.bits < around.bits) return false;
  const free = BigInt(around.width - around.bits);
  return around.address >> free === within.address >> free;
}
