import { describe, expect, test } from 'vitest';
import {
  canonicalHost,
  isBoundTo,
  isBoundToBucket,
  placeOfUrl,
  showPlace,
} from '../../../src/server/config/binding.ts';

describe('a host', () => {
  test.each([
    ['Files.Example.COM', 'files.example.com'],
    ['files.example.com.', 'files.example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['XN--Bcher-Kva.example', 'xn--bcher-kva.example'],
    ['[2001:DB8:0::1]', '2001:db8::1'],
    ['::ffff:10.0.0.1', '::ffff:a00:1'],
    ['0x7f.1', '127.0.0.1'],
    ['10.0.0.1', '10.0.0.1'],
    ['a_b.example', 'a_b.example'],
  ])('%s is %s', (text, canonical) => expect(canonicalHost(text)).toBe(canonical));

  test.each([
    '',
    '.',
    '*',
    'a b',
    'a/../b',
    'a@b',
    'a:22',
    'a#b',
    'a?b',
    'a\\b',
    'a%2eb',
    'a\u0000b',
    '[::1',
    'fe80::1%eth0',
    'a,b',
    'https://a',
  ])('%j is none', (text) => expect(canonicalHost(text)).toBeUndefined());
});

const ssh = (host: string, port = 22) => ({ host, port, defaultPort: 22 });

describe('a secret', () => {
  test.each([
    ['files.example.com', ssh('files.example.com'), true],
    ['Files.example.com.', ssh('files.example.com'), true],
    ['files.example.com', ssh('files.example.com', 2222), false],
    ['files.example.com:2222', ssh('files.example.com', 2222), true],
    ['files.example.com:2222', ssh('files.example.com'), false],
    ['files.example.com', ssh('evil.files.example.com'), false],
    ['files.example.com', ssh('files.example.com.evil.example'), false],
    ['*.example.com', ssh('files.example.com'), true],
    ['*.example.com', ssh('a.b.example.com'), true],
    ['*.example.com', ssh('example.com'), false],
    ['*.example.com', ssh('evilexample.com'), false],
    ['*.example.com:2222', ssh('a.example.com', 2222), true],
    ['*.example.com:2222', ssh('a.example.com'), false],
    ['bücher.example', ssh('xn--bcher-kva.example'), true],
    ['2001:db8:0::1', ssh('2001:db8::1'), true],
    ['[2001:db8::1]:2222', ssh('2001:db8::1', 2222), true],
    ['10.0.0.1', ssh('10.0.0.10'), false],
  ])('bound to %s goes to %j: %s', (entry, place, expected) => {
    expect(isBoundTo({ hosts: [entry] }, place)).toBe(expected);
  });

  test('bound to nothing goes nowhere', () => {
    expect(isBoundTo({ hosts: [] }, ssh('a.example'))).toBe(false);
    expect(isBoundToBucket({ buckets: [] }, 'reports')).toBe(false);
  });

  test('is bound to buckets by their whole name, or by its beginning', () => {
    const buckets = ['reports', 'audit-*'];
    const bound = ['reports', 'reports2', 'my-reports', 'audit-', 'audit-eu', 'audit'].filter(
      (bucket) => isBoundToBucket({ buckets }, bucket),
    );
    expect(bound).toEqual(['reports', 'audit-', 'audit-eu']);
  });
});

test.each([
  ['https://a.example/x', { host: 'a.example', port: 443, defaultPort: 443 }],
  ['https://A.example.:8443', { host: 'a.example', port: 8443, defaultPort: 443 }],
  ['http://[::1]:9/', { host: '::1', port: 9, defaultPort: 80 }],
  ['https://good.example\\@evil.example/', { host: 'good.example', port: 443, defaultPort: 443 }],
  ['https://good.example@evil.example/', { host: 'evil.example', port: 443, defaultPort: 443 }],
  ['ftp://a.example/', undefined],
  ['a secret that is no URL', undefined],
])('a request to %s goes to %j', (url, place) => expect(placeOfUrl(url)).toEqual(place));

test('a place is shown as the configuration takes it', () => {
  expect(showPlace(ssh('a.example'))).toBe('a.example');
  expect(showPlace(ssh('::1'))).toBe('::1');
  expect(showPlace(ssh('::1', 2222))).toBe('[::1]:2222');
});
