import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { GovctlError } from '../../../src/contract/errors.ts';
import { readServerConfig } from '../../../src/server/config/read-config.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(path.join(tmpdir(), 'govctl-config-test-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Env = Parameters<typeof readServerConfig>[1];

function write(text: string, mode = 0o600): string {
  const file = path.join(folder, 'server.yaml');
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

const read = (text: string, env: Env = {}) => readServerConfig(write(text), env);

/** What a file is refused with, without its folder. */
async function refusal(text: string, env: Env = {}): Promise<string> {
  const error: unknown = await read(text, env).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof GovctlError)) throw new Error(`not refused: ${String(error)}`);
  expect(error.error).toBe('invalid_file');
  return error.message.replaceAll(`${folder}/`, '');
}

const mail = 'smtp:\n  host: smtp.example.com\n  from: reports@example.com\n';

describe('the file of --config', () => {
  test('is the whole of it', async () => {
    const { config, notices } = await read(
      [
        'smtp:',
        '  host: smtp.example.com',
        '  port: ${SMTP_PORT}',
        '  user: reports',
        '  password: ${SMTP_PASSWORD}',
        '  from: Compliance reports <reports@example.com>',
        '  reply_to: ask@example.com',
        'chat:',
        '  channels:',
        '    "#compliance": https://chat.example.com/hooks/${TOKEN}/$${x}',
        'object_storage:',
        '  access_key_id: AKID',
        '  secret_access_key: ${S3_SECRET}',
        '  buckets: [reports, audit-*]',
        'secrets:',
        '  SFTP_PASSWORD: {value: "${SFTP}", hosts: [files.example.com]}',
        '  GOVCTL_CHANNEL_KEY: {hosts: ["*.example.com:2222", "[::1]:22", 10.0.0.1]}',
        '  NOT_SET: {hosts: [files.example.com]}',
        'owner_tags: [CostCenter, team]',
        'trusted_proxies: [10.0.0.0/8, "fd00::/8"]',
        'retention: {uses: 90}',
      ].join('\n'),
      {
        SMTP_PORT: '2525',
        SMTP_PASSWORD: 'p: "x"\n',
        TOKEN: 't',
        S3_SECRET: 's',
        SFTP: 'f',
        GOVCTL_CHANNEL_KEY: 'k',
      },
    );
    expect(config).toEqual({
      smtp: {
        host: 'smtp.example.com',
        port: 2525,
        tls: 'starttls',
        user: 'reports',
        password: 'p: "x"\n',
        from: { name: 'Compliance reports', address: 'reports@example.com' },
        reply_to: { name: '', address: 'ask@example.com' },
      },
      chat: { channels: { '#compliance': 'https://chat.example.com/hooks/t/${x}' } },
      object_storage: {
        access_key_id: 'AKID',
        secret_access_key: 's',
        hosts: [],
        buckets: ['reports', 'audit-*'],
      },
      secrets: {
        SFTP_PASSWORD: { value: 'f', hosts: ['files.example.com'], buckets: [] },
        GOVCTL_CHANNEL_KEY: {
          value: 'k',
          hosts: ['*.example.com:2222', '[::1]:22', '10.0.0.1'],
          buckets: [],
        },
        NOT_SET: { hosts: ['files.example.com'], buckets: [] },
      },
      owner_tags: ['CostCenter', 'team'],
      trusted_proxies: ['10.0.0.0/8', 'fd00::/8'],
      retention: { uses: 90 },
    });
    expect(notices).toEqual([]);
  });

  test('says retention of records, down to minutes', async () => {
    const text = 'retention: {uses: 36h, events: 2m, audit_log: 1w, cost: 24mo}\n';
    const minute = 60_000;
    expect((await read(text)).config).toEqual({
      retention: {
        uses: 2,
        events: 2 * minute,
        audit_log: 7 * 24 * 60 * minute,
        cost: 24 * 31 * 24 * 60 * minute,
      },
    });
  });

  test.each(['', '# nothing yet\n', '---\n'])('may say nothing: %j', async (text) => {
    expect((await read(text)).config).toEqual({});
  });

  test.each([
    [
      'smtp:\n  host: a.example\n  form: x@y.example\n',
      /^server\.yaml:3:3: smtp\.form is not a known field; did you mean from\?/m,
    ],
    ['smpt: {}\n', /^server\.yaml:1:1: smpt is not a known field; did you mean smtp\?/],
    ['smtp:\n  host: [a]\n  from: a@b.example\n', /^server\.yaml:2:3: smtp\.host must be a string/],
    [`${mail}  tls: ssl\n`, /^server\.yaml:4:3: smtp\.tls must be/],
    [`${mail}  port: 70000\n`, /^server\.yaml:4:3: smtp\.port /],
    ['smtp:\n  host: a\n  host: b\n', /^server\.yaml:3:3: .*duplicate key "host"/],
    ['smtp:\n\thost: a\n', /^server\.yaml:2:\d+: this is not YAML/],
    [`${mail}  user: a\n`, /requires both user and password/],
    ['smtp:\n  host: a.example\n  from: nobody\n', /smtp\.from must be an address/],
    ['smtp:\n  from: a@b.example\n', /smtp requires host or a URL/],
    [
      'smtp:\n  url: smtp://a.example\n  port: 25\n  from: a@b.example\n',
      /smtp\.port cannot be used with a URL/,
    ],
    ['smtp:\n  url: http://a.example\n  from: a@b.example\n', /must begin with smtp:/],
    [`${mail}  ca_file: not-there.pem\n`, /ca_file: .*not-there\.pem/],
    [
      'secrets:\n  A:\n    host: [a.example]\n',
      /^server\.yaml:3:5: secrets\.A\.host is not a known field; did you mean hosts\?/,
    ],
    [
      'secrets:\n  A: {hosts: [a.example, "https://b.example/"]}\n',
      /^server\.yaml:2:\d+: secrets\.A\.hosts\[1\] must be a host such as files\.example\.com/,
    ],
    ['secrets:\n  A: {hosts: ["*"]}\n', /secrets\.A\.hosts\[0\] must be a host/],
    ['secrets:\n  A: {hosts: ["*.com"]}\n', /secrets\.A\.hosts\[0\] must be a host/],
    ['secrets:\n  A: {buckets: ["*"]}\n', /secrets\.A\.buckets\[0\] must be a bucket name/],
    ['secrets:\n  "A B": x\n', /^server\.yaml:2:3: secrets\.A B must be a variable name/],
    [
      'secrets:\n  A:\n',
      /^server\.yaml:2:3: secrets\.A must be a variable name with the hosts that may receive the value/,
    ],
    ['secrets:\n  A: {value: ""}\n', /secrets\.A\.value must be a non-empty string/],
    ['owner_tags: []\n', /^server\.yaml:1:1: owner_tags /],
    ['owner_tags: owner\n', /^server\.yaml:1:1: owner_tags must be an array/],
    ['trusted_proxies: []\n', /^server\.yaml:1:1: trusted_proxies /],
    ['retention: {uses: 0}\n', /^server\.yaml:1:13: retention\.uses /],
    ['retention: {uses: 401d}\n', /^server\.yaml:1:13: retention\.uses /],
    [
      'retention: {scans: 30}\n',
      /^server\.yaml:1:13: retention\.scans must be a duration from 1m to 36500d, such as 90d, 36mo or 30m/,
    ],
    ['retention: {scans: 59s}\n', /retention\.scans must be a duration from 1m to 36500d/],
    ['retention: {scan: 30d}\n', /^server\.yaml:1:13: .*scan.*scans/],
    ...['10.0.0.1', '10.0.0.0/33', 'proxy.example.com', '0.0.0.0/0', '"::/0"'].map(
      (range): [string, RegExp] => [
        `trusted_proxies: [${range}]\n`,
        /^server\.yaml:1:1: trusted_proxies\[0\] must be an address range smaller than all addresses/,
      ],
    ),
    ['- a\n', /^server\.yaml:1:1: /],
  ])('%j is refused at its place', async (text, said) => {
    // prettier-ignore
    expect(await refusal(text)).toMatch(said);
  });

  test('names every variable that is not set', async () => {
    const said = await refusal(
      'chat:\n  channels:\n    "#a": ${ONE}\n    "#b": https://x/${TWO}\n    "#c": ${__proto__}\n',
      { TWO: '' },
    );
    expect(said.split('\n')).toEqual([
      'server.yaml:3:5: chat.channels.#a refers to the variable ONE, which is not set',
      'server.yaml:4:5: chat.channels.#b refers to the variable TWO, which is not set',
      'server.yaml:5:5: chat.channels.#c refers to the variable __proto__, which is not set',
    ]);
  });

  test.each([
    'smtp:\n  host: a.example\n  from: a@b.example\n  password: 12345678\n',
    'object_storage:\n  access_key_id: a\n  secret_access_key: 12345678\n',
    'secrets:\n  A: 12345678\n',
    'chat:\n  channels:\n    "#a": 12345678\n',
    'chat:\n  channels:\n    "#a": hooks.example.com/12345678\n',
    'chat:\n  channels:\n    "#a": "https://[12345678"\n',
    'smtp:\n  url: "smtp://u:12345678@[bad"\n  from: a@b.example\n',
  ])('%j is refused without saying the secret', async (text) => {
    expect(await refusal(text)).not.toContain('12345678');
  });

  test('says what the address of a chat channel has to be', async () => {
    expect(await refusal('chat:\n  channels:\n    "#a": hooks.example.com/T0/B0\n')).toBe(
      'server.yaml:3:5: chat.channels.#a must be a URL that begins with https:// or http://',
    );
  });

  test('that others can read and that contains a secret is worth a notice', async () => {
    const plain = `${mail}  user: a\n  password: p4ss\n`;
    const open = await readServerConfig(write(plain, 0o644), {});
    expect(open.notices).toHaveLength(1);
    expect(open.notices[0]).toContain('chmod 600');
    expect(open.notices[0]).not.toContain('p4ss');
    expect((await readServerConfig(write(plain, 0o600), {})).notices).toEqual([]);
    const referred = `${mail}  user: a\n  password: \${P}\n`;
    expect((await readServerConfig(write(referred, 0o644), { P: 'p4ss' })).notices).toEqual([]);
  });

  test('that binds a secret to nothing, as earlier versions did, is worth a notice', async () => {
    const { config, notices } = await read(
      'secrets:\n  OLD: ${P}\nobject_storage:\n  access_key_id: a\n  secret_access_key: ${P}\n',
      { P: 'p4ss' },
    );
    expect(config.secrets).toEqual({ OLD: { value: 'p4ss', hosts: [], buckets: [] } });
    expect(notices).toEqual([
      expect.stringContaining('secrets.OLD has no hosts') as string,
      expect.stringContaining('object_storage has no buckets') as string,
    ]);
    expect(notices.join('\n')).not.toContain('p4ss');
  });

  test('binds the storage keys of the environment by the name of the secret one', async () => {
    const env = {
      AWS_ACCESS_KEY_ID: 'AKID',
      AWS_SECRET_ACCESS_KEY: 's',
      AWS_SESSION_TOKEN: 't',
    };
    const keys = { access_key_id: 'AKID', secret_access_key: 's', session_token: 't' };
    const listed = 'secrets: {AWS_SECRET_ACCESS_KEY: {buckets: [reports]}}\n';
    const storageOf = async (text: string) => (await read(text, env)).config.object_storage;
    expect(await storageOf(listed)).toEqual({ ...keys, hosts: [], buckets: ['reports'] });
    expect(await storageOf('')).toEqual({ ...keys, hosts: [], buckets: [] });
  });

  test('that is not there is said so', async () => {
    const missing = path.join(folder, 'none.yaml');
    await expect(readServerConfig(missing, {})).rejects.toThrow(`${missing} could not be read: no such file`); // prettier-ignore
  });
});

