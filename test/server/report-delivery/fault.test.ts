import { describe, expect, test } from 'vitest';
import { parseRanges } from '../../../src/server/http/address.ts';
import type { ServerConfig } from '../../../src/server/config/config.ts';
import type { Resolve } from '../../../src/server/outbound/resolve.ts';
import type { StoredChannel } from '../../../src/server/report-delivery/service.ts';
import {
  channelFault,
  channelProblem,
  targetOf,
} from '../../../src/server/report-delivery/service.ts';

const operators: ServerConfig = {
  secrets: {
    GOVCTL_CHANNEL_SFTP: {
      value: 'x',
      hosts: ['files.example.com', '93.184.216.34'],
      buckets: [],
    },
  },
  object_storage: {
    access_key_id: 'a',
    secret_access_key: 'b',
    hosts: ['minio.example:9000', 'a.example'],
    buckets: ['reports'],
  },
};

const faultOf = (
  channel: StoredChannel,
  given: { local?: boolean; config?: ServerConfig; resolve?: Resolve } = {},
) => {
  const {
    local = false,
    config = operators,
    resolve = () => Promise.reject(new Error('unknown')),
  } = given;
  const targets = { rules: { local, allowed: parseRanges([]) }, resolve };
  return channelFault(channel, { targets, config });
};

const sftp = (fields: object = {}): StoredChannel => ({
  kind: 'sftp',
  host: 'files.example.com',
  username: 'ann',
  path: '/inbox',
  password_env: 'GOVCTL_CHANNEL_SFTP',
  ...fields,
});
const storage = (fields: object = {}): StoredChannel => ({
  kind: 'object_storage',
  provider: 's3',
  bucket: 'reports',
  ...fields,
});
const inside: Resolve = () => Promise.resolve([{ address: '10.0.0.7', family: 4 }]);

