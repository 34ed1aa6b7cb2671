import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startLoginService } from '../../server/oauth/login-service.ts';
import type { TestService } from '../../server/test-service.ts';
import { startTestService } from '../../server/test-service.ts';
import { runCommandLine } from '../../support/fake-world.ts';
import type { FakeWorldSettings, Outcome } from '../../support/fake-world.ts';
import { createMinimalService } from '../../support/minimal-service.ts';
import { makeRepo } from '../../support/temp-repo.ts';

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.close());

const run = (argv: readonly string[], setup: FakeWorldSettings = {}): Promise<Outcome> =>
  runCommandLine(['api-key', ...argv], {
    env: { GOVCTL_BASE_URL: 'http://service.test', GOVCTL_TOKEN: service.key, NO_COLOR: '1' },
    fetch: async (url, init) => service.app.fetch(new Request(url, init), {}),
    ...setup,
  });

interface Key {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expires_at?: string;
  readonly key?: string;
}

const json = async <T = Key>(...argv: string[]): Promise<T> =>
  JSON.parse((await run([...argv, '-o', 'json'])).stdout) as T;

const create = (...flags: string[]): Promise<Key> =>
  json('create', '--name', 'dashboard', '--scope', 'governance:read', ...flags);

const statusWith = async (key: string | undefined): Promise<number> => {
  const headers = { authorization: `Bearer ${key ?? ''}` };
  return (await service.app.fetch(new Request('http://service.test/v1/policies', { headers }), {}))
    .status;
};

describe('govctl api-key create', () => {
  it('shows the key once, and the key works', async () => {
    const created = await run(['create', '--name', 'dashboard', '--scope', 'governance:read']);
    expect(created.exitCode).toBe(0);
    const [, key] = /^Key {2}(gk_\S{43}) {3}\(shown only once\)$/m.exec(created.stdout) ?? [];
    expect(await statusWith(key)).toBe(200);
    const listed = await run(['list']);
    expect(listed.stdout).toContain('dashboard');
    expect(listed.stdout).not.toContain(key);
    expect(created.stderr).not.toContain(key);
  });

  it('says that a key is named by its ID, and how long an overlap may be', async () => {
    await create();
    const named = await run(['rotate', 'dashboard', '--overlap', '1h']);
    expect(named.stderr).toContain('Use the ID of a key. To list keys, run `govctl api-key list`');
    const long = await run(['rotate', 'key_1', '--overlap', '31d']);
    expect(long).toMatchObject({ exitCode: 3, stdout: '' });
    expect(long.stderr).toContain('--overlap 31d: the maximum is 30d');
  });

  it.skipIf(process.platform === 'win32')(
    'writes the key into files that only their owner may read, also one that others could read before',
    async () => {
      const folder = makeRepo({ 'old.json': '' });
      for (const [file, format] of [
        ['old.json', 'json'],
        ['new.json', 'json'],
        ['new.yaml', 'yaml'],
        ['new.ndjson', 'ndjson'],
        ['new.txt', 'table'],
      ] as const) {
        const written = path.join(folder, file);
        const words = ['create', '--name', file, '--scope', 'governance:read'];
        const { exitCode } = await run([...words, '-o', `${format}=${written}`]);
        expect([file, exitCode]).toEqual([file, 0]);
        expect(readFileSync(written, 'utf8')).toMatch(/gk_\S{43}/);
        expect([file, (statSync(written).mode & 0o777).toString(8)]).toEqual([file, '600']);
      }
    },
  );

  it('takes scopes one by one or in a list, each once', async () => {
    const words = ['--scope', 'admin,governance:read', '--scope', 'admin'];
    const { scopes } = await json('create', '--name', 'all', ...words);
    expect(scopes).toEqual(['admin', 'governance:read']);
  });

  it.each([
    ['90d', '2026-11-30T00:00:00.000Z'],
    ['2026-11-30', '2026-11-30T00:00:00.000Z'],
    ['2026-11-30T09:30:00+02:00', '2026-11-30T07:30:00.000Z'],
    ['never', undefined],
  ])('with --expires %s expires at %s', async (expires, at) => {
    const now = Date.parse('2026-09-01T00:00:00Z');
    const argv = ['create', '--name', 'n', '--scope', 'admin', '--expires', expires, '-o', 'json'];
    const created = await run(argv, { now: () => now });
    expect((JSON.parse(created.stdout) as Key).expires_at).toBe(at);
  });

  it.each([
    [['--scope', 'governance:reed'], 'Did you mean governance:read?'],
    [['--scope', 'admin', '--expires', 'tomorrow'], 'Use a lifetime such as 90d, a date'],
    [['--scope', 'admin', '--expires', '2020-01-01'], 'expires_at must be in the future'],
    [[], "required option '--scope <scope>' not specified"],
  ])('refuses %j and creates nothing', async (flags, said) => {
    const before = (await json<{ api_keys: Key[] }>('list')).api_keys.length;
    const outcome = await run(['create', '--name', 'n', ...flags]);
    expect(outcome.stderr).toContain(said);
    expect(outcome.exitCode).toBe(3);
    expect((await json<{ api_keys: Key[] }>('list')).api_keys).toHaveLength(before);
  });
});

