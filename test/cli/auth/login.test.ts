import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Keychain } from '../../../src/cli/credentials/keychain.ts';
import { probeKeychain, systemKeychain } from '../../../src/cli/credentials/keychain.ts';
import type { FakeWorldSettings } from '../../support/fake-world.ts';
import { createFakeWorld, fakeNow, runCommandLine } from '../../support/fake-world.ts';
import { apiKey, baseUrl, clientSecret, createTokenService } from './token-service.ts';

let home: string;
beforeEach(() => (home = mkdtempSync(path.join(tmpdir(), 'govctl-login-'))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

const config = (): string => path.join(home, 'config');
const credentials = (name = 'default'): string =>
  path.join(config(), 'credentials', `${name}.json`);

/** Runs a command with this test's own logins. */
const run = (argv: readonly string[], settings: FakeWorldSettings = {}) =>
  runCommandLine(argv, {
    cwd: home,
    ...settings,
    env: { GOVCTL_CONFIG_DIR: config(), ...settings.env },
  });

const logIn = (settings: FakeWorldSettings = {}, ...more: string[]) =>
  run(['auth', 'login', '--base-url', baseUrl, '--with-token', ...more], {
    fetch: createTokenService().fetch,
    stdin: `${apiKey}\n`,
    ...settings,
  });

const logInClient = (settings: FakeWorldSettings) =>
  run(['auth', 'login', '--base-url', baseUrl, '--client-id', 'ci'], {
    stdin: clientSecret,
    ...settings,
  });

function memoryKeychain(): Keychain & { readonly entries: Map<string, string> } {
  const entries = new Map<string, string>();
  return {
    entries,
    read: async (account) => entries.get(account) ?? null,
    write: async (account, secret) => void entries.set(account, secret),
    remove: async (account) => entries.delete(account),
  };
}

/** Everything below a folder, as one text. */
function everythingIn(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
}

describe('auth status --all', () => {
  it('marks the profile that commands use', async () => {
    await logIn();
    await logIn({}, '--profile', 'staging');
    const { fetch } = createTokenService();
    const { stdout } = await run(['auth', 'status', '--all'], { fetch });
    expect(stdout).toContain('profile "default": an API key, stored in a file (current)');
    expect(stdout.match(/\(current\)/g)).toHaveLength(1);
    const json = await run(['auth', 'status', '--all', '-o', 'json'], { fetch });
    expect(JSON.parse(json.stdout)).toMatchObject({
      logins: [
        { profile: 'default', current: true },
        { profile: 'staging', current: false },
      ],
    });
  });
});

describe('auth login with an API key', () => {
  it('says in one line that there is no keychain, whatever the system says of it', async () => {
    const fail = () => Promise.reject(new Error(`DBus error: ${'no such service '.repeat(20)}`));
    const outcome = await logIn({ keychain: { read: fail, write: fail, remove: fail } });
    expect(outcome.stderr).toMatch(
      /^No usable keychain; storing the login in .*, which only you can read\.\n/m,
    );
    expect(outcome.stderr).not.toContain('DBus');
  });

  it('says of a broken list of profiles that it is not JSON', async () => {
    await logIn();
    writeFileSync(path.join(config(), 'profiles.json'), '{"a":');
    const outcome = await run(['auth', 'status'], {});
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stderr).toContain('profiles.json is not valid JSON');
  });

  it('tries the key at the service, keeps it in a file only its owner can read, and says so', async () => {
    const outcome = await logIn();
    expect(outcome).toMatchObject({ exitCode: 0 });
    expect(outcome.stdout).toContain(`Logged in to ${baseUrl} with an API key`);
    expect(outcome.stdout).toContain('it can read 7 policies');
    expect(outcome.stderr).toContain('No usable keychain');
    expect(outcome.stderr).toContain(credentials());
    expect(statSync(credentials()).mode & 0o777).toBe(0o600);
    expect(statSync(config()).mode & 0o777).toBe(0o700);
    expect(readFileSync(path.join(config(), 'profiles.json'), 'utf8')).not.toContain(apiKey);
  });

  it('is used by the commands that follow', async () => {
    await logIn();
    const service = createTokenService();
    expect(await run(['policy', 'list'], { fetch: service.fetch })).toMatchObject({ exitCode: 0 });
    expect(service.seen[0]).toContain(`${baseUrl}/v1/policies`);
    expect(service.seen[0]).toContain(`Bearer ${apiKey}`);
    expect(await run(['auth', 'token'])).toMatchObject({ exitCode: 0, stdout: `${apiKey}\n` });
  });

  it('keeps the key in the keychain where there is one, and in no file', async () => {
    const keychain = memoryKeychain();
    const outcome = await logIn({ keychain });
    expect(outcome.stdout).toContain('stored in the system keychain');
    expect(everythingIn(config())).not.toContain(apiKey);
    expect([...keychain.entries.keys()]).toEqual(['profile:default']);
    expect((await run(['auth', 'token'], { keychain })).stdout).toBe(`${apiKey}\n`);
  });

  it('does not ask a keychain that is switched off', async () => {
    const keychain = memoryKeychain();
    const outcome = await logIn({ keychain, env: { GOVCTL_KEYRING: 'off' } });
    expect(outcome.exitCode).toBe(0);
    expect(outcome.stderr).not.toContain('keychain');
    expect(keychain.entries.size).toBe(0);
    expect(readFileSync(credentials(), 'utf8')).toContain(apiKey);
  });

  it('does not ask a keychain that was switched off since, and says so', async () => {
    const keychain = memoryKeychain();
    await logIn({ keychain });
    const off = { keychain, env: { GOVCTL_KEYRING: 'off' } };
    const outcome = await run(['auth', 'token'], off);
    expect(outcome.exitCode).toBe(4);
    expect(outcome.stderr).toContain('GOVCTL_KEYRING=off');
    expect(await logIn(off)).toMatchObject({ exitCode: 0 });
    expect((await run(['auth', 'token'], off)).stdout).toBe(`${apiKey}\n`);
  });

  it('does not believe a keychain that forgets what it was given', async () => {
    const forgetful = { ...memoryKeychain(), read: async () => null };
    const outcome = await logIn({ keychain: forgetful });
    expect(outcome.stderr).toContain('the keychain did not return the stored value');
    expect(readFileSync(credentials(), 'utf8')).toContain(apiKey);
  });

  it('moves a login from the file into the keychain without leaving it behind', async () => {
    await logIn();
    await logIn({ keychain: memoryKeychain() });
    expect(everythingIn(config())).not.toContain(apiKey);
  });

  it('keeps nothing when the service refuses the key', async () => {
    const outcome = await logIn({ stdin: 'gk_wrong' });
    expect(outcome.exitCode).toBe(4);
    expect(outcome.stderr).toContain('The token is not known');
    expect(readdirSync(home)).toEqual([]);
  });

  it('keeps nothing when a login page answers instead of the service', async () => {
    const page = async () => new Response('<!doctype html><title>Sign in</title>', { status: 200 });
    const outcome = await logIn({ fetch: page });
    expect(outcome.exitCode).toBe(1);
    expect(outcome.stderr).toContain('the response is not JSON and begins with');
    expect(readdirSync(home)).toEqual([]);
  });

  it('takes a key that may not read policies, and says so', async () => {
    const answer = { error: 'insufficient_scope', error_description: 'governance:read is missing' };
    const outcome = await logIn({
      fetch: async () => new Response(JSON.stringify(answer), { status: 403 }),
    });
    expect(outcome.exitCode).toBe(0);
    expect(outcome.stdout).toContain('cannot read policies');
  });

  it('says that GOVCTL_TOKEN goes before the login', async () => {
    const outcome = await logIn({ env: { GOVCTL_TOKEN: 'other' } });
    expect(outcome.stderr).toContain('GOVCTL_TOKEN is set and overrides this login');
  });

  it.each([
    ['', 'contains no token'],
    ['  \n', 'contains no token'],
    ['Bearer abc', 'not a token'],
    ['two\nlines', 'not a token'],
    ['schlüssel', 'not a token'],
  ])('refuses %j without repeating it', async (stdin, why) => {
    const outcome = await logIn({ stdin });
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stderr).toContain(why);
    if (stdin.trim()) expect(outcome.stderr).not.toContain(stdin.trim());
  });
});

