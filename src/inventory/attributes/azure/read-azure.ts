import { UnknownValue } from '../../../contract/resources.ts';
import type { RawResource } from '../../model.ts';
import type { Related } from '../related.ts';
import { atAnyCase, eitherWord, isOneOf, isUnknown, list, mapList, text } from '../values.ts';
import { tlsVersion } from '../tls-version.ts';
import type { Maybe } from '../values.ts';

/** A value by the path of its names. Azure takes the names of a template in any case. */
export const at = atAnyCase;

/** Sources that stand for the whole internet. */
export const everywhere = ['0.0.0.0/0', '::/0'];

/** `Enabled` or `Disabled`, as of publicNetworkAccess: with `SecuredByPerimeter`, another resource decides. */
export const isEnabled = (value: unknown): Maybe<boolean> =>
  eitherWord(value, ['Enabled'], ['Disabled']);

/** The resource that this one is part of, as the reader found it; a constant function, as an index is kept for it. */
export const parentOf = (part: RawResource): unknown => part.source['parent'];

/** The parts of a resource, of a type. */
export const partsOf = (raw: RawResource, related: Related, type: string) =>
  related.referring(raw, type, parentOf);

/**
 * Whether a list of resources shows this one, as Resource Manager and Resource Graph give them. A list shows what it was
 * asked for; parts of a resource often are not in it.
 */
export const isListed = ({ source }: RawResource): boolean =>
  source['format'] === 'azure' && source['deployment_scope'] === undefined;

/** The parts of a resource, of several types; unknown where a list has none of these types at all. */
export function partsIfTold(
  raw: RawResource,
  related: Related,
  ...types: readonly string[]
): readonly RawResource[] | UnknownValue {
  return isListed(raw) && types.every((type) => related.ofType(type).length === 0)
    ? new UnknownValue(`${types.join(' and ')}, which the resource list does not contain`)
    : types.flatMap((type) => partsOf(raw, related, type));
}

/** The minimum version; without one any version is taken. */
export const minimumTls = (value: unknown): Maybe<string> =>
  isOneOf(value, 'None', 'Disabled', 'TLSEnforcementDisabled') === true ? '1.0' : tlsVersion(value);

/** Addresses that a firewall lets in: with the default action Deny those of its rules, else all. */
export function allowedCidrs(defaultAction: unknown, rules: unknown) {
  const denied = isOneOf(defaultAction, 'Deny');
  if (isUnknown(denied)) return denied;
  return denied ? cidrs(rules) : undefined;
}

export const cidrs = (rules: unknown) => mapList(rules, asCidr);

/** A single IPv4 address is a block of one. */
function asCidr(value: unknown) {
  const written = text(value);
  if (written === undefined || isUnknown(written)) return written;
  const address = written.trim();
  return /^\d{1,3}(?:\.\d{1,3}){3}$/.test(address) ? `${address}/32` : address;
}

/** The blocks that a range of addresses is made of; what is no range is no block. */
export function rangeCidrs(start: unknown, end: unknown): unknown[] {
  if (isUnknown(start)) return [start];
  if (isUnknown(end)) return [end];
  const from = readAddress(start);
  const to = readAddress(end ?? start);
  const blocks: string[] = [];
  if (!from || from.bits !== to?.bits) return blocks;
  const { bits } = from;
  let first = from.number;
  while (first <= to.number) {
    let free = bits; // the bits that differ within a block
    while (first % (1n << free) !== 0n || first + (1n << free) - 1n > to.number) free--;
    blocks.push(`${addressText(first, bits)}/${bits - free}`);
    first += 1n << free;
  }
  return blocks;
}

interface Address {
  readonly number: bigint;
  readonly bits: bigint;
}

function readAddress(value: unknown): Address | undefined {
  const written = typeof value === 'string' ? value.trim() : '';
  const parts = written.split('.').map(Number);
  if (parts.length === 4 && parts.every((one) => Number.isInteger(one) && one >= 0 && one < 256))
    return { number: numberOf(parts, 8n), bits: 32n };
  const url = `http://[${written}]`;
  if (!/^[\da-f:.]+$/i.test(written) || !URL.canParse(url)) return undefined;
  // As a host, an address is in its shortest form, without dots.
  const [before = [], after = []] = new URL(url).hostname.slice(1, -1).split('::').map(groupsOf);
  const zeros = Array<number>(8 - before.length - after.length).fill(0);
  return { number: numberOf([...before, ...zeros, ...after], 16n), bits: 128n };
}

const groupsOf = (text: string): number[] =>
  text === '' ? [] : text.split(':').map((group) => parseInt(group, 16));

const numberOf = (parts: readonly number[], bits: bigint): bigint =>
  parts.reduce((number, one) => (number << bits) + BigInt(one), 0n);

function addressText(number: bigint, bits: bigint): string {
  const parts = bits === 32n ? { count: 4, size: 8n } : { count: 8, size: 16n };
  const values = Array.from(
    { length: parts.count },
    (_, index) => (number >> (parts.size * BigInt(parts.count - 1 - index))) % (1n << parts.size),
  );
  return bits === 32n
    ? values.join('.')
    : new URL(`http://[${values.map((one) => one.toString(16)).join(':')}]`).hostname.slice(1, -1);
}

export const itemsOrOne = (value: unknown): unknown[] => {
  const items = list(value);
  return isUnknown(items) ? [items] : items;
};
