import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { apiKeys } from '../../../src/server/auth/collection.ts';
import type { Got, TestService } from '../test-service.ts';
import { fieldsOf, startTestService } from '../test-service.ts';

const countries: Readonly<Record<string, string>> = { '203.0.113.9': 'DE', '203.0.113.10': 'FR' };

let service: TestService;
beforeEach(async () => {
  service = await startTestService({
    countryOf: (address) => countries[address],
    rateLimit: 'enforce',
    isLocal: false,
  });
});
afterEach(() => service.close());

const create = (body: object): Promise<Got> =>
  service.send('POST', '/v1/api-keys', {
    body: { name: 'ci', scopes: ['governance:read'], ...body },
  });
const from = (key: unknown, address: string | undefined): Promise<Got> =>
  service.send('GET', '/v1/policies', {
    key: String(key),
    ...(address === undefined ? {} : { from: address }),
  });

describe('an API key with ip_allow_list', () => {
  it.each<[string, string[], (string | undefined)[], (string | undefined)[]]>([
    [
      'IPv4',
      ['203.0.113.0/24', '198.51.100.7/32'],
      ['203.0.113.9', '198.51.100.7'],
      ['203.0.114.1', '198.51.100.8', '::1', undefined],
    ],
    ['IPv6', ['2001:db8::/32'], ['2001:db8::1', '2001:DB8:0:0::2'], ['2001:db9::1', '203.0.113.9']],
    [
      'IPv4 that is written as IPv6',
      ['::ffff:10.0.0.0/104'],
      ['10.1.2.3', '::ffff:10.1.2.3', '::ffff:a01:203'],
      ['11.1.2.3', '::10.1.2.3', '::1'],
    ],
    [
      'addresses of IPv4 that come as IPv6',
      ['10.0.0.0/8'],
      ['::ffff:10.1.2.3', '::ffff:0a01:0203'],
      ['::ffff:11.1.2.3', '::10.1.2.3', '64:ff9b::10.1.2.3'],
    ],
    ['all of IPv6', ['::/0'], ['2001:db8::1', '::1'], ['203.0.113.9', '::ffff:203.0.113.9']],
    ['all of IPv4', ['0.0.0.0/0'], ['203.0.113.9', '::ffff:203.0.113.9'], ['2001:db8::1', '::1']],
    ['a range that begins before the addresses of IPv4', ['::/90'], ['::1'], ['203.0.113.9']],
    [
      'what a proxy calls a client',
      ['0.0.0.0/0', '::/0'],
      ['203.0.113.9'],
      ['unknown', '_hidden', ''],
    ],
    ['an address with a zone', ['fe80::/10'], ['fe80::1%eth0'], ['fec0::1%eth0']],
  ])('works from its addresses and no others: %s', async (_, list, inside, outside) => {
    const { key } = (await create({ ip_allow_list: list })).json;
    for (const address of inside) {
      expect([address, (await from(key, address)).status]).toEqual([address, 200]);
    }
    for (const address of outside) {
      const got = await from(key, address);
      expect([address, got.status, got.json.error, got.json.error_code]).toEqual([
        address,
        403,
        'address_not_allowed',
        'KEY_003',
      ]);
    }
  });

  it.each([
    ['ip_allow_list', 'must have at least one address range', 'address_not_allowed'],
    ['countries', 'must have at least one country', 'country_not_allowed'],
  ] as const)(
    'is not made with an empty list of %s; a stored one would work from nowhere',
    async (field, words, error) => {
      // prettier-ignore
      const refused = await create({ [field]: [] });
      expect([refused.status, refused.json.error, refused.json.details]).toEqual([
        400,
        'malformed_request',
        [{ field, message: words }],
      ]);
      expect((await service.send('GET', '/v1/api-keys')).json.pagination).toMatchObject({
        total: 1,
      });
      const { id, key } = (await create({})).json;
      await service.deps.store.transact(async (tx) => {
        const found = await tx.get(apiKeys, String(id));
        if (found) await tx.replace(apiKeys, { ...found.doc, [field]: [] });
      });
      for (const address of ['203.0.113.9', '::1', undefined]) {
        const got = await from(key, address);
        expect([got.status, got.json.error]).toEqual([403, error]);
      }
    },
  );

  it('says which address was seen, and not which ones are allowed', async () => {
    const { key } = (await create({ ip_allow_list: ['198.51.100.0/24'] })).json;
    const got = await from(key, '203.0.113.9');
    expect(got.json.error_description).toContain('203.0.113.9');
    expect(got.text).not.toContain('198.51.100');
  });

  it('refused from elsewhere is no guess: it counts against nobody at that address', async () => {
    const { key } = (await create({ ip_allow_list: ['198.51.100.0/24'] })).json;
    for (let n = 0; n < 100; n++) {
      expect((await from(key, '203.0.113.9')).status).toBe(403);
    }
    expect((await from(service.key, '203.0.113.9')).status).toBe(200);
  });

  it('is not used by being refused', async () => {
    const { id, key } = (await create({ ip_allow_list: ['198.51.100.0/24'] })).json;
    await from(key, '203.0.113.9');
    await service.maintain();
    const got = await service.send('GET', `/v1/api-keys/${String(id)}`);
    expect(got.json).not.toHaveProperty('last_used_at');
  });

  it('heeds each change at once, and none that was refused', async () => {
    const { id, key } = (await create({ ip_allow_list: ['198.51.100.0/24'] })).json;
    const put = (body: object) => service.send('PUT', `/v1/api-keys/${String(id)}`, { body });
    expect((await from(key, '203.0.113.9')).status).toBe(403);
    expect((await put({ ip_allow_list: [] })).status).toBe(400);
    expect((await from(key, '203.0.113.9')).status).toBe(403);
    const wider = await put({ ip_allow_list: ['198.51.100.0/24', '203.0.113.0/24'] });
    expect([wider.status, wider.headers.get('etag')]).toEqual([200, '"2"']);
    expect((await from(key, '203.0.113.9')).status).toBe(200);
    expect((await put({ ip_allow_list: ['203.0.113.0/24', '198.51.100.0/24'] })).headers.get('etag')).toBe('"2"'); // prettier-ignore
    await put({ ip_allow_list: ['198.51.100.0/24'] });
    expect((await from(key, '203.0.113.9')).status).toBe(403);
    expect((await put({ ip_allow_list: null })).json).not.toHaveProperty('ip_allow_list');
    expect((await from(key, '203.0.113.9')).status).toBe(200);
    const { json } = await service.send('GET', '/v1/audit-log?action=api_key.update');
    expect((json.audit_log as { changes: string[] }[]).map(({ changes }) => changes)).toEqual(
      [1, 2, 3].map(() => ['ip_allow_list']),
    );
  });

  it('holds for the secret from before a rotation, too', async () => {
    const { id, key } = (await create({ ip_allow_list: ['198.51.100.0/24'] })).json;
    await service.send('POST', `/v1/api-keys/${String(id)}/rotate`, { body: {} });
    expect((await from(key, '203.0.113.9')).status).toBe(403);
    expect((await from(key, '198.51.100.9')).status).toBe(200);
  });

  it.each([
    ['none', []],
    ['an address without a length', ['203.0.113.7']],
    ['a length that is too long', ['203.0.113.0/33']],
    ['a leading zero', ['010.0.0.0/8']],
    ['a name', ['localhost/8']],
    ['a zone', ['fe80::1%eth0/64']],
    ['spaces', [' 10.0.0.0/8']],
    ['more than 100', Array.from({ length: 101 }, (_, n) => `10.0.${n}.0/24`)],
  ])('is not created with %s', async (_, list) => {
    const got = await create({ ip_allow_list: list });
    expect([got.status, got.json.error]).toEqual([400, 'malformed_request']);
    expect(fieldsOf(got)[0]).toMatch(/^ip_allow_list/);
  });
});