describe('auth login asks on a terminal', () => {
  it('for the address, the method and the key, and echoes no key', async () => {
    const world = createFakeWorld({
      tty: true,
      cwd: home,
      env: { GOVCTL_CONFIG_DIR: config() },
      answers: [baseUrl, 'key', apiKey],
      fetch: createTokenService().fetch,
    });
    const outcome = await runCommandLine(['auth', 'login'], world);
    expect(outcome.exitCode).toBe(0);
    expect(world.asked).toEqual([
      'URL of the service:',
      `How do you want to log in to ${baseUrl}?`,
      `API key for ${baseUrl}:`,
    ]);
    expect(outcome.stdout + outcome.stderr).not.toContain(apiKey);
  });

  it('for id and secret of a client', async () => {
    const outcome = await run(['auth', 'login', '--base-url', baseUrl], {
      tty: true,
      answers: ['client', 'ci', clientSecret],
      fetch: createTokenService().fetch,
    });
    expect(outcome.stdout).toContain('with the client ci');
  });

  it('and off a terminal says what to give instead', async () => {
    const outcome = await run(['auth', 'login', '--base-url', baseUrl]);
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stderr).toContain('--with-token');
  });
});

describe('client credentials', () => {
  it('are exchanged for a token, which the next command uses again', async () => {
    const service = createTokenService({ now: () => fakeNow });
    await logInClient({ fetch: service.fetch });
    await run(['policy', 'list'], { fetch: service.fetch });
    await run(['policy', 'list'], { fetch: service.fetch });
    expect(service.issued()).toBe(2); // one to try the login, one that was kept
    expect(everythingIn(path.join(config(), 'credentials'))).toContain('token-2');
  });

  it('are exchanged again just before the token expires', async () => {
    let now = fakeNow;
    const service = createTokenService({ now: () => now, expiresIn: 600 });
    const settings = { fetch: service.fetch, now: () => now };
    await logInClient(settings);
    await run(['policy', 'list'], settings);
    now += 560_000;
    expect(await run(['policy', 'list'], settings)).toMatchObject({ exitCode: 0 });
    expect(service.issued()).toBe(2);
    now += 20_000;
    expect(await run(['policy', 'list'], settings)).toMatchObject({ exitCode: 0 });
    expect(service.issued()).toBe(3);
  });

  it('are exchanged once more when the service no longer takes the kept token', async () => {
    const service = createTokenService({ now: () => fakeNow });
    await logInClient({ fetch: service.fetch });
    await run(['policy', 'list'], { fetch: service.fetch });
    service.revokeTokens();
    expect(await run(['policy', 'list'], { fetch: service.fetch })).toMatchObject({ exitCode: 0 });
    expect(service.issued()).toBe(3);
  });

  it.each([
    ['policy', 'list'],
    ['plan', '--project', 'acme'],
    ['drift', '--project', 'acme'],
    ['auth', 'status'],
    ['doctor'],
  ])(
    'of a client that was revoked are a refused login, not an absent server: %s %s',
    async (...argv) => {
      const service = createTokenService({ now: () => fakeNow });
      await logInClient({ fetch: service.fetch });
      await run(['policy', 'list'], { fetch: service.fetch });
      service.revokeClient();
      writeFileSync(
        path.join(home, 'a.yaml'),
        'name: a\nresource_type: A::B::C\nrules: [{ condition: "true", effect: DENY }]\n',
      );
      const outcome = await run(argv, { fetch: service.fetch });
      const said = outcome.stdout + outcome.stderr;
      expect(said).toContain('was refused: invalid_client');
      expect(said).not.toContain('cannot be reached');
      expect(outcome.exitCode).toBe(argv[0] === 'doctor' ? 1 : 4);
    },
  );

  it('of the environment leave nothing on disk', async () => {
    const service = createTokenService({ now: () => fakeNow });
    const env = {
      GOVCTL_CLIENT_ID: 'ci',
      GOVCTL_CLIENT_SECRET: clientSecret,
      GOVCTL_BASE_URL: `${baseUrl}/api/`,
    };
    expect(await run(['policy', 'list'], { fetch: service.fetch, env })).toMatchObject({
      exitCode: 0,
    });
    expect(service.seen[0]).toBe(`POST ${baseUrl}/api/auth/token`);
    expect(readdirSync(home)).toEqual([]);
  });

  it('need both halves', async () => {
    const outcome = await run(['policy', 'list'], {
      env: { GOVCTL_CLIENT_ID: 'ci', GOVCTL_BASE_URL: baseUrl },
    });
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stderr).toContain('GOVCTL_CLIENT_SECRET is not');
  });

  it('that are wrong end in the words of the service and exit code 4, without the secret', async () => {
    const outcome = await logInClient({
      fetch: createTokenService().fetch,
      stdin: 'a-wrong-secret',
    });
    expect(outcome.exitCode).toBe(4);
    expect(outcome.stderr).toContain('invalid_client: unknown client or secret');
    expect(outcome.stderr).not.toContain('a-wrong-secret');
  });

  it('at a server without a token endpoint say so', async () => {
    const outcome = await logInClient({ fetch: async () => new Response('', { status: 404 }) });
    expect(outcome.exitCode).toBe(4);
    expect(outcome.stderr).toContain('no token endpoint');
  });

  it('show the scopes that were granted', async () => {
    const service = createTokenService({ scope: 'governance:read', now: () => fakeNow });
    await logInClient({ fetch: service.fetch });
    for (const token of ['a new token', 'the kept one']) {
      const outcome = await run(['auth', 'status', '-o', 'json'], { fetch: service.fetch });
      expect(JSON.parse(outcome.stdout), token).toMatchObject({
        logins: [{ method: 'client_credentials', client_id: 'ci', scope: 'governance:read' }],
      });
    }
  });
});

