import { isIP } from 'node:net';
import type { LookupAddress } from 'node:dns';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRanges } from '../../../src/server/http/address.ts';
import { kindOf, refusedKind } from '../../../src/server/outbound/address.ts';
import { guardedLookup, targetFault } from '../../../src/server/outbound/target.ts';
import type { Resolve } from '../../../src/server/outbound/resolve.ts';
import type { Targets } from '../../../src/server/outbound/target.ts';

const noHost: Resolve = () => Promise.reject(new Error('ENOTFOUND'));

const targets = ({
  local = false,
  allow = [],
  resolve = noHost,
}: {
  local?: boolean;
  allow?: string[];
  resolve?: Resolve;
} = {}): Targets => ({ rules: { local, allowed: parseRanges(allow) }, resolve });

const resolveTo =
  (...addresses: string[]): Resolve =>
  () =>
    Promise.resolve(addresses.map((address) => ({ address, family: isIP(address) })));

describe('an address', () => {
  it.each([
    ['metadata', '169.254.169.254 168.63.129.16 100.100.100.200 fd00:ec2::254'],
    ['unspecified', '0.0.0.0 0.1.2.3 ::'],
    ['loopback', '127.0.0.1 127.255.255.254 ::1 0:0:0:0:0:0:0:1'],
    ['private', '10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 fc00::1 fdff::1 fec0::1'],
    ['link-local', '169.254.0.1 fe80::1 fe80::1%eth0 febf::1'],
    ['shared', '100.64.0.1 100.127.255.255'],
    ['documentation', '192.0.2.1 198.51.100.7 203.0.113.9 2001:db8::1 3fff::1'],
    ['multicast', '224.0.0.1 239.255.255.255 ff02::1'],
    ['tunnel', '192.88.99.1 2002:7f00:1:: 2001:0:1::1 64:ff9b:1::a00:1 ::7f00:1 ::8.8.8.8'],
    ['tunnel', '::ffff:0:7f00:1 ::ffff:5'],
    ['reserved', '192.0.0.192 198.18.0.1 240.0.0.1 255.255.255.255 2001:2::1 100::1 4000::1'],
    ['reserved', '64:ff9b:2::1 5f00::1 e000::1'],
    ['loopback', '::ffff:127.0.0.1 ::ffff:7f00:1 ::FFFF:7F00:0001 64:ff9b::127.0.0.1'],
    ['metadata', '::ffff:169.254.169.254 64:ff9b::a9fe:a9fe'],
    ['unspecified', '64:ff9b:: 64:ff9b::5 ::ffff:0.0.0.5'],
    ['private', '::ffff:10.0.0.0 64:ff9b::10.1.2.3'],
    [undefined, '1.1.1.1 8.8.8.8 172.15.255.255 172.32.0.1 100.63.0.1 100.128.0.1 169.253.0.1'],
    [undefined, '126.255.255.255 128.0.0.1 192.0.1.1 223.255.255.255 11.0.0.0 192.167.0.1'],
    [undefined, '2606:4700::1111 2a00::1 2400:cb00::1 ::ffff:8.8.8.8 64:ff9b::8.8.8.8'],
  ])('is %s: %s', (kind, addresses) => {
    expect(addresses.split(' ').map((address) => [address, kindOf(address)])).toEqual(
      addresses.split(' ').map((address) => [address, kind]),
    );
  });

  const byte = fc.integer({ min: 0, max: 255 });
  const v4 = fc.tuple(byte, byte, byte, byte);
  /** Those that nobody should reach, as often as all the others. */
  const anyV4 = fc.oneof(
    v4,
    v4.map(([, ...rest]) => [10, ...rest]),
    v4.map(([, ...rest]) => [127, ...rest]),
    v4.map(([, , ...rest]) => [192, 168, ...rest]),
    v4.map(([, , ...rest]) => [169, 254, ...rest]),
  );
  const hex = ([a = 0, b = 0, c = 0, d = 0]: readonly number[]): string =>
    `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;

  it('is judged alike in each form that means it', () => {
    fc.assert(
      fc.property(anyV4, (bytes) => {
        const dotted = bytes.join('.');
        const forms = [
          `::ffff:${dotted}`,
          `::ffff:${hex(bytes)}`,
          `0:0:0:0:0:FFFF:${hex(bytes)}`,
          `64:ff9b::${dotted}`,
          `64:ff9b:0:0:0:0:${hex(bytes)}`,
        ];
        expect(forms.map(kindOf)).toEqual(forms.map(() => kindOf(dotted)));
        for (const hidden of [`2002:${hex(bytes)}::1`, `::${hex(bytes)}`, `2001::${hex(bytes)}`]) {
          expect(kindOf(hidden)).toBeDefined();
        }
      }),
    );
  });

  it('of a private range is refused in a url however it is written', async () => {
    const isPublic = ([a = 0, b = 0, c = 0, d = 0]: readonly number[]): boolean =>
      kindOf([a, b, c, d].join('.')) === undefined;
    await fc.assert(
      fc.asyncProperty(anyV4, async (bytes) => {
        const [a = 0, b = 0, c = 0, d = 0] = bytes;
        const number = ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
        const odd = [
          String(number),
          `0x${number.toString(16)}`,
          `0${number.toString(8)}`,
          `0x${a.toString(16)}.${b}.${c}.${d}`,
          `0${a.toString(8)}.${b}.${c}.${d}`,
          `${a}.${b}.${(c << 8) | d}`,
          `${a}.${b}.${c}.${d}.`,
          `%3${String(a)[0]}${String(a).slice(1)}.${b}.${c}.${d}`,
          `${a}。${b}。${c}。${d}`,
        ].filter((form) => form !== bytes.join('.'));
        for (const form of odd) {
          expect(await targetFault(`https://${form}/x`, targets()), form).toMatch(
            /^must contain the/,
          );
        }
        const plain = await targetFault(`https://${bytes.join('.')}/x`, targets());
        expect(plain === undefined).toBe(isPublic(bytes));
        const mapped = await targetFault(`https://[::ffff:${hex(bytes)}]:8443/`, targets());
        expect(mapped === undefined).toBe(isPublic(bytes));
      }),
    );
  });

  it.each([
    ['10.0.0.0/8', '10.1.2.3 ::ffff:10.1.2.3 64:ff9b::a01:203', '11.0.0.1 192.168.0.1 fd00::1'],
    ['fd00::/8', 'fd12::1', 'fc00::1 10.0.0.1 fe80::1'],
    ['169.254.169.254/32', '169.254.169.254', '169.254.169.253'],
    ['2002:a00::/24', '2002:a00:1::', '2002:b00:1:: 10.0.0.1'],
  ])('is a target where %s is allowed: %s, but not %s', (range, yes, no) => {
    const { rules } = targets({ allow: [range] });
    for (const address of yes.split(' ')) expect(refusedKind(address, rules)).toBeUndefined();
    for (const address of no.split(' ')) {
      if (kindOf(address)) expect(refusedKind(address, rules)).toBeDefined();
    }
  });
});