describe('govctl api-key get and list', () => {
  it('show all of a key but the key', async () => {
    const { id, key = '' } = await create('--expires', '2099-01-31');
    const got = await run(['get', id]);
    expect(got.stdout).toContain(`…${key.slice(-4)}`);
    expect(got.stdout).toContain('2099-01-31 00:00 UTC');
    expect(got.stdout).not.toContain(key);
    expect(await json('get', id)).not.toHaveProperty('key');
  });

  it('say which keys have expired', async () => {
    const { id } = await create('--expires', '2099-01-31');
    const later = { now: () => Date.parse('2099-02-01T00:00:00Z') };
    expect((await run(['list'], later)).stdout).toMatch(/dashboard +governance:read +expired/);
    expect((await run(['get', id], later)).stdout).toContain('2099-01-31 00:00 UTC (expired)');
  });

  it('fit in 80 columns', async () => {
    await create();
    const { stdout } = await run(['list'], { tty: true, columns: 80 });
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    expect(stdout).toMatch(/key_\w{26}/);
  });
});

describe('govctl api-key update', () => {
  it('renames a key and changes when it expires; the key goes on working', async () => {
    const { id, key } = await create('--expires', '2099-01-31');
    const updated = await run(['update', id, '--name', 'board', '--expires', 'never']);
    expect(updated.stdout).toContain(`Updated ${id}`);
    const got = await json('get', id);
    expect([got.name, got.expires_at]).toEqual(['board', undefined]);
    expect(await statusWith(key)).toBe(200);
  });

  it('says that nothing is given to change', async () => {
    const { id } = await create();
    const outcome = await run(['update', id]);
    expect(outcome.stderr).toContain('Pass --name, --expires, --ip');
    expect(outcome.exitCode).toBe(3);
  });

  it('changes nothing that is newer than the ETag', async () => {
    const { id } = await create();
    const outcome = await run(['update', id, '--name', 'x', '--if-match', '"old"']);
    expect(outcome.exitCode).toBe(5);
    expect((await json('get', id)).name).toBe('dashboard');
  });
});

describe('govctl api-key revoke', () => {
  it('ends a key at once', async () => {
    const { id, key } = await create();
    expect((await run(['revoke', id, '--yes'])).stdout).toContain(`Revoked ${id}`);
    expect(await statusWith(key)).toBe(401);
    const again = await run(['revoke', id, '--yes']);
    expect(again.stderr).toContain(`There is no API key ${id}`);
    expect(again.exitCode).toBe(1);
  });

  it('asks first, and without a terminal says how not to be asked', async () => {
    const { id, key } = await create();
    const outcome = await run(['revoke', id]);
    expect(outcome.stderr).toContain('To revoke without a prompt, pass --yes.');
    expect(outcome.exitCode).toBe(3);
    expect(await statusWith(key)).toBe(200);
  });
});

describe('govctl api-key', () => {
  it('needs the scope admin', async () => {
    const { key = '' } = await create();
    const env = { GOVCTL_BASE_URL: 'http://service.test', GOVCTL_TOKEN: key };
    const outcome = await run(['list'], { env });
    expect(outcome.stderr).toContain('admin');
    expect(outcome.exitCode).toBe(4);
  });

  it.each([
    ['list'],
    ['get', 'key_1'],
    ['update', 'key_1', '--name', 'n'],
    ['revoke', 'key_1', '-y'],
  ])('says of a server that has none of it: %s', async (...argv) => {
    const outcome = await run(argv, { fetch: createMinimalService().fetch });
    expect(outcome.stderr).toContain('This server does not support API key management');
    expect(outcome.exitCode).toBe(1);
  });
});