describe('a token endpoint that answers with what is no token', () => {
  it.each(['', 'a\r\nX-Evil: 1', 'two words', 'ü'])(
    'refuses %j and keeps nothing',
    async (value) => {
      const outcome = await logInClient({
        fetch: async () => Response.json({ access_token: value, token_type: 'Bearer' }),
      });
      expect(outcome).toMatchObject({ exitCode: 1 });
      expect(outcome.stderr).toContain('but no access_token');
      expect(readdirSync(home)).toEqual([]);
    },
  );
});

describe('whose login goes where', () => {
  it('never sends the login of one service to another', async () => {
    await logIn();
    const service = createTokenService();
    const outcome = await run(
      ['policy', 'list', '--base-url', 'https://evil.example.com', '--profile', 'default'],
      { fetch: service.fetch },
    );
    expect(outcome.exitCode).toBe(4);
    expect(outcome.stderr).toContain(
      `is for ${baseUrl}; it is not sent to https://evil.example.com`,
    );
    expect(service.seen).toEqual([]);
  });

  it('not even when govctl.yaml of a repo names the other one', async () => {
    await logIn();
    writeFileSync(
      path.join(home, 'govctl.yaml'),
      'project: p\nbase_url: https://evil.example.com\n',
    );
    const service = createTokenService();
    const outcome = await run(['policy', 'list'], { fetch: service.fetch });
    expect(outcome.exitCode).toBe(4);
    expect(service.seen).toEqual([]);
  });

  it.each([
    'http://governance.example.com',
    'https://governance.example.com:8443',
    'https://governance.example.com.evil.net',
  ])('takes %s for another service', async (other) => {
    await logIn();
    const service = createTokenService();
    expect(
      await run(['policy', 'list', '--base-url', other], { fetch: service.fetch }),
    ).toMatchObject({ exitCode: 4 });
    expect(service.seen).toEqual([]);
  });

  it('finds the profile that is for the service', async () => {
    await logIn();
    await run(
      [
        'auth',
        'login',
        '--profile',
        'two',
        '--base-url',
        'https://two.example.com',
        '--with-token',
      ],
      {
        fetch: createTokenService().fetch,
        stdin: apiKey,
      },
    );
    const service = createTokenService();
    const outcome = await run(['policy', 'list', '--base-url', 'https://two.example.com'], {
      fetch: service.fetch,
    });
    expect(outcome.exitCode).toBe(0);
    expect(service.seen[0]).toContain('https://two.example.com/v1/policies');
  });

  it('uses the profile that --profile, GOVCTL_PROFILE or auth switch name', async () => {
    await logIn();
    await logIn({ stdin: apiKey }, '--profile', 'staging');
    for (const [argv, env] of [
      [['auth', 'status', '-o', 'json', '--profile', 'staging'], {}],
      [['auth', 'status', '-o', 'json'], { GOVCTL_PROFILE: 'staging' }],
    ] as const) {
      const outcome = await run(argv, { env, fetch: createTokenService().fetch });
      expect(JSON.parse(outcome.stdout)).toMatchObject({ logins: [{ profile: 'staging' }] });
    }
    expect(await run(['auth', 'switch', 'staging'])).toMatchObject({ exitCode: 0 });
    const outcome = await run(['auth', 'status', '-o', 'json'], {
      fetch: createTokenService().fetch,
    });
    expect(JSON.parse(outcome.stdout)).toMatchObject({ logins: [{ profile: 'staging' }] });
  });

  it('lets GOVCTL_TOKEN go before a profile', async () => {
    await logIn();
    const outcome = await run(['auth', 'token'], { env: { GOVCTL_TOKEN: 'from-env' } });
    expect(outcome.stdout).toBe('from-env\n');
  });

  it('takes the address from flag, environment, govctl.yaml and profile, in this order', async () => {
    await logIn();
    const asked = async (argv: string[], env: NodeJS.ProcessEnv = {}) => {
      const service = createTokenService();
      await run(['policy', 'list', ...argv], {
        fetch: service.fetch,
        env: { GOVCTL_TOKEN: apiKey, ...env },
      });
      return new URL(service.seen[0]?.split(' ')[1] ?? 'http://none').hostname;
    };
    expect(await asked([])).toBe('governance.example.com');
    writeFileSync(path.join(home, 'govctl.yaml'), 'base_url: https://yaml.example.com\n');
    expect(await asked(['--trust-repo-url'])).toBe('yaml.example.com');
    const env = { GOVCTL_BASE_URL: 'https://env.example.com' };
    expect(await asked([], env)).toBe('env.example.com');
    expect(await asked(['--base-url', 'https://flag.example.com'], env)).toBe('flag.example.com');
  });

  it('goes nowhere while govctl.yaml is broken', async () => {
    await logIn();
    writeFileSync(path.join(home, 'govctl.yaml'), 'base_url: [\n');
    const outcome = await run(['policy', 'list'], { fetch: createTokenService().fetch });
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stderr).toMatch(/govctl\.yaml:\d+:\d+/);
  });

  it.each([
    ['not a url', 'is not a URL'],
    ['ftp://x', 'does not start with https://'],
    ['https://user:hunter2@x', 'user name or password'],
    ['https://x?y=1', 'a query or a fragment'],
  ])('refuses --base-url %s', async (address, why) => {
    const outcome = await run(['policy', 'list', '--base-url', address]);
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stderr).toContain(why);
    expect(outcome.stderr).not.toContain('hunter2');
  });

  it('warns where the login would cross a network in the clear', async () => {
    const unsafe = ['policy', 'list', '--base-url', 'http://governance.example.com'];
    const settings = { env: { GOVCTL_TOKEN: apiKey }, fetch: createTokenService().fetch };
    expect((await run([...unsafe, '--quiet'], settings)).stderr).toContain('is not encrypted');
    for (const local of ['http://127.0.0.1:1', 'http://[::1]:1', 'http://localhost:1']) {
      const outcome = await run(['policy', 'list', '--base-url', local], settings);
      expect(outcome.stderr).not.toContain('not encrypted');
    }
  });

  it('names every way to log in when there is none', async () => {
    const nowhere = await run(['policy', 'list']);
    expect(nowhere.exitCode).toBe(3);
    expect(nowhere.stderr).toContain('govctl auth login');
    const nobody = await run(['policy', 'list', '--base-url', baseUrl]);
    expect(nobody.exitCode).toBe(4);
    expect(nobody.stderr).toContain('GOVCTL_TOKEN');
  });
});

