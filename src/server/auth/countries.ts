import { unwatchFile, watchFile } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';
import { Reader } from 'mmdb-lib';
import * as z from 'zod';
import { GovctlError } from '../../contract/errors.ts';
import type { Log } from '../deps.ts';
import { canonicalAddress } from '../http/address.ts';
import type { CountryOf } from './restrictions.ts';

/** A database of countries, as it is in its file. */
export interface Countries {
  readonly countryOf: CountryOf;
  /** Takes the file as it is now. Where it is broken, the log says so, and the former one stays. */
  reload(): Promise<void>;
  /** Watches the file no longer. */
  close(): void;
}

/** Bytes; those with cities have 100 MB. */
const longestFile = 1 << 30;

/** Milliseconds. By its times, as it may be renamed into place, also on another machine. */
const lookEvery = 5_000;

/** MaxMind's own have the first, others often the second. */
const Found = z.looseObject({
  country: z.looseObject({ iso_code: z.string().optional() }).optional(),
  country_code: z.string().optional(),
});

/**
 * Reads it, and again whenever the file has changed.
 * @param file in MaxMind's format
 * @param interval milliseconds between two looks at the file; for tests
 * @throws GovctlError invalid_file, which names it
 */
export async function openCountries(
  file: string,
  log: Pick<Log, 'info' | 'error'>,
  interval = lookEvery,
): Promise<Countries> {
  let current = await read(file);
  const reload = async (): Promise<void> => {
    try {
      current = await read(file);
      log.info({ file }, 'country_database was replaced');
    } catch (error) {
      const reason = (error as Error).message;
      log.error(
        { file, reason },
        'country_database cannot be read; the previous database stays in use',
      );
    }
  };
  const look = (): void => void reload();
  watchFile(file, { interval, persistent: false }, look);
  return {
    countryOf: (address) => current(address),
    reload,
    close: () => unwatchFile(file, look),
  };
}

async function read(file: string): Promise<CountryOf> {
  try {
    if ((await stat(file)).size > longestFile) throw new Error('the file is larger than 1 GiB');
    const countryOf = reading(new Reader(await readFile(file)));
    check(countryOf);
    return (address) => {
      try {
        return countryOf(address);
      } catch {
        // A part of it is broken: as good as not there.
        return undefined;
      }
    };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new GovctlError(
      'invalid_file',
      `The country_database ${file} could not be read: ${why}`,
      {
        cause,
        hint: 'Use a complete country database in the MaxMind DB format (.mmdb). To replace it, write a new file and rename it.',
      },
    );
  }
}

const reading =
  (database: Reader<never>): CountryOf =>
  (given) => {
    const address = canonicalAddress(given);
    // A tree of IPv4 would be walked by the first half of any other address.
    if (isIP(address) === 0 || (isIP(address) === 6 && database.metadata.ipVersion === 4)) {
      return undefined;
    }
    const found = Found.safeParse(database.get(address)).data;
    return found?.country?.iso_code ?? found?.country_code;
  };

/** Throws where addresses here and there can't be looked up, or none of them has a country. */
function check(countryOf: CountryOf): void {
  let known = 0;
  for (let n = 0; n < 256; n++) {
    const hex = n.toString(16).padStart(2, '0');
    const addresses = [`${n}.1.1.1`, `${n}.200.7.9`, `2001:${hex}0::1`, `2a${hex}:db8::1`];
    for (const address of addresses) if (countryOf(address) !== undefined) known += 1;
  }
  if (known === 0) {
    throw new Error(
      'the file contains no countries: no address has a country.iso_code or country_code',
    );
  }
}