describe('a url', () => {
  it.each([
    ['https://hooks.example.com/a?b=c', undefined],
    ['https://hooks.example.com:8443', undefined],
    ['HTTPS://Hooks.Example.com./', undefined],
    ['https://bücher.example/', undefined],
    ['https://8.8.8.8/', undefined],
    ['https://[2606:4700::1111]/', undefined],
    ['http://hooks.example.com/', 'must be an https:// URL'],
    ['ftp://hooks.example.com/', 'must be an https:// URL'],
    ['hooks.example.com', 'must be an https:// URL'],
    ['https:hooks.example.com', 'must be an https:// URL'],
    ['https://', 'must contain a host'],
    ['https:///hooks.example.com/', 'must contain a host'],
    ['https://me:secret@hooks.example.com/', 'must not contain a user name'],
    ['https://@hooks.example.com/', 'must not contain a user name'],
    ['https://hooks.example.com/#top', 'must not contain a fragment'],
    ['https://hooks.example.com/#', 'must not contain a fragment'],
    ['https://hooks.example.com:0/', 'must not use port 0'],
    ['https://hooks.example.com:99999/', 'is not a valid URL'],
    ['https://[::1', 'is not a valid URL'],
    ['https://[fe80::1%25eth0]/', 'is not a valid URL'],
    ['https://300.1.1.1/', 'is not a valid URL'],
    ['https://a b/', 'must not contain spaces'],
    [' https://hooks.example.com/', 'must not contain spaces'],
    ['https://hooks.exa\tmple.com/', 'must not contain spaces'],
    ['https://hooks.example.com/\r\nX-Evil: 1', 'must not contain spaces'],
    [
      'https://hooks.example.com\\@10.0.0.1/',
      'must not contain spaces, control characters or backs',
    ],
    ['https://localhost/', 'must not be this machine'],
    ['https://LOCALHOST./', 'must not be this machine'],
    ['https://a.b.localhost/', 'must not be this machine'],
    ['https://%6cocalhost/', 'must not be this machine'],
    ['https://ｌocalhost/', 'must not be this machine'],
    ['https://localhost.example.com/', undefined],
    ['https://notlocalhost/', undefined],
    ['https://127.0.0.1/', 'must not be an address that is not public (loopback)'],
    ['https://[::1]/', 'must not be an address that is not public (loopback)'],
    ['https://0/', 'must contain the IPv4 address as four decimal numbers'],
    ['https://127.1:443/', 'must contain the IPv4 address as four decimal numbers'],
    ['https://169.254.169.254/latest/', 'must not be an address that is not public (metadata)'],
  ])('%j may be a target of a server for others: %s', async (url, fault) => {
    const found = await targetFault(url, targets());
    if (fault === undefined) expect(found).toBeUndefined();
    else expect(found?.startsWith(fault), found).toBe(true);
  });

  it.each([
    ['http://127.0.0.1:3000/hook', undefined],
    ['http://127.8.9.10/', undefined],
    ['http://localhost:3000/', undefined],
    ['http://app.localhost./', undefined],
    ['http://[::1]:3000/', undefined],
    ['http://[::ffff:127.0.0.1]:3000/', undefined],
    ['https://127.0.0.1/', undefined],
    ['http://hooks.example.com/', 'must be an https://'],
    ['http://8.8.8.8/', 'must be an https://'],
    ['http://0.0.0.0/', 'must not be an address'],
    ['http://2130706433/', 'must contain the IPv4'],
    ['http://10.0.0.1/', 'must not be an address'],
    ['https://10.0.0.1/', 'must not be an address'],
  ])('%j may be a target of a local server: %s', async (url, fault) => {
    const found = await targetFault(url, targets({ local: true }));
    if (fault === undefined) expect(found).toBeUndefined();
    else expect(found?.startsWith(fault), found).toBe(true);
  });

  it('of a range that is allowed still takes https', async () => {
    const allowing = targets({ allow: ['10.0.0.0/8', '127.0.0.0/8'] });
    expect(await targetFault('https://10.0.0.1/', allowing)).toBeUndefined();
    expect(await targetFault('https://localhost/', allowing)).toBeUndefined();
    expect(await targetFault('http://10.0.0.1/', allowing)).toMatch(/^must be an https/);
    expect(await targetFault('http://127.0.0.1/', allowing)).toMatch(/^must be an https/);
  });

  it('is never told back with what is secret in it', async () => {
    const found = await targetFault('https://me:hunter2@hooks.example.com/', targets());
    expect(found).not.toContain('hunter2');
  });

  it('whose host has one address that is not public is refused, without a word of which', async () => {
    const mixed = targets({ resolve: resolveTo('8.8.8.8', '10.0.0.5') });
    const found = await targetFault('https://hooks.example.com/', mixed);
    expect(found).toMatch(/^must not be a host with an address that is not public/);
    expect(found).not.toMatch(/10\.|private/);
    const allowing = targets({ resolve: resolveTo('8.8.8.8', '10.0.0.5'), allow: ['10.0.0.0/8'] });
    expect(await targetFault('https://hooks.example.com/', allowing)).toBeUndefined();
  });

  it('whose host is not found, or not in time, may be one later', async () => {
    expect(await targetFault('https://hooks.example.com/', targets())).toBeUndefined();
    const never = targets({ resolve: () => new Promise(() => {}) });
    expect(await targetFault('https://hooks.example.com/', never, 10)).toBeUndefined();
  });
});

