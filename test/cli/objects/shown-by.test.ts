import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { policy, startTestService } from '../../server/test-service.ts';
import type { TestService } from '../../server/test-service.ts';
import { runCommandLine } from '../../support/fake-world.ts';
import type { Outcome } from '../../support/fake-world.ts';

let service: TestService;
beforeEach(async () => void (service = await startTestService()));
afterEach(() => service.close());

/** The paths of the requests so far. */
let asked: string[];
beforeEach(() => void (asked = []));

const run = (argv: readonly string[], key = service.key, answer?: Response): Promise<Outcome> =>
  runCommandLine(argv, {
    env: { GOVCTL_BASE_URL: 'https://service.test', GOVCTL_TOKEN: key, NO_COLOR: '1' },
    fetch: async (url, init) => {
      const { pathname } = new URL(url);
      asked.push(pathname);
      if (answer && pathname === '/v1/me') return answer;
      return service.app.fetch(new Request(url, init), {});
    },
  });

/** Creates a policy with a key of this scope, whose name is its scopes. */
async function createdBy(...scopes: Parameters<TestService['keyWith']>): Promise<string> {
  const key = await service.keyWith(...scopes);
  const headers = { 'Govctl-Source': `commit="${'0'.repeat(40)}"` };
  const { json } = await service.send('POST', '/v1/policies', { body: policy('p'), key, headers });
  return String(json.id);
}

describe('who created or applied an object', () => {
  it.each([
    ['webhook', ['--url', 'https://example.com', '--event', 'all', '--generate-secret'], 'by'],
    ['policy', ['--name', 'p', '--type', 'AWS::S3::Bucket', '--deny', 'resource.public'], 'by'],
    ['api-key', ['--name', 'ci', '--scope', 'governance:read'], 'created by'],
    ['client', ['--name', 'ci', '--scope', 'governance:read'], 'created by'],
    ['role', ['reader', '--scope', 'governance:read'], 'by'],
    ['user', ['ann@example.com', '--role', 'viewer'], 'by'],
  ])('is shown by name after %s create', async (noun, flags, by) => {
    const { exitCode, stdout } = await run([noun, 'create', ...flags]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(new RegExp(`${by} +bootstrap$`, 'm'));
  });

  it('is shown by name to a token that may read the audit log', async () => {
    const id = await createdBy('governance:read', 'compliance:write');
    const { stdout } = await run(['policy', 'get', id]);
    expect(stdout).toMatch(/created +\S+ \S+ UTC by governance:read compliance:write$/m);
    expect(stdout).toMatch(/applied +commit 0000000, .*, by governance:read compliance:write$/m);
  });

  it('is shown by name in lists of what people did', async () => {
    await service.send('POST', '/v1/compliance/evidence/manual', {
      body: { control: 'SOC2:CC1.1', text: 'Signed by all.', expires: '2026-12-31' },
    });
    const { stdout } = await run(['evidence', 'list', '--attached']);
    expect(stdout).toMatch(/^evm_.* bootstrap$/m);
    const rows = await run(['evidence', 'list', '--attached', '-o', 'json']);
    expect(rows.stdout).toMatch(/user_/);
  });

  it('is shown by name for the first 20 others in a list, as each name takes a request', async () => {
    for (let at = 0; at < 22; at += 1) {
      const key = await service.keyWith('compliance:write');
      const body = { control: 'SOC2:CC1.1', text: 'Signed.', expires: '2026-12-31' };
      await service.send('POST', '/v1/compliance/evidence/manual', { body, key });
    }
    const { stdout } = await run(['evidence', 'list', '--attached', '--all']);
    expect(stdout.match(/^evm_.* compliance:write$/gm)).toHaveLength(20);
    expect(stdout.match(/^evm_.* user_\w+$/gm)).toHaveLength(2);
    expect(asked.filter((path) => path === '/v1/audit-log')).toHaveLength(20);
  });

  it('is shown by ID to any other token, which asks for nothing that it must not read', async () => {
    const id = await createdBy('compliance:write');
    const { stdout } = await run(['policy', 'get', id], await service.keyWith('governance:read'));
    expect(stdout).toMatch(/created +\S+ \S+ UTC by user_\w+$/m);
    expect(asked).toEqual([`/v1/policies/${id}`, '/v1/me']);
  });

  it('is an ID in JSON, without further requests', async () => {
    const id = await createdBy('compliance:write');
    const { stdout } = await run(['policy', 'get', id, '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({
      created_by: expect.stringMatching(/^user_/) as unknown,
    });
    expect(asked).toEqual([`/v1/policies/${id}`]);
  });

  it.each([
    ['an error', '{}', 501],
    ['an empty answer', '', 200],
  ])(
    'is an ID where %s has no name, beside a key that is shown only once',
    async (_, body, status) => {
      const flags = ['--name', 'ci', '--scope', 'governance:read'];
      const broken = new Response(body, { status });
      const { exitCode, stdout } = await run(['api-key', 'create', ...flags], service.key, broken);
      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/created by +user_\w+\n/);
      expect(stdout).toContain('(shown only once)');
    },
  );
});
