import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { trustStates } from '../../../src/server/trusts/collection.ts';
import type { TestService } from '../../server/test-service.ts';
import { startTestService } from '../../server/test-service.ts';
import { runCommandLine } from '../../support/fake-world.ts';
import type { FakeWorldSettings, Outcome } from '../../support/fake-world.ts';
import { createMinimalService } from '../../support/minimal-service.ts';

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.close());

const run = (argv: readonly string[], setup: FakeWorldSettings = {}): Promise<Outcome> =>
  runCommandLine(['trust', ...argv], {
    env: { GOVCTL_BASE_URL: 'https://govctl.test', GOVCTL_TOKEN: service.key, NO_COLOR: '1' },
    fetch: async (url, init) => service.app.fetch(new Request(url, init), {}),
    ...setup,
  });
const json = async (...argv: string[]) =>
  JSON.parse((await run([...argv, '-o', 'json'])).stdout) as Record<string, unknown>;
const main = ['acme/policies', '--ref', 'refs/heads/main', '--scope', 'governance:read,compliance:write']; // prettier-ignore

describe('govctl trust', () => {
  it('creates a rule for a repository of GitHub, and says how to pin the repository itself', async () => {
    const { exitCode, stdout, stderr } = await run(['create', ...main]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Created trust_/);
    expect(stdout).toContain('acme/policies refs/heads/main');
    expect(stdout).toContain('events      push, workflow_dispatch, schedule');
    expect(stderr).toContain('pass --repository-id (the value of GITHUB_REPOSITORY_ID');
    const { trusts } = (await json('list')) as { trusts: { id: string }[] };
    const id = trusts[0]?.id ?? '';
    expect((await run(['list'])).stdout).toContain('acme/policies');
    expect((await run(['get', id])).stdout).toContain(
      'https://token.actions.githubusercontent.com',
    );
    expect((await run(['get', id])).stdout).toMatch(/^ {2}last used +never$/m);
    await service.deps.store.transact((tx) =>
      tx.replace(trustStates, { id, last_used_at: '2026-01-15T11:00:00.000Z' }),
    );
    expect((await run(['get', id])).stdout).toMatch(/^ {2}last used +2026-01-15 11:00 UTC$/m);
    const wide = await run(['list'], { tty: true, columns: 300 });
    const narrow = await run(['list'], { tty: true, columns: 80 });
    expect(narrow.stdout).toBe(
      `REPOSITORY     REF              ENVIRONMENT  ID\nacme/policies  refs/heads/main               ${id}\nHidden columns: NAME, PROVIDER, EVENTS, SCOPES, LAST USED. Use a wider terminal,\na pipe or -o json.\n`,
    );
    expect(wide.stdout).toMatch(/ LAST USED .*\n.* 2026-01-15 11:00 UTC /);
  });

  it('creates one for a project of an own GitLab, with every flag', async () => {
    const words = ['create', 'acme/platform/policies', '--provider', 'gitlab', '--issuer', 'https://gitlab.example.com', '--name', 'Deploys', '--repository-id', '20', '--environment', 'production', '--event', 'push,web', '--event', 'merge_request_event', '--allow-pull-request-target', '--scope', 'governance:read']; // prettier-ignore
    const { stderr } = await run(words);
    expect(stderr).toBe('');
    expect((await json('list')).trusts).toMatchObject([
      {
        name: 'Deploys',
        provider: 'gitlab',
        issuer: 'https://gitlab.example.com',
        repository: 'acme/platform/policies',
        repository_id: '20',
        environment: 'production',
        events: ['push', 'web', 'merge_request_event'],
        allow_pull_request_target: true,
        scopes: ['governance:read'],
      },
    ]);
  });

  it('changes and deletes a rule', async () => {
    const { id } = (await json('create', ...main)) as { id: string };
    const words = ['update', id, '--no-ref', '--environment', 'prod', '--event', 'push', '--scope', 'governance:read', '--repository-id', '74', '--repository', 'acme/renamed']; // prettier-ignore
    const updated = await json(...words);
    expect(updated).toMatchObject({
      environment: 'prod',
      events: ['push'],
      scopes: ['governance:read'],
      repository: 'acme/renamed',
      repository_id: '74',
    });
    expect(updated).not.toHaveProperty('ref');
    expect(await json('update', id, '--no-repository-id')).not.toHaveProperty('repository_id');
    expect((await run(['update', id])).exitCode).toBe(3);
    expect((await run(['delete', id])).exitCode).toBe(3);
    expect((await run(['delete', id, '--yes'])).exitCode).toBe(0);
    expect((await run(['get', id])).exitCode).toBe(1);
  });

  it('refuses what no rule can be, before and after asking', async () => {
    const admin = await run(['create', 'acme/policies', '--ref', 'refs/heads/main', '--scope', 'admin']); // prettier-ignore
    expect([admin.exitCode, admin.stderr]).toEqual([3, expect.stringContaining('--scope admin')]);
    const open = await run(['create', 'acme/policies', '--scope', 'governance:read']);
    expect([open.exitCode, open.stderr]).toEqual([
      3,
      expect.stringContaining('ref must be set, or environment'),
    ]);
    const provider = await run(['create', ...main, '--provider', 'jenkins']);
    expect(provider.exitCode).toBe(3);
  });

  it('says of a server without the extension that it has no trust rules', async () => {
    const { fetch } = createMinimalService();
    const { exitCode, stderr } = await run(['list'], { fetch });
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('trust rules')]);
  });
});
