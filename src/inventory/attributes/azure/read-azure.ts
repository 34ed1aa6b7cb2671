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

/** The blocks that a range of IPv4 addresses is made of; what is no range is no block. */
export function rangeCidrs(start: unknown, end: unknown): unknown[] {
  if (isUnknown(start)) return [start];
  if (isUnknown(end)) return [end];
  let first = addressNumber(start);
  const last = addressNumber(end ?? start);
  const blocks: string[] = [];
  while (first !== undefined && last !== undefined && first <= last) {
    let size = 2 ** 32;
    while (first % size !== 0 || first + size - 1 > last) size /= 2;
    blocks.push(`${addressText(first)}/${32 - Math.log2(size)}`);
    first += size;
  }
  return blocks;
}

function addressNumber(value: unknown): number | undefined {
  const parts = typeof value === 'string' ? value.trim().split('.').map(Number) : [];
  const fits =
    parts.length === 4 && parts.every((one) => Number.isInteger(one) && one >= 0 && one < 256);
  return fits ? parts.reduce((number, one) => number * 256 + one, 0) : undefined;
}

const addressText = (number: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');

export const itemsOrOne = (value: unknown): unknown[] => {
  const items = list(value);
  return isUnknown(items) ? [items] : items;
};
