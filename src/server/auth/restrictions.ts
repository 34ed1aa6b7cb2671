import { BlockList, isIP } from 'node:net';
import { GovctlError } from '../../contract/errors.ts';
import { canonicalAddress } from '../http/address.ts';
import type { StoredApiKey } from './collection.ts';

/** Where requests may come from, for keys that say so. */
export interface Restrictions {
  /** @throws GovctlError address_not_allowed or country_not_allowed, with the address that was seen */
  check(key: StoredApiKey, address: string | undefined): void;
}

/** The country of an address; undefined: it is not known. */
export type CountryOf = (address: string) => string | undefined;

/** The families apart: `::/0` is all of IPv6, and no address of IPv4. */
interface Ranges {
  readonly ipv4: BlockList;
  readonly ipv6: BlockList;
}

/** @param countryOf absent: the server has no database of countries */
export function createRestrictions(countryOf: CountryOf | undefined): Restrictions {
  /** By a key's own list: another list is another object. */
  const parsed = new WeakMap<readonly string[], Ranges>();
  const rangesOf = (list: readonly string[]): Ranges => {
    let ranges = parsed.get(list);
    if (!ranges) parsed.set(list, (ranges = parse(list)));
    return ranges;
  };
  return {
    check({ ip_allow_list: list, countries }, address) {
      if (list && !isWithin(rangesOf(list), address)) {
        throw new GovctlError(
          'address_not_allowed',
          `This API key cannot be used from ${seen(address)}, the address of this request`,
          {
            hint: 'Add the address with `govctl api-key update`. If the address is that of your proxy, list it in trusted_proxies of the --config file.',
          },
        );
      }
      if (!countries) return;
      const country = address === undefined ? undefined : countryOf?.(address);
      if (country !== undefined && countries.includes(country)) return;
      const where = country ?? (countryOf ? 'an unknown country' : 'an unknown country: the server has no country_database'); // prettier-ignore
      throw new GovctlError(
        'country_not_allowed',
        `This API key cannot be used from ${seen(address)}, the address of this request (${where})`,
      );
    },
  };
}

/** What a proxy says in place of an address may be anything. */
const seen = (address: string | undefined): string =>
  address?.slice(0, 100) ?? 'an unknown address';

function parse(list: readonly string[]): Ranges {
  const ranges = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const cidr of list) {
    const [written = '', digits = ''] = cidr.split('/');
    const address = canonicalAddress(written);
    const isMapped = isIP(address) !== isIP(written);
    const bits = Number(digits) - (isMapped ? 96 : 0);
    // What begins with more than addresses of IPv4 is for none of them.
    if (bits < 0) continue;
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    ranges[family].addSubnet(address, bits, family);
  }
  return ranges;
}

function isWithin(ranges: Ranges, address: string | undefined): boolean {
  const canonical = address === undefined ? '' : canonicalAddress(address);
  if (isIP(canonical) === 0) return false;
  const family = isIP(canonical) === 6 ? 'ipv6' : 'ipv4';
  return ranges[family].check(canonical, family);
}
