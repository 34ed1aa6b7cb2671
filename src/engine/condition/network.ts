import { defined } from '../../contract/defined.ts';
import { spend } from './budget.ts';
import { prices } from './prices.ts';
import { Failure, mismatch, typeError } from './values.ts';

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

const notRange = (): Failure => typeError('the string is not an IP address or range (CIDR)');

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

/** Addresses from the first to the last. */
interface Span {
  readonly first: bigint;
  readonly last: bigint;
}

interface Family {
  /** The addresses that hosts of the internet have. */
  readonly hosts: readonly Span[];
  /** The widest range that one organization owns, by its fixed bits. */
  readonly widest: number;
}

const families: Readonly<Record<Range['width'], Family>> = {
  32: {
    hosts: allBut([
      '0.0.0.0/8', // "this network"
      '10.0.0.0/8',
      '100.64.0.0/10', // between a carrier and its customers
      '127.0.0.0/8',
      '169.254.0.0/16',
      '172.16.0.0/12',
      '192.168.0.0/16',
      '224.0.0.0/3', // multicast, reserved, broadcast
    ]),
    widest: 8,
  },
  128: {
    hosts: [spanOf('2000::/3')], // all that IANA assigns to hosts
    widest: 32,
  },
};

const sum = (sizes: readonly bigint[]): bigint => sizes.reduce((all, size) => all + size, 0n);

/** The IPv4 addresses outside of blocks that are in order. */
function allBut(blocks: readonly string[]): Span[] {
  const gaps: Span[] = [];
  let first = 0n;
  for (const block of blocks.map(spanOf)) {
    if (block.first > first) gaps.push({ first, last: block.first - 1n });
    first = block.last + 1n;
  }
  return gaps;
}

function spanOf(block: string): Span {
  const range = parseRange(block);
  if (!range) throw new Error(`${block} is not a CIDR block`);
  return toSpan(range);
}

function toSpan({ address, bits, width }: Range): Span {
  const free = BigInt(width - bits);
  const first = (address >> free) << free;
  return { first, last: first + (1n << free) - 1n };
}

/** Spans that overlap or touch as one. */
function join(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const span of spans.toSorted((a, b) => (a.first < b.first ? -1 : 1))) {
    const before = joined.at(-1);
    if (!before || span.first > before.last + 1n) joined.push(span);
    else if (span.last > before.last) joined[joined.length - 1] = { ...before, last: span.last };
  }
  return joined;
}

/** How many hosts of the internet each of the joined ranges contains. */
function hostsIn(ranges: readonly Range[], width: Range['width']): bigint[] {
  const joined = join(ranges.filter((range) => range.width === width).map(toSpan));
  return joined.map(({ first, last }) =>
    sum(
      families[width].hosts.map((hosts) => {
        const from = first > hosts.first ? first : hosts.first;
        const to = last < hosts.last ? last : hosts.last;
        return to < from ? 0n : to - from + 1n;
      }),
    ),
  );
}

/** IPv6 that stands for IPv4 in its last 32 bits: mapped addresses (RFC 4291) and NAT64 (RFC 6052). */
const standIns = ['::ffff:0:0/96', '64:ff9b::/96'].map(spanOf);

/** The IPv4 addresses that a range stands for, beside what it is. */
function meant(range: Range): Range[] {
  if (range.width === 32) return [];
  const { first, last } = toSpan(range);
  return standIns
    .filter((all) => first <= all.last && last >= all.first)
    .map((): Range => ({
      address: range.bits < 96 ? 0n : range.address & 0xffffffffn,
      bits: Math.max(0, range.bits - 96),
      width: 32,
    }));
}

const widths = [32, 128] as const;

/** What is known of a list of ranges, and why the others are not. */
function readRanges(name: string, given: unknown): { ranges: Range[]; open?: Failure } | Failure {
  if (!Array.isArray(given)) return mismatch(name, given);
  const ranges: Range[] = [];
  let open: Failure | undefined;
  for (const text of given as unknown[]) {
    spend(prices.network + (typeof text === 'string' ? Math.min(text.length, longestRange) : 0));
    const range = typeof text === 'string' ? parseRange(text) : undefined;
    if (range) ranges.push(range, ...meant(range));
    else open ??= typeof text === 'string' ? notRange() : mismatch(name, text);
  }
  return { ranges, ...defined({ open }) };
}

/**
 * Whether ranges of one width are more than one organization owns: one of them that is wider, wherever it begins; those that
 * touch, as halves are the whole; and all of IPv4 together, of which there are few.
 */
function isWide(ranges: readonly Range[], width: Range['width']): boolean {
  const { widest } = families[width];
  if (ranges.some((one) => one.bits < widest && sum(hostsIn([one], width)) > 0n)) return true;
  const most = 1n << BigInt(width - widest);
  const sizes = hostsIn(ranges, width);
  return width === 32 ? sum(sizes) > most : sizes.some((size) => size > most);
}

/**
 * `is_internet(cidrs)`: whether a list of addresses and ranges lets in the internet: more than a /8 of IPv4 or a /32 of IPv6, as in
 * "The meaning of 'public'" of the Amazon S3 User Guide.
 */
export function isInternet(cidrs: unknown): boolean | Failure {
  const read = readRanges('is_internet', cidrs);
  if (read instanceof Failure) return read;
  return widths.some((width) => isWide(read.ranges, width)) || (read.open ?? false);
}

/** `is_private(cidrs)`: whether none of a list of addresses and ranges contains an address of the internet. */
export function isPrivate(cidrs: unknown): boolean | Failure {
  const read = readRanges('is_private', cidrs);
  if (read instanceof Failure) return read;
  const isPublic = widths.some((width) => sum(hostsIn(read.ranges, width)) > 0n);
  return !isPublic && (read.open ?? true);
}
