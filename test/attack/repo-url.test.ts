import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Fetch } from '../../src/client/http.ts';
import { createProgram } from '../../src/cli/program.ts';
import type { GovctlCommand } from '../../src/cli/flags/govctl-command.ts';
import type { Plan } from '../../src/project/plan/plan.ts';
import { digestPlan } from '../../src/project/plan/plan.ts';
import { createFakeWorld, runCommandLine } from '../support/fake-world.ts';
import type { FakeWorldSettings } from '../support/fake-world.ts';
import { createMinimalService } from '../support/minimal-service.ts';
import { makeRepo } from '../support/temp-repo.ts';

const ours = 'https://governance.example.com';
const theirs = 'https://collector.example.net';
const secret = 'gk_the-credential-of-the-environment';

/** A network on which every address answers as a service does; it remembers who was told a credential. */
function listening() {
  const service = createMinimalService();
  const told: string[] = [];
  const asked: string[] = [];
  const scopes: (string | undefined)[] = [];
  const fetch: Fetch = async (url, init) => {
    asked.push(url);
    const carried = JSON.stringify([url, init.headers, init.body ?? '']);
    if (carried.includes(secret)) told.push(new URL(url).origin);
    if (new URL(url).pathname !== '/auth/token') {
      return service.fetch(url.replace(/\/(?:ours|theirs)(?=\/)/, ''), init);
    }
    const { scope } = JSON.parse(init.body ?? '{}') as { scope?: string };
    scopes.push(scope);
    return new Response(
      JSON.stringify({ access_token: secret, token_type: 'Bearer', expires_in: 60 }),
    );
  };
  return { fetch, told, asked, scopes, service };
}

const policy =
  'name: encrypted\nresource_type: AWS::S3::Bucket\nrules:\n  - condition: resource.encryption.enabled == false\n    effect: DENY\n';

const clone = (baseUrl = theirs): string =>
  makeRepo({
    'govctl.yaml': `project: acme\nbase_url: ${baseUrl}\npaths: [policies]\n`,
    'policies/encrypted.yaml': policy,
  });

const logins = {
  'a token': { GOVCTL_TOKEN: secret },
  'client credentials': { GOVCTL_CLIENT_ID: 'ci', GOVCTL_CLIENT_SECRET: secret },
  'the ID token of a CI job': { GOVCTL_OIDC: '1', GOVCTL_ID_TOKEN: secret },
};
const kinds = Object.keys(logins) as (keyof typeof logins)[];

/** In a cloned repo, with logins of its own that nobody else sees. */
async function govctl(argv: readonly string[], cwd: string, settings: FakeWorldSettings = {}) {
  const network = listening();
  const outcome = await runCommandLine(argv, {
    cwd,
    fetch: network.fetch,
    ...settings,
    env: {
      GOVCTL_CONFIG_DIR: path.join(cwd, '.config'),
      GOVCTL_KEYRING: 'off',
      ...settings.env,
    },
  });
  return { ...outcome, ...network };
}

/** Every command, with as many arguments as it takes at most. */
function everyCommand(): string[][] {
  const program = createProgram(() => async () => undefined, createFakeWorld(), '0.0.0-test');
  const walk = (command: GovctlCommand, words: string[]): string[][] => {
    const own = command.registeredArguments.map(({ variadic }) => (variadic ? 'policies' : 'some'));
    return [
      ...(command.commands.length === 0 || command.hasOwnAction ? [[...words, ...own]] : []),
      ...command.commands.flatMap((child) =>
        walk(child as GovctlCommand, [...words, child.name()]),
      ),
    ];
  };
  return program.commands.flatMap((command) =>
    // What starts other programs or servers of its own has no address of a repo.
    ['server', 'demo'].includes(command.name())
      ? []
      : walk(command as GovctlCommand, [command.name()]),
  );
}