test('the file that the documentation shows is one', async () => {
  const page = readFileSync(new URL('../../../docs/schedules.md', import.meta.url), 'utf8');
  const text = /```yaml\n(# server\.yaml.*?)```/s.exec(page)?.[1] ?? '';
  const names = ['SMTP_PASSWORD', 'COMPLIANCE_HOOK', 'S3_KEY_ID', 'S3_SECRET', 'TEAMS_URL'];
  const { config } = await read(
    text,
    Object.fromEntries(names.map((name) => [name, 'https://x.example'])),
  );
  expect(Object.keys(config)).toEqual(['smtp', 'chat', 'object_storage', 'secrets', 'organization', 'owner_tags']); // prettier-ignore
});

describe('a mail server', () => {
  test.each([
    ['smtp://mail.example.com', { port: 587, tls: 'starttls' }],
    ['smtps://mail.example.com', { port: 465, tls: 'tls' }],
    ['smtp://mail.example.com:465', { port: 465, tls: 'tls' }],
    ['smtp://127.0.0.1:1025', { port: 1025, tls: 'none' }],
    [
      'smtp://u%40x:p%2Fw@mail.example.com:25',
      { port: 25, tls: 'starttls', user: 'u@x', password: 'p/w' },
    ],
    ['smtp://[::1]:25', { host: '::1', port: 25, tls: 'none' }],
  ])('of the url %s', async (url, expected) => {
    // prettier-ignore
    const env = { GOVCTL_SMTP_URL: url, GOVCTL_SMTP_FROM: 'a@b.example' };
    const { config } = await readServerConfig(undefined, env);
    expect(config.smtp).toMatchObject(expected);
  });

  test('of the file wins over that of the environment', async () => {
    const env = { GOVCTL_SMTP_URL: 'smtp://other.example', GOVCTL_SMTP_FROM: 'a@b.example' };
    expect((await read(mail, env)).config.smtp?.host).toBe('smtp.example.com');
  });

  test.each([
    [{ GOVCTL_SMTP_URL: 'smtp://a.example' }, 'set GOVCTL_SMTP_FROM'],
    [{ GOVCTL_SMTP_URL: 'smtp://u:s3cr%et@a', GOVCTL_SMTP_FROM: 'a@b.example' }, '%25'],
  ])('of %j is refused', async (env, said) => {
    await expect(readServerConfig(undefined, env)).rejects.toThrow(said);
    await expect(readServerConfig(undefined, env)).rejects.not.toThrow('s3cr');
  });

  test('whose password would travel readable is worth a notice', async () => {
    const { notices } = await read(`${mail}  tls: none\n  user: a\n  password: \${P}\n`, {
      P: 'p4ss',
    });
    expect(notices).toEqual([expect.stringContaining('is sent unencrypted')]);
  });
});