describe('profiles', () => {
  it.each(['', '../x', 'A', '.hidden', 'a/b', '__proto__', 'x'.repeat(65)])(
    'cannot be named %j',
    async (name) => {
      const outcome = await logIn({}, `--profile=${name}`);
      expect(outcome.exitCode).toBe(name === '' ? 0 : 3);
      expect(readdirSync(home)).toEqual(name === '' ? ['config'] : []);
    },
  );

  it('that do not exist are said, with the nearest one', async () => {
    await logIn({}, '--profile', 'staging');
    const outcome = await run(['policy', 'list', '--profile', 'stagign']);
    expect(outcome.exitCode).toBe(4);
    expect(outcome.stderr).toContain('Did you mean --profile staging?');
  });

  it('in a file that was damaged end in one message that names it', async () => {
    await logIn();
    writeFileSync(path.join(config(), 'profiles.json'), '{"profiles": 5');
    const outcome = await run(['policy', 'list']);
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stderr).toContain(path.join(config(), 'profiles.json'));
  });
});

describe('a profile whose address is none', () => {
  it('is named, with its file', async () => {
    await logIn();
    const file = path.join(config(), 'profiles.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace(baseUrl, 'nonsense'));
    const outcome = await run(['policy', 'list', '--base-url', baseUrl]);
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stderr).toContain('profiles.default.base_url: must be a URL');
  });
});