describe('an address that only a cloned repo names', () => {
  it.each(kinds)('gets %s of the environment from no command', async (kind) => {
    const cwd = clone();
    const stop = AbortSignal.timeout(60_000);
    for (const words of everyCommand()) {
      const env = logins[kind];
      const { told } = await govctl(words, cwd, { env, stdin: secret, signal: stop });
      expect(told, words.join(' ')).toEqual([]);
    }
    expect(stop.aborted).toBe(false);
  });

  it.each(kinds)('is refused with exit code 4 and the remedies, for %s', async (kind) => {
    const { exitCode, stderr, asked } = await govctl(['plan'], clone(), { env: logins[kind] });
    expect(exitCode).toBe(4);
    expect(asked).toEqual([]);
    expect(stderr).toContain(`is not sent to ${theirs}: only govctl.yaml specifies that URL`);
    for (const remedy of [
      '--base-url',
      'GOVCTL_BASE_URL',
      '--trust-repo-url',
      'GOVCTL_TRUSTED_URLS',
    ])
      expect(stderr).toContain(remedy);
  });

  it.each([
    ['the flag', ['--base-url', theirs], {}],
    ['GOVCTL_BASE_URL', [], { GOVCTL_BASE_URL: theirs }],
    ['--trust-repo-url', ['--trust-repo-url'], {}],
    ['GOVCTL_TRUSTED_URLS', [], { GOVCTL_TRUSTED_URLS: `${ours}, ${theirs}/` }],
    [
      'GOVCTL_TRUSTED_URLS in another spelling',
      [],
      { GOVCTL_TRUSTED_URLS: 'HTTPS://Collector.Example.NET:443' },
    ],
  ])('gets it where the user names the address, too: by %s', async (_, flags, env) => {
    const { exitCode, told } = await govctl(['plan', ...flags], clone(), {
      env: { ...logins['a token'], ...env },
    });
    expect(exitCode).toBe(0);
    expect(new Set(told)).toEqual(new Set([theirs]));
  });

  it.each([
    ['https://governance.example.com.evil.net', ours],
    ['https://governance.example.com:8443', ours],
    ['http://governance.example.com', ours],
    ['https://gоvernance.example.com', ours], // a Cyrillic о
    ['https://shared.example.com/theirs', 'https://shared.example.com/ours'],
    ['https://shared.example.com/ours-too', 'https://shared.example.com/ours'],
    ['https://shared.example.com/ours/../theirs', 'https://shared.example.com/ours'],
    ['https://shared.example.com/ours/%2e%2e/theirs', 'https://shared.example.com/ours'],
    ['https://shared.example.com/ours/..%2ftheirs', 'https://shared.example.com/ours'],
    ['https://shared.example.com', 'https://shared.example.com/ours'],
  ])('is not taken for a trusted one that it resembles: %s', async (named, trusted) => {
    const cwd = clone(named);
    const env = { ...logins['a token'], GOVCTL_TRUSTED_URLS: trusted };
    const { exitCode, told } = await govctl(['policy', 'list'], cwd, { env });
    expect([exitCode, told]).toEqual([4, []]);
  });

  it('gets it where it lies below a trusted one', async () => {
    const env = { ...logins['a token'], GOVCTL_TRUSTED_URLS: 'https://shared.example.com/ours' };
    const cwd = clone('https://shared.example.com/ours/eu/');
    expect((await govctl(['policy', 'list'], cwd, { env })).told).toEqual([
      'https://shared.example.com',
    ]);
  });

  it('says which variable is wrong where the list of trusted ones is', async () => {
    const env = { ...logins['a token'], GOVCTL_TRUSTED_URLS: 'governance.example.com' };
    const { exitCode, stderr } = await govctl(['policy', 'list'], clone(), { env });
    expect(exitCode).toBe(3);
    expect(stderr).toContain('GOVCTL_TRUSTED_URLS: "governance.example.com"');
  });

  it('gets the login of a profile that was made for it, and that of the environment then', async () => {
    const cwd = clone(ours);
    const login = ['auth', 'login', '--base-url', ours, '--with-token'];
    expect((await govctl(login, cwd, { stdin: secret })).exitCode).toBe(0);
    for (const env of [{}, logins['a token'], logins['client credentials']]) {
      const { exitCode, told } = await govctl(['policy', 'list'], cwd, { env });
      expect(exitCode).toBe(0);
      expect(new Set(told)).toEqual(new Set([ours]));
    }
    writeFileSync(path.join(cwd, 'govctl.yaml'), `base_url: ${theirs}\n`);
    for (const env of [{}, logins['a token'], logins['client credentials']]) {
      const { exitCode, told } = await govctl(['policy', 'list'], cwd, { env });
      expect([exitCode, told]).toEqual([4, []]);
    }
  });

  it('gets no profile of another path of a shared host', async () => {
    const cwd = clone('https://shared.example.com/theirs');
    const login = [
      'auth',
      'login',
      '--base-url',
      'https://shared.example.com/ours',
      '--with-token',
    ];
    expect((await govctl(login, cwd, { stdin: secret })).exitCode).toBe(0);
    expect(await govctl(['policy', 'list'], cwd)).toMatchObject({ exitCode: 4, told: [] });
  });
});

