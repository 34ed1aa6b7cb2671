import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { apiKeys } from '../../../src/server/auth/collection.ts';
import { trusts } from '../../../src/server/trusts/collection.ts';
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
  runCommandLine([...argv], {
    env: { GOVCTL_BASE_URL: 'http://service.test', GOVCTL_TOKEN: service.key, NO_COLOR: '1' },
    fetch: async (url, init) => service.app.fetch(new Request(url, init), {}),
    ...setup,
  });
const json = async (...argv: string[]) =>
  JSON.parse((await run([...argv, '-o', 'json'])).stdout) as Record<string, unknown>;
const ann = 'ann@example.com';

describe('govctl user', () => {
  it('creates a user and shows the invitation link once, with what to do with it', async () => {
    const words = [
      'user',
      'create',
      'Ann@example.com',
      '--role',
      'editor,auditor',
      '--name',
      'Ann',
    ];
    const created = await run(words);
    expect(created.exitCode).toBe(0);
    const [, link = ''] =
      /^Invitation {2}(\S+) {3}\(shown only once\)$/m.exec(created.stdout) ?? [];
    expect(link).toMatch(/^https:\/\/govctl\.test\/auth\/invitation\/gin_/);
    expect(created.stderr).toContain('Send the link to ann@example.com over a private channel');
    expect(created.stderr).toContain('expires at 2026-03-08 12:00 UTC');
    expect(created.stderr).not.toContain(link);
    const got = await run(['user', 'get', ann]);
    expect(got.stdout).toContain('roles          editor, auditor');
    expect(got.stdout).not.toContain(link);
    const listed = await run(['user', 'list', '--role', 'auditor', '--status', 'invited']);
    expect(listed.stdout).toContain(ann);
    expect((await json('user', 'list', '--status', 'active,disabled')).users).toEqual([]);
  });

  it('answers JSON with the link', async () => {
    expect(await json('user', 'create', ann, '--role', 'viewer')).toMatchObject({
      email: ann,
      roles: ['viewer'],
      status: 'invited',
      invitation_url: expect.stringContaining('gin_'),
      invitation_expires_at: '2026-03-08T12:00:00.000Z',
    });
  });

  it('updates, disables, enables, resets and deletes one, by email address or ID', async () => {
    const { id } = await json('user', 'create', ann, '--role', 'viewer', '--name', 'A');
    const updated = await json('user', 'update', ann, '--role', 'admin', '--no-name');
    expect(updated).toMatchObject({ id, roles: ['admin'] });
    expect(updated).not.toHaveProperty('name');
    const asked = await run(['user', 'disable', ann]);
    expect([asked.exitCode, asked.stderr]).toEqual([3, expect.stringContaining('--yes')]);
    const disabled = await run(['user', 'disable', String(id), '--yes']);
    expect(disabled.stdout).toMatch(/^ {2}status +disabled$/m);
    expect(disabled.stderr).toContain(
      `All sessions and logins of ${ann} have ended. Their API keys`,
    );
    expect(disabled.stderr).toContain(`run \`govctl user revoke ${ann}\``);
    expect((await json('user', 'enable', ann)).status).toBe('invited');
    const reset = await run(['user', 'reset', ann, '--yes']);
    expect(reset.stdout).toMatch(/^Invitation {2}\S+gin_\S+ {3}\(shown only once\)$/m);
    expect((await run(['user', 'delete', ann, '--yes'])).exitCode).toBe(0);
    expect((await run(['user', 'get', ann])).exitCode).toBe(1);
  });

  it('takes all that is bound to one in one command, and says what is left to do', async () => {
    const { id } = await json('user', 'create', ann, '--role', 'viewer');
    const { id: key } = await json(
      'api-key',
      'create',
      '--name',
      'k',
      '--scope',
      'governance:read',
    );
    await service.deps.store.transact(async (tx) => {
      const found = await tx.get(apiKeys, String(key));
      if (found) await tx.replace(apiKeys, { ...found.doc, bound_to: String(id) });
    });
    const rule = await json('trust', 'create', 'acme/x', '--ref', 'refs/heads/main', '--scope', 'governance:read'); // prettier-ignore
    await service.deps.store.transact(async (tx) => {
      const found = await tx.get(trusts, String(rule.id));
      if (found) await tx.replace(trusts, { ...found.doc, bound_to: String(id) });
    });
    const revoked = await run(['user', 'revoke', ann, '--yes']);
    expect(revoked.stdout).toBe(`Revoked for ${ann}: 1 API key, 1 trust rule\n`);
    expect(revoked.stderr).toContain(`govctl user disable ${ann}`);
    expect((await json('user', 'revoke', ann, '--yes')).revoked).toMatchObject({ api_keys: 0 });
    const none = await run(['user', 'revoke', ann, '--yes']);
    expect(none.stdout).toContain('no sessions, tokens or keys');
  });

  it.each([
    [['create', 'ann', '--role', 'viewer'], 3, 'must be an email address'],
    [['create', ann, '--role', 'x'], 3, 'run `govctl role list`'],
    [['create', ann], 3, "required option '--role <role>' not specified"],
    [['update', ann], 3, 'Pass --name, --no-name or --role'],
    [['list', '--status', 'gone'], 3, '--status gone'],
    [['get', 'bob@example.com'], 1, 'There is no user bob@example.com'],
  ])('%j exits with %i and says why', async (argv, code, said) => {
    const outcome = await run(['user', ...argv]);
    expect([outcome.exitCode, outcome.stderr]).toEqual([code, expect.stringContaining(said)]);
  });

  it('says that other servers do not have it', async () => {
    const { fetch } = createMinimalService();
    const outcome = await run(['user', 'list'], { fetch });
    expect(outcome.stderr).toContain('This server does not support user management');
  });
});

describe('govctl role', () => {
  it('lists, creates, updates and deletes roles', async () => {
    const words = ['create', 'reporter', '--scope', 'governance:read,compliance:write'];
    const created = await run(['role', ...words, '--description', 'Makes reports']);
    expect(created.stdout).toContain('Created reporter');
    const { roles } = await json('role', 'list');
    expect((roles as { name: string }[]).map(({ name }) => name)).toEqual([
      'admin',
      'auditor',
      'cost-viewer',
      'editor',
      'owner',
      'reporter',
      'viewer',
    ]);
    expect((await run(['role', 'list'])).stdout).toContain('cost-viewer');
    expect(await json('role', 'update', 'reporter', '--scope', 'governance:read')).toMatchObject({
      scopes: ['governance:read'],
      description: 'Makes reports',
    });
    expect((await run(['role', 'get', 'owner'])).stdout).toContain(
      'only owners can grant the owner role',
    );
    await json('user', 'create', ann, '--role', 'reporter');
    const used = await run(['role', 'delete', 'reporter', '--yes']);
    expect([used.exitCode, used.stderr]).toEqual([
      5,
      expect.stringContaining('govctl user list --role reporter'),
    ]);
    await run(['user', 'delete', ann, '--yes']);
    expect((await run(['role', 'delete', 'reporter', '--yes'])).exitCode).toBe(0);
  });
});