describe('files with secrets', () => {
  it('that others can read are closed to them, and it is said', async () => {
    await logIn();
    chmodSync(credentials(), 0o644);
    const outcome = await run(['auth', 'token']);
    expect(outcome.exitCode).toBe(0);
    expect(outcome.stderr).toContain('was readable by other users');
    expect(statSync(credentials()).mode & 0o777).toBe(0o600);
  });

  it('that are links are not followed, neither to read nor to write', async () => {
    await logIn();
    const elsewhere = path.join(home, 'elsewhere');
    writeFileSync(elsewhere, 'untouched');
    rmSync(credentials());
    symlinkSync(elsewhere, credentials());
    const outcome = await run(['auth', 'token']);
    expect(outcome.exitCode).toBe(1);
    expect(outcome.stderr).toContain('not a regular file');
    await logIn();
    expect(readFileSync(elsewhere, 'utf8')).toBe('untouched');
    expect((await run(['auth', 'token'])).stdout).toBe(`${apiKey}\n`);
  });

  it('that were damaged end in one message, without what is in them', async () => {
    await logIn();
    writeFileSync(credentials(), `{"secret": "${apiKey}`);
    const outcome = await run(['auth', 'token']);
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stderr).toContain('was not written by govctl');
    expect(outcome.stderr).not.toContain(apiKey);
  });

  it('that are gone are said to be', async () => {
    await logIn();
    rmSync(credentials());
    const outcome = await run(['policy', 'list']);
    expect(outcome.exitCode).toBe(4);
    expect(outcome.stderr).toContain('missing from its file');
  });

  it('are not written where the folder cannot be made', async () => {
    mkdirSync(home, { recursive: true });
    writeFileSync(path.join(home, 'config'), 'a file in its place');
    const outcome = await logIn();
    expect(outcome.exitCode).toBe(1);
    expect(outcome.stderr).toContain('GOVCTL_CONFIG_DIR');
  });
});