describe('logging in within a cloned repo', () => {
  it('sends no ID token of a CI job to the address of the repo, nor asks for one', async () => {
    for (const token of [
      { GOVCTL_ID_TOKEN: secret },
      {
        ACTIONS_ID_TOKEN_REQUEST_URL: 'https://actions.example.com/token?api-version=2',
        ACTIONS_ID_TOKEN_REQUEST_TOKEN: secret,
      },
    ]) {
      const login = await govctl(['auth', 'login', '--oidc'], clone(), { env: token });
      expect([login.exitCode, login.asked]).toEqual([4, []]);
      expect(login.stderr).toContain(`The ID token of this CI job is not sent to ${theirs}`);
      const env = { ...token, GOVCTL_OIDC: '1' };
      const { exitCode, asked } = await govctl(['plan'], clone(), { env });
      expect([exitCode, asked]).toEqual([4, []]);
    }
  });

  it.each([
    ['a key', ['--with-token']],
    ['a client secret', ['--client-id', 'ci']],
  ])('sends no %s from standard input to the address of the repo', async (_, flags) => {
    const { exitCode, told, stderr } = await govctl(['auth', 'login', ...flags], clone(), {
      stdin: secret,
    });
    expect([exitCode, told]).toEqual([4, []]);
    expect(stderr).toContain(`is not sent to ${theirs}`);
  });

  it('names the address in the question for it and in that for the secret', async () => {
    const network = listening();
    const cwd = clone();
    const world = createFakeWorld({
      cwd,
      tty: true,
      fetch: network.fetch,
      env: { GOVCTL_CONFIG_DIR: path.join(cwd, '.config'), GOVCTL_KEYRING: 'off' },
      answers: [theirs, 'key', secret],
    });
    expect((await runCommandLine(['auth', 'login'], world)).exitCode).toBe(0);
    expect(world.asked).toEqual([
      'URL of the service (from govctl.yaml):',
      `How do you want to log in to ${theirs}?`,
      `API key for ${theirs}:`,
    ]);
  });
});

describe('a plan file that was edited and given a new digest', () => {
  async function forged(): Promise<string> {
    const cwd = makeRepo({
      'govctl.yaml': 'project: acme\npaths: [policies]\n',
      'policies/encrypted.yaml': policy,
    });
    const made = await govctl(['plan', '--out', 'plan.json', '--base-url', ours], cwd, {
      env: logins['a token'],
    });
    expect(made.exitCode).toBe(0);
    const file = path.join(cwd, 'plan.json');
    const edited = { ...(JSON.parse(readFileSync(file, 'utf8')) as Plan), base_url: theirs };
    writeFileSync(file, JSON.stringify({ ...edited, digest: digestPlan(edited) }));
    return cwd;
  }
  const apply = ['apply', 'plan.json', '--auto-approve'];

  it.each(kinds)('sends %s nowhere', async (kind) => {
    const { exitCode, told, stderr } = await govctl(apply, await forged(), { env: logins[kind] });
    expect([exitCode, told]).toEqual([4, []]);
    expect(stderr).toContain(`is not sent to ${theirs}: only plan.json specifies that URL`);
  });

  it('is for another server where the environment names one', async () => {
    const env = { ...logins['a token'], GOVCTL_BASE_URL: ours };
    const { exitCode, told } = await govctl(apply, await forged(), { env });
    expect([exitCode, told]).toEqual([5, []]);
  });
});