describe('a connection', () => {
  const lookUp = (host: string, given: Targets, all: boolean) =>
    new Promise<string | LookupAddress[]>((resolve, reject) => {
      guardedLookup(given)(host, { all }, (error, found) =>
        error ? reject(error) : resolve(found),
      );
    });

  it('goes to the very addresses that were judged', async () => {
    const good = targets({ resolve: resolveTo('8.8.8.8', '2606:4700::1111') });
    expect(await lookUp('hooks.example.com', good, false)).toBe('8.8.8.8');
    expect(await lookUp('hooks.example.com', good, true)).toEqual([
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ]);
  });

  it('is not made once a name server answers with another address', async () => {
    const answers = ['8.8.8.8', '127.0.0.1'];
    const rebinding = targets({ resolve: () => resolveTo(answers.shift() ?? '')('') });
    expect(await targetFault('https://rebind.example/', rebinding)).toBeUndefined();
    await expect(lookUp('rebind.example', rebinding, true)).rejects.toThrow('not allowed');
  });

  it.each([[['10.0.0.1']], [['8.8.8.8', '::ffff:10.0.0.1']], [['fe80::1%eth0']], [[]]])(
    'is not made to a host with %j',
    async (addresses) => {
      const given = targets({ resolve: resolveTo(...addresses) });
      await expect(lookUp('hooks.example.com', given, true)).rejects.toThrow('not allowed');
    },
  );

  it('to a name of this machine stays on it, whatever a name server says', async () => {
    const lying = targets({ local: true, resolve: resolveTo('8.8.8.8') });
    for (const host of ['localhost', 'app.localhost', 'localhost.']) {
      expect(await lookUp(host, lying, true)).toEqual([
        { address: '127.0.0.1', family: 4 },
        { address: '::1', family: 6 },
      ]);
    }
    await expect(lookUp('localhost', targets(), true)).rejects.toThrow('not allowed');
  });
});