describe('auth logout', () => {
  it('removes the login from the file and the list', async () => {
    await logIn();
    const outcome = await run(['auth', 'logout']);
    expect(outcome.exitCode).toBe(0);
    expect(outcome.stdout).toContain(`Logged out of ${baseUrl}`);
    expect(everythingIn(config())).not.toContain(apiKey);
    expect(await run(['auth', 'status', '--base-url', baseUrl])).toMatchObject({ exitCode: 4 });
  });

  it('removes it from the keychain', async () => {
    const keychain = memoryKeychain();
    await logIn({ keychain });
    expect(await run(['auth', 'logout'], { keychain })).toMatchObject({ exitCode: 0 });
    expect(keychain.entries.size).toBe(0);
  });

  it('says where a login stays that the keychain does not let go', async () => {
    const keychain = memoryKeychain();
    await logIn({ keychain });
    const locked = {
      ...keychain,
      remove: () => Promise.reject(new Error('the keychain is locked')),
    };
    const outcome = await run(['auth', 'logout'], { keychain: locked });
    expect(outcome.exitCode).toBe(1);
    expect(outcome.stderr).toContain('profile:default');
  });

  it('forgets all profiles with --all, and is told when there is none', async () => {
    await logIn();
    await logIn({}, '--profile', 'two');
    expect(await run(['auth', 'logout', '--all'])).toMatchObject({ exitCode: 0 });
    for (const more of [['--all'], []]) {
      expect(await run(['auth', 'logout', ...more])).toMatchObject({
        exitCode: 4,
        stderr: 'error: No login profiles\n',
      });
    }
    expect(await run(['auth', 'status', '--all'])).toMatchObject({ exitCode: 4 });
  });
});