describe('a channel that could never work is refused when it is written', () => {
  test.each<[string, StoredChannel, string, RegExp]>([
    [
      'a webhook without TLS',
      { kind: 'webhook', url: 'http://a.example/' },
      'delivery.webhook.url',
      /https/,
    ],
    [
      'a webhook within',
      { kind: 'webhook', url: 'https://10.0.0.1/' },
      'delivery.webhook.url',
      /not public/,
    ],
    [
      'a webhook with two secrets',
      { kind: 'webhook', url: 'https://a.example/', secret: 'x', secret_env: 'Y' },
      'delivery.webhook.secret_env',
      /cannot be used with/,
    ],
    [
      'a variable of the server',
      { kind: 'webhook', url: 'https://a.example/', secret_env: 'GOVCTL_SERVER_API_KEY' },
      'delivery.webhook.secret_env',
      /does not send to a\.example/,
    ],
    [
      'a team chat at localhost',
      { kind: 'team_chat', webhook_url: 'https://localhost/x' },
      'delivery.team_chat.webhook_url',
      /this machine/,
    ],
    [
      'a team chat in a variable of the server',
      { kind: 'team_chat', webhook_url_env: 'GOVCTL_SERVER_API_KEY' },
      'delivery.team_chat.webhook_url_env',
      /does not send to the host of the URL/,
    ],
    [
      'SFTP without a login',
      sftp({ password_env: undefined }),
      'delivery.sftp.password_env',
      /is required unless/,
    ],
    [
      'SFTP with two',
      sftp({ private_key_env: 'GOVCTL_CHANNEL_KEY' }),
      'delivery.sftp.private_key_env',
      /cannot be used with/,
    ],
    [
      'SFTP at a metadata address',
      sftp({ host: '169.254.169.254' }),
      'delivery.sftp.host',
      /metadata/,
    ],
    ['SFTP at IPv4 in IPv6', sftp({ host: '::ffff:10.0.0.1' }), 'delivery.sftp.host', /private/],
    ['SFTP at an address in disguise', sftp({ host: '0x7f.1' }), 'delivery.sftp.host', /host name/],
    ['SFTP at a number', sftp({ host: '2130706433' }), 'delivery.sftp.host', /host name/],
    [
      'SFTP at more than a host',
      sftp({ host: 'a.example/../b' }),
      'delivery.sftp.host',
      /host name/,
    ],
    ['SFTP at this machine', sftp({ host: 'localhost.' }), 'delivery.sftp.host', /this machine/],
    ['SFTP to a folder above', sftp({ path: 'in/../../etc' }), 'delivery.sftp.path', /\.\./],
    ['SFTP with an MD5 key', sftp({ host_key: 'MD5:aa:bb' }), 'delivery.sftp.host_key', /SHA256/],
    [
      'a bucket in capitals',
      storage({ bucket: 'Reports' }),
      'delivery.object_storage.bucket',
      /lowercase/,
    ],
    [
      'a bucket that leads elsewhere',
      storage({ bucket: 'a..b' }),
      'delivery.object_storage.bucket',
      /lowercase/,
    ],
    [
      'a region with a host in it',
      storage({ region: 'x.evil.example/' }),
      'delivery.object_storage.region',
      /region/,
    ],
    ['a prefix above', storage({ prefix: '../other' }), 'delivery.object_storage.prefix', /\.\./],
    [
      'an endpoint with a query',
      storage({ endpoint: 'https://a.example/?x' }),
      'delivery.object_storage.endpoint',
      /query/,
    ],
    [
      'an endpoint within',
      storage({ endpoint: 'https://192.168.0.1/' }),
      'delivery.object_storage.endpoint',
      /not public/,
    ],
  ])('%s', async (_, channel, field, message) => {
    // prettier-ignore
    const fault = await faultOf(channel);
    expect(fault?.field).toBe(field);
    expect(fault?.message).toMatch(message);
  });

  test('a name that leads within', async () => {
    expect((await faultOf(sftp(), { resolve: inside }))?.message).toMatch(/not public/);
    expect((await faultOf(storage({ endpoint: 'https://a.example' }), { resolve: inside }))?.field).toBe('delivery.object_storage.endpoint'); // prettier-ignore
  });

  test('a chat channel that is none of those configured is taken, and is a problem that is shown', async () => {
    const config = { chat: { channels: { '#a': 'https://x', '#b': 'https://y' } } };
    const channel = { kind: 'chat', channel: '__proto__' } as const;
    expect(await faultOf(channel, { config })).toBeUndefined();
    expect(channelProblem(channel, config)).toMatchObject({ field: 'delivery.chat.channel' });
    expect(channelProblem({ ...channel, channel: '#a' }, config)).toBeUndefined();
  });
});

test.each<[StoredChannel]>([
  [{ kind: 'email', recipients: ['a@b.example'] }],
  [{ kind: 'chat', channel: '#later' }],
  [{ kind: 'webhook', url: 'https://a.example/hook' }],
  [sftp()],
  [sftp({ host: '93.184.216.34', host_key: `SHA256:${'A'.repeat(43)}`, path: 'a..b/c' })],
  [storage({ prefix: 'a/b', region: 'eu-west-1', endpoint: 'https://minio.example:9000' })],
])('%j is taken, whatever the operator has yet to configure', async (channel) => {
  expect(await faultOf(channel)).toBeUndefined();
});

test('what is told of where a channel leads holds no key', () => {
  expect(targetOf({ kind: 'team_chat', webhook_url: 'https://t.example/hooks/K3Y?sig=K3Y' })).toBe('t.example'); // prettier-ignore
  expect(targetOf({ kind: 'webhook', url: 'https://w.example:8443/K3Y' })).toBe('w.example:8443');
  expect(targetOf({ kind: 'email', recipients: ['a@b.example'] })).toBe('a@b.example');
  expect(targetOf({ kind: 'email', recipients: ['a@b.example', 'c@d.example'] })).toBe('2 recipients'); // prettier-ignore
  expect(targetOf(sftp({ host: '::1', port: 2222, path: 'in' }))).toBe('sftp://[::1]:2222/in');
  expect(targetOf(storage({ prefix: '/a/b/' }))).toBe('s3://reports/a/b');
});