describe('govctl api-key rotate', () => {
  it('shows a new key once; the old one works for a day more, or as long as --overlap says', async () => {
    const made = await create();
    const rotated = await run(['rotate', made.id]);
    const [, key] = /^Key {2}(gk_\S{43}) {3}\(shown only once\)$/m.exec(rotated.stdout) ?? [];
    expect(rotated.stderr).toContain('The old key works until 2026-03-02 12:00 UTC');
    expect([await statusWith(made.key), await statusWith(key)]).toEqual([200, 200]);
    const last = await json('rotate', made.id, '--overlap', '0s');
    expect([await statusWith(key), await statusWith(last.key)]).toEqual([401, 200]);
  });

  it('takes no overlap that is no duration', async () => {
    const { id } = await create();
    expect((await run(['rotate', id, '--overlap', 'a day'])).exitCode).toBe(3);
  });

  it('begins signed requests, and shows what they are signed with', async () => {
    const made = await create();
    const rotated = await run(['rotate', made.id, '--require-signature', '--overlap', '0s']);
    expect(rotated.stdout).toMatch(/^Signing secret {2}gss_\S{43} {3}\(shown only once\)$/m);
    expect(rotated.stdout).toMatch(/signatures +required/);
    expect(rotated.stderr).toContain('GOVCTL_SIGNING_SECRET');
  });
});

describe('restrictions of govctl api-key', () => {
  const words = ['create', '--name', 'ci', '--scope', 'governance:read'];

  it('are set at creation, shown, changed and removed', async () => {
    const made = await json<Record<string, unknown>>(...words, '--ip', '203.0.113.0/24,10.0.0.0/8', '--require-signature'); // prettier-ignore
    expect(made).toMatchObject({
      ip_allow_list: ['203.0.113.0/24', '10.0.0.0/8'],
      require_signature: true,
      signing_secret: expect.stringMatching(/^gss_/) as string,
    });
    const id = String(made.id);
    expect((await run(['get', id])).stdout).toMatch(
      /addresses +203\.0\.113\.0\/24, 10\.0\.0\.0\/8/,
    );
    expect((await run(['update', id, '--name', 'x'])).exitCode).toBe(0);
    const less = await json<Record<string, unknown>>('update', id, '--no-ip', '--no-require-signature'); // prettier-ignore
    expect(less).not.toHaveProperty('ip_allow_list');
    expect(less).not.toHaveProperty('require_signature');
    const more = await json<Record<string, unknown>>('update', id, '--ip', '10.0.0.0/8');
    expect(more.ip_allow_list).toEqual(['10.0.0.0/8']);
  });

  it('are refused where the server cannot hold to them', async () => {
    const country = await run([...words, '--country', 'de']);
    expect([country.exitCode, country.stderr]).toEqual([3, expect.stringContaining('country_database')]); // prettier-ignore
    const address = await run([...words, '--ip', '203.0.113.7']);
    expect([address.exitCode, address.stderr]).toEqual([3, expect.stringContaining('203.0.113.7/32')]); // prettier-ignore
  });
});

describe('govctl api-key of a person who is an editor', () => {
  it('manages their own keys, and does not find those of others', async () => {
    const logins = await startLoginService();
    const { access_token: token } = (await logins.login()).tokens;
    const as = (...argv: string[]): Promise<Outcome> =>
      run([...argv], {
        env: { GOVCTL_BASE_URL: 'http://service.test', GOVCTL_TOKEN: token, NO_COLOR: '1' },
        fetch: async (url, init) => logins.app.fetch(new Request(url, init), {}),
      });
    const scope = ['--scope', 'governance:read'];
    const made = await as('create', '--name', 'laptop', ...scope, '-o', 'json');
    const { id } = JSON.parse(made.stdout) as Key;
    const others = await logins.send('POST', '/v1/api-keys', { body: { name: 'theirs', scopes: ['governance:read'] } }); // prettier-ignore
    expect((await as('list')).stdout).toContain('laptop');
    expect((await as('list')).stdout).not.toContain('theirs');
    const none = await as('list', '--bound-to', 'user_x', '-o', 'json');
    expect(JSON.parse(none.stdout)).toMatchObject({ api_keys: [] });
    expect((await as('update', id, '--name', 'desktop')).exitCode).toBe(0);
    expect((await as('rotate', id)).stdout).toMatch(/^Key {2}gk_/m);
    expect((await as('revoke', id, '--yes')).exitCode).toBe(0);
    const other = await as('revoke', String(others.json.id), '--yes');
    expect([other.exitCode, other.stderr]).toEqual([1, expect.stringContaining('no API key')]);
    const wider = await as('create', '--name', 'all', '--scope', 'admin');
    expect([wider.exitCode, wider.stderr]).toEqual([
      4,
      expect.stringContaining('An API key with admin requires the scope admin'),
    ]);
    await logins.close();
  });
});
