import { copyFile, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCountries } from '../../../src/server/auth/countries.ts';
import type { Countries } from '../../../src/server/auth/countries.ts';
import { until } from '../../support/until.ts';

const folder = path.dirname(
  createRequire(import.meta.url).resolve('@ip-location-db/geo-whois-asn-country-mmdb/package.json'),
);
const both = path.join(folder, 'geo-whois-asn-country.mmdb');
const ipv4 = path.join(folder, 'geo-whois-asn-country-ipv4.mmdb');

let own: string;
let file: string;
let opened: Countries | undefined;
let lines: { level: string; fields: Readonly<Record<string, unknown>> }[];
const log = {
  info: (fields: Readonly<Record<string, unknown>>) => void lines.push({ level: 'info', fields }),
  error: (fields: Readonly<Record<string, unknown>>) => void lines.push({ level: 'error', fields }),
};
const open = async (interval?: number): Promise<Countries> =>
  (opened = await openCountries(file, log, interval));

beforeEach(async () => {
  own = await mkdtemp(path.join(tmpdir(), 'govctl-countries-'));
  file = path.join(own, 'countries.mmdb');
  lines = [];
});
afterEach(async () => {
  opened?.close();
  opened = undefined;
  await rm(own, { recursive: true });
});

describe('a database of countries', () => {
  it('knows the countries of public addresses of both families, and of no others', async () => {
    await copyFile(both, file);
    const { countryOf } = await open();
    expect(['8.8.8.8', '::ffff:8.8.8.8', '2001:4860:4860::8888', '193.0.6.139'].map(countryOf)).toEqual(['US', 'US', 'US', 'NL']); // prettier-ignore
    for (const unknown of ['10.0.0.1', '127.0.0.1', '::1', 'fe80::1%eth0', 'unknown', '']) {
      expect(countryOf(unknown)).toBeUndefined();
    }
  });

  it('of IPv4 alone knows nothing of an address of IPv6 that begins like one of its own', async () => {
    await copyFile(ipv4, file);
    const { countryOf } = await open();
    expect([countryOf('8.8.8.8'), countryOf('2001:4860:4860::8888')]).toEqual(['US', undefined]);
  });

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ['empty', () => Buffer.of()],
    ['of something else', () => Buffer.from('countries: none\n')],
    ['cut', (bytes) => bytes.subarray(0, bytes.length / 2)],
    ['cut at its very end', (bytes) => bytes.subarray(0, -10)],
    [
      'without its middle',
      (bytes) => Buffer.concat([bytes.subarray(0, 500_000), bytes.subarray(-2_000)]),
    ],
    [
      'with a tree of zeros',
      (bytes) => Buffer.concat([Buffer.alloc(bytes.length - 5_000), bytes.subarray(-5_000)]),
    ],
  ])('that is %s is refused, naming the file', async (_, spoil) => {
    await writeFile(file, spoil(await readFile(both)));
    await expect(open()).rejects.toMatchObject({
      error: 'invalid_file',
      message: expect.stringContaining(file) as string,
    });
  });

  it('with wrong bytes anywhere is refused, or knows no country of some addresses: no lookup fails', async () => {
    const whole = await readFile(ipv4);
    const place = fc.tuple(fc.nat({ max: whole.length - 1 }), fc.uint8Array({ minLength: 1, maxLength: 300 })); // prettier-ignore
    const inTree = fc.array(place, { minLength: 1, maxLength: 20 });
    // Where the countries are, behind the tree.
    const inData = inTree.map((places) =>
      places.map(([at, bytes]) => [whole.length - 1 - (at % 4_000), bytes] as const),
    );
    let opens = 0;
    await fc.assert(
      fc.asyncProperty(fc.oneof(inTree, inData), async (places) => {
        const broken = Buffer.from(whole);
        for (const [at, bytes] of places) broken.set(bytes.subarray(0, broken.length - at), at);
        await writeFile(file, broken);
        const { countryOf, close } = await open().catch((error: unknown) => {
          expect(error).toMatchObject({ error: 'invalid_file' });
          return { countryOf: () => undefined, close: () => undefined };
        });
        if (opened) opens += 1;
        opened = undefined;
        for (let n = 0; n < 2_000; n++) {
          const country: unknown = countryOf(`${n % 256}.${(n * 7) % 256}.${(n * 13) % 256}.1`);
          expect(['string', 'undefined']).toContain(typeof country);
        }
        close();
      }),
      { numRuns: 40 },
    );
    expect(opens).toBeGreaterThan(0);
  });

  it('that is missing is refused, naming the file', async () => {
    await expect(open()).rejects.toThrow(file);
  });

  it('is read again when it was replaced; a broken one is named in the log, and the former stays', async () => {
    await copyFile(ipv4, file);
    const { countryOf } = await open(20);
    expect(countryOf('2001:4860:4860::8888')).toBeUndefined();
    await writeFile(`${file}.new`, (await readFile(both)).subarray(0, 100_000));
    await rename(`${file}.new`, file);
    await until(() => lines.length > 0);
    expect(lines).toEqual([
      { level: 'error', fields: expect.objectContaining({ file }) as object },
    ]);
    expect(countryOf('8.8.8.8')).toBe('US');
    await copyFile(both, `${file}.new`);
    await rename(`${file}.new`, file);
    await until(() => countryOf('2001:4860:4860::8888') === 'US');
    expect(lines.at(-1)).toEqual({ level: 'info', fields: { file } });
    await rm(file);
    await opened?.reload();
    expect(countryOf('8.8.8.8')).toBe('US');
  });
});