describe('auth status', () => {
  it('shows who, where, how it is kept and whether it is taken, never the secret', async () => {
    await logIn();
    const outcome = await run(['auth', 'status'], { fetch: createTokenService().fetch });
    expect(outcome.exitCode).toBe(0);
    expect(outcome.stdout).toContain('profile "default": an API key, stored in a file');
    expect(outcome.stdout).toContain('valid: it can read');
    expect(outcome.stdout).toContain('kkkk');
    expect(outcome.stdout + outcome.stderr).not.toContain(apiKey);
  });

  it('exits with 4 when the service refuses it, and 1 when it cannot be asked', async () => {
    await logIn();
    const refusing = async () =>
      new Response(
        JSON.stringify({ error: 'expired_token', error_description: 'It has expired' }),
        {
          status: 401,
        },
      );
    const refused = await run(['auth', 'status'], { fetch: refusing });
    expect(refused.exitCode).toBe(4);
    expect(refused.stdout).toContain('refused: It has expired');
    const gone = await run(['auth', 'status', '-o', 'json'], {
      fetch: () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' })),
    });
    expect(gone.exitCode).toBe(1);
    expect(JSON.parse(gone.stdout)).toMatchObject({ logins: [{ valid: null }] });
  });

  it('looks at every profile with --all', async () => {
    await logIn();
    await logIn({}, '--profile', 'two');
    const outcome = await run(['auth', 'status', '--all', '-o', 'ndjson'], {
      fetch: createTokenService().fetch,
    });
    expect(
      outcome.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).profile),
    ).toEqual(['default', 'two']);
  });
});

describe('-v', () => {
  it('shows every request and no secret', async () => {
    const service = createTokenService({ now: () => fakeNow });
    const outcome = await run(['auth', 'login', '--base-url', baseUrl, '--client-id', 'ci', '-v'], {
      fetch: service.fetch,
      stdin: clientSecret,
    });
    expect(outcome.stderr).toContain(`POST ${baseUrl}/auth/token  200`);
    expect(outcome.stderr).toContain(`GET ${baseUrl}/v1/policies?limit=1  200`);
    expect(outcome.stderr).toContain('req_1');
    expect(outcome.stderr).not.toContain(clientSecret);
    expect(outcome.stderr).not.toContain('token-1');
  });
});

describe('the system keychain', () => {
  it('either gives back what it was given or is found unusable', async () => {
    const keychain = systemKeychain();
    const why = await probeKeychain(keychain);
    if (why !== undefined) {
      expect(why).not.toBe('');
      return;
    }
    await keychain.write('test', 'a secret');
    expect(await keychain.read('test')).toBe('a secret');
    expect(await keychain.remove('test')).toBe(true);
    expect(await keychain.read('test')).toBe(null);
  });
});