describe('a server that answers with another address', () => {
  const elsewhere = `${theirs}/v1/policies`;
  it.each([301, 302, 303, 307, 308])('is not followed with a login: %i', async (status) => {
    const asked: string[] = [];
    const fetch: Fetch = async (url, init) => {
      asked.push(url);
      expect(init.redirect).toBe('manual');
      return new Response('', { status, headers: { location: elsewhere } });
    };
    for (const words of [
      ['policy', 'list'],
      ['api', '/v1/policies'],
      ['report', 'get', 'rpt_1'],
    ]) {
      const { exitCode } = await govctl([...words, '--base-url', ours], clone(), {
        fetch,
        env: logins['a token'],
      });
      expect(exitCode).not.toBe(0);
    }
    expect(new Set(asked.map((url) => new URL(url).origin))).toEqual(new Set([ours]));
  });

  it('does not choose where the next page comes from', async () => {
    const asked: string[] = [];
    const fetch: Fetch = async (url) => {
      asked.push(url);
      const pagination = { has_more: asked.length < 3, next_cursor: elsewhere, next: elsewhere };
      const policies = [{ id: `pol_${asked.length}` }];
      return new Response(JSON.stringify({ policies, pagination }), {
        headers: { link: `<${elsewhere}>; rel="next"`, location: elsewhere },
      });
    };
    const argv = ['api', '/v1/policies', '--paginate', '--base-url', ours];
    expect((await govctl(argv, clone(), { fetch, env: logins['a token'] })).exitCode).toBe(0);
    expect(asked).toHaveLength(3);
    expect(new Set(asked.map((url) => new URL(url).origin))).toEqual(new Set([ours]));
  });

  it.each([
    elsewhere,
    '//collector.example.net/v1',
    '///collector.example.net',
    '@collector.example.net/',
    '\\\\collector.example.net',
  ])('is not asked by `govctl api` either: %s', async (where) => {
    const argv = ['api', 'GET', where, '--base-url', ours];
    const { told, exitCode } = await govctl(argv, clone(), { env: logins['a token'] });
    expect([exitCode, told]).toEqual([3, []]);
  });

  it.each([
    'https://ada:secret@governance.example.com',
    'https://governance.example.com@collector.example.net',
  ])('is no address that has a user name: %s', async (url) => {
    const env = logins['a token'];
    const { told, exitCode, stderr } = await govctl(
      ['policy', 'list', '--base-url', url],
      clone(),
      { env },
    );
    expect([exitCode, told]).toEqual([3, []]);
    expect(stderr).not.toContain('ada:secret');
  });
});

describe('client credentials of the environment', () => {
  const env = { ...logins['client credentials'], GOVCTL_BASE_URL: ours };

  it('ask for the scope that the command needs, and for more once it does', async () => {
    const cwd = clone(ours);
    expect((await govctl(['policy', 'list'], cwd, { env })).scopes).toEqual(['governance:read']);
    expect((await govctl(['apply', '--auto-approve'], cwd, { env })).scopes).toEqual([
      // Budgets of the project may be live.
      'cost:read governance:read',
      'compliance:write cost:read governance:read',
    ]);
  });

  it('ask for what GOVCTL_SCOPE says instead', async () => {
    const scoped = { ...env, GOVCTL_SCOPE: 'governance:read compliance:write' };
    expect(
      (await govctl(['apply', '--auto-approve'], clone(ours), { env: scoped })).scopes,
    ).toEqual(['governance:read compliance:write']);
  });

  it('get a token with what the client has where it lacks one', async () => {
    const network = listening();
    const scopes: unknown[] = [];
    const fetch: Fetch = async (url, init) => {
      if (!url.endsWith('/auth/token')) return network.fetch(url, init);
      const { scope } = JSON.parse(init.body ?? '{}') as { scope?: string };
      scopes.push(scope);
      return scope === undefined
        ? new Response(
            JSON.stringify({ access_token: 'narrow', token_type: 'Bearer', expires_in: 60 }),
          )
        : new Response(JSON.stringify({ error: 'invalid_scope' }), { status: 400 });
    };
    expect((await govctl(['policy', 'list'], clone(ours), { env, fetch })).exitCode).toBe(0);
    expect(scopes).toEqual(['governance:read', undefined]);
  });
});
