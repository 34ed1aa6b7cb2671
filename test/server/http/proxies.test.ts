import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

const proxy = '10.0.0.5';
const trusted = ['10.0.0.0/8', '2001:db8:aaaa::/48'];

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ config: { trusted_proxies: trusted } });
});
afterAll(() => service.close());

/** Where the service takes a request to come from, or the status and words of its refusal. */
async function addressOf(headers: Readonly<Record<string, string>>, from = proxy) {
  const { status, json } = await service.send('GET', '/v1/policies', { headers, from });
  const seen = service.events.at(-1)?.address;
  return status === 200 ? seen : `${status} ${String(json.error_description)}`;
}

const list = (value: string, from?: string) => addressOf({ 'x-forwarded-for': value }, from);
const forwarded = (value: string, from?: string) => addressOf({ forwarded: value }, from);

describe('the address of a client', () => {
  it('is that of its connection, where no trusted proxy stands between', async () => {
    expect(await addressOf({})).toBe(proxy);
    expect(await addressOf({}, '203.0.113.9')).toBe('203.0.113.9');
    expect(await list('198.51.100.1', '203.0.113.9')).toBe('203.0.113.9');
    expect(await forwarded('for=198.51.100.1', '203.0.113.9')).toBe('203.0.113.9');
    expect(await forwarded('for="', '203.0.113.9')).toBe('203.0.113.9');
    const plain = await startTestService();
    await plain.send('GET', '/v1/policies', {
      headers: { 'x-forwarded-for': '198.51.100.1' },
      from: proxy,
    });
    expect(plain.events.at(-1)?.address).toBe(proxy);
    await plain.close();
  });

  it.each([
    ['of one proxy', '203.0.113.9', '203.0.113.9'],
    ['behind several', '203.0.113.9, 10.1.1.1, 2001:db8:aaaa::2', '203.0.113.9'],
    ['with what the client made up', '127.0.0.1, 10.0.0.1, 203.0.113.9', '203.0.113.9'],
    ['with garbage of the client', 'for="x, \u00ff, 999.1.1.1, 203.0.113.9', '203.0.113.9'],
    ['of a client in the trusted network', '10.9.9.9, 10.0.0.7', '10.9.9.9'],
    ['with empty entries', ', 203.0.113.9 ,,\t', '203.0.113.9'],
    ['with nothing but empty entries', ' , ,', proxy],
    ['with a port', '203.0.113.9:51234', '203.0.113.9'],
    ['with IPv6', '2001:DB8:0:0::9', '2001:db8::9'],
    ['with IPv6 in brackets', '[2001:db8::9]', '2001:db8::9'],
    ['with IPv6 in brackets and a port', '[2001:db8::9]:443', '2001:db8::9'],
    ['with IPv4 in IPv6', '::ffff:203.0.113.9', '203.0.113.9'],
    ['with IPv4 in IPv6 of a proxy', '203.0.113.9, ::ffff:10.0.0.7', '203.0.113.9'],
    ['with an unknown client', 'unknown', 'unknown'],
    ['with a hidden client', '198.51.100.1, _hidden', '_hidden'],
  ])('is the last untrusted one of X-Forwarded-For %s', async (_, header, address) => {
    expect(await list(header)).toBe(address);
  });

  it.each([
    ['of one proxy', 'for=203.0.113.9', '203.0.113.9'],
    ['in any case, among others', 'Proto=https;FOR=203.0.113.9;by=_me;host=a', '203.0.113.9'],
    ['behind several', 'for=203.0.113.9, for="[2001:db8:aaaa::2]:80",for=10.0.0.7', '203.0.113.9'],
    ['with what the client made up', 'for=127.0.0.1, for=203.0.113.9', '203.0.113.9'],
    ['with nodes that are none, of the client', 'for=what, for=203.0.113.9', '203.0.113.9'],
    ['with commas and semicolons in quotes', 'for=203.0.113.9;x=",for=1.1.1.1;"', '203.0.113.9'],
    ['with escapes', String.raw`for="203.0.113.\9";x="\"\\,for=1.1.1.1"`, '203.0.113.9'],
    ['with a port', 'for="203.0.113.9:47011"', '203.0.113.9'],
    ['with a hidden port', 'for="203.0.113.9:_x"', '203.0.113.9'],
    ['with IPv6', 'For="[2001:db8:cafe::17]:4711"', '2001:db8:cafe::17'],
    ['with empty elements', ' , for=203.0.113.9;, ,', '203.0.113.9'],
    ['with an unknown client', 'for=198.51.100.1, for=unknown', 'unknown'],
    ['with a hidden client', 'for=_SEVKISEK', '_SEVKISEK'],
    ['where the proxy says nothing of the client', 'for=198.51.100.1, proto=https', 'unknown'],
  ])('is the last untrusted one of Forwarded %s', async (_, header, address) => {
    expect(await forwarded(header)).toBe(address);
  });

  it('is the same in both headers', async () => {
    const both = (one: string, other: string) =>
      addressOf({ forwarded: one, 'x-forwarded-for': other });
    expect(await both('for=203.0.113.9', '198.51.100.1, 203.0.113.9:80')).toBe('203.0.113.9');
    const differ = '400 Forwarded and X-Forwarded-For contain different clients';
    expect(await both('for=127.0.0.1', '203.0.113.9')).toBe(differ);
    expect(await both('for=203.0.113.9', '10.0.0.1')).toBe(differ);
    expect(await both('for=unknown', '203.0.113.9')).toBe(differ);
  });

  it('is not guessed: what a trusted proxy cannot have meant is refused', async () => {
    for (const broken of [
      'for="203.0.113.9',
      'for="x, for=203.0.113.9',
      'for=2001:db8::1',
      'for = 203.0.113.9',
      'for=203.0.113.9; proto=https',
      'for',
      'for=',
      '=203.0.113.9',
      'for=203.0.113.9 for=1.1.1.1',
      'for="203.0.113.9"x',
    ])
      expect([broken, await forwarded(broken)]).toEqual([
        broken,
        '400 The Forwarded header is not valid',
      ]);
    expect(await forwarded('for=203.0.113.9;For=203.0.113.9')).toBe(
      '400 The Forwarded header has for twice in one element',
    );
    for (const node of [
      '2001:db8::1%eth0',
      '[2001:db8::1%1]',
      '[203.0.113.9]',
      '[]',
      '203.0.113.9:',
      '203.0.113.9:123456',
      '203.0.113.009',
      '0x7f.1',
      'localhost',
      'example.com',
      '_',
      `_${'x'.repeat(101)}`,
      '"127.0.0.1"',
    ])
      expect([node, await list(node)]).toEqual([
        node,
        '400 The X-Forwarded-For header contains a client that is not an address',
      ]);
    expect(await forwarded('for="2001:db8::1"')).toBe(
      '400 The Forwarded header contains a client that is not an address',
    );
  });

  it('is what failures are counted under', async () => {
    const counted = await startTestService({
      rateLimit: 'enforce',
      config: { trusted_proxies: trusted },
    });
    const guess = async (header: string, from = proxy) =>
      (
        await counted.send('GET', '/v1/policies', {
          key: 'wrong',
          headers: { 'x-forwarded-for': header },
          from,
        })
      ).status;
    for (let n = 0; n < 60; n++) expect(await guess(`198.51.100.${n}, 203.0.113.9`)).toBe(401);
    expect(await guess('203.0.113.9')).toBe(429);
    expect(await guess('203.0.113.10')).toBe(401);
    expect(await guess('', '203.0.113.9')).toBe(429);
    // Who is no proxy speaks for nobody else.
    for (let n = 0; n < 60; n++) expect(await guess(`203.0.113.${n}`, '192.0.2.1')).toBe(401);
    expect(await guess('203.0.113.77', '192.0.2.1')).toBe(429);
    for (let n = 0; n < 60; n++) expect(await guess('unknown')).toBe(401);
    expect(await guess('unknown')).toBe(429);
    expect(await guess('_other')).toBe(401);
    await counted.close();
  });
});