const company = (...lines: string[]): string =>
  ['sign_in:', '  company:', '    name: Example', '    client_id: id', '    client_secret: ${S}', ...lines.map((one) => `    ${one}`), ''].join('\n'); // prettier-ignore

describe('sign_in.company', () => {
  test('has defaults, and keeps its secret to itself', async () => {
    const text = company('issuer: https://id.example.com');
    const { config, notices } = await readServerConfig(write(text, 0o644), { S: 's' });
    expect(notices).toEqual([]);
    expect(config.sign_in?.company).toEqual({
      name: 'Example',
      issuer: 'https://id.example.com',
      client_id: 'id',
      client_secret: 's',
      scopes: ['openid', 'email', 'profile'],
      roles: [],
      password: true,
      require_second_factor: true,
    });
    const plain = await readServerConfig(write(text.replace('${S}', 'plain'), 0o644), {});
    expect(plain.notices.join()).toContain('contains a secret');
  });

  test.each([
    [['issuer: http://id.example.com'], /company\.issuer must be an https:\/\/ URL/],
    [['issuer: https://a@id.example.com'], /company\.issuer must be an https:\/\/ URL/],
    [['issuer: https://accounts.google.com'], /company\.tenant must be set to your organization/],
    [
      ['issuer: https://accounts.google.com', 'tenant: {claim: email, value: a@b.example}'],
      /company\.tenant must be set to your organization/,
    ],
    [['issuer: https://gitlab.com'], /company\.tenant must be set to your organization/],
    [
      ['issuer: https://login.microsoftonline.com/common/v2.0'],
      /company\.issuer must contain your tenant/,
    ],
    [
      ['issuer: https://id.example.com', 'roles: [{claim: groups, value: a, role: Bad}]'],
      /roles\[0\]\.role must contain only lowercase/,
    ],
  ])('is refused: %j', async (lines, why) => {
    expect(await refusal(company(...lines), { S: 's' })).toMatch(why);
  });
});