describe('an API key with countries', () => {
  it('works from there, and from nowhere that is not known', async () => {
    const { key } = (await create({ countries: ['DE', 'AT'] })).json;
    expect((await from(key, '203.0.113.9')).status).toBe(200);
    for (const [address, where] of [
      ['203.0.113.10', 'FR'],
      ['203.0.113.11', 'an unknown country'],
      ['unknown', 'an unknown country'],
      [undefined, 'an unknown country'],
    ]) {
      const got = await from(key, address);
      expect([got.status, got.json.error, got.json.error_code]).toEqual([
        403,
        'country_not_allowed',
        'KEY_004',
      ]);
      expect(got.json.error_description).toContain(where);
    }
  });

  it('with both, needs both', async () => {
    const { key } = (await create({ countries: ['DE'], ip_allow_list: ['203.0.113.10/32'] })).json;
    expect((await from(key, '203.0.113.9')).json.error).toBe('address_not_allowed');
    expect((await from(key, '203.0.113.10')).json.error).toBe('country_not_allowed');
  });

  it.each([
    ['none', []],
    ['a name', ['Germany']],
    ['lower case', ['de']],
    ['a code that is none', ['UK']],
  ])('is not created with %s', async (_, list) => {
    const got = await create({ countries: list });
    expect([got.status, fieldsOf(got)[0]]).toEqual([400, expect.stringMatching(/^countries/)]);
  });

  it('is refused where the server has no database, saying what is missing; a known one works nowhere then', async () => {
    const without = await startTestService();
    try {
      const body = { name: 'ci', scopes: ['governance:read'], countries: ['DE'] };
      const got = await without.send('POST', '/v1/api-keys', { body });
      expect([got.status, fieldsOf(got)]).toEqual([400, ['countries']]);
      expect(got.json.error_description).toContain('country_database');
      const { id } = (await without.send('POST', '/v1/api-keys', { body: { ...body, countries: undefined } })).json; // prettier-ignore
      const put = await without.send('PUT', `/v1/api-keys/${String(id)}`, {
        body: { countries: ['DE'] },
      });
      expect([put.status, fieldsOf(put)]).toEqual([400, ['countries']]);
    } finally {
      await without.close();
    }
  });
});
