import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../support/fake-world.ts';
import type { FakeWorldSettings, Outcome } from '../../support/fake-world.ts';
import { createMinimalService } from '../../support/minimal-service.ts';
import type { TestService } from '../../server/test-service.ts';
import { startTestService } from '../../server/test-service.ts';

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.close());

const run = (argv: readonly string[], setup: FakeWorldSettings = {}): Promise<Outcome> =>
  runCommandLine(['audit', 'uses', ...argv], {
    env: { GOVCTL_BASE_URL: 'http://service.test', GOVCTL_TOKEN: service.key, NO_COLOR: '1' },
    fetch: async (url, init) => service.app.fetch(new Request(url, init), {}),
    ...setup,
  });

async function use(times: number, from: string, key?: string): Promise<void> {
  for (let n = 0; n < times; n++) {
    await service.send('GET', '/v1/policies', { from, ...(key === undefined ? {} : { key }) });
  }
  service.advance(60_000);
  await service.uses.save();
}

describe('govctl audit uses', () => {
  it('shows who used what from where, by minute', async () => {
    const { json } = await service.send('POST', '/v1/api-keys', {
      body: { name: 'robot', scopes: ['governance:read'] },
    });
    await use(3, '192.0.2.1', String(json.key));
    await use(2, '192.0.2.2', 'gk_wrong');
    const { stdout, exitCode } = await run([]);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/robot +key_\S+ +192\.0\.2\.1 +GET \/v1\/policies +2xx +3\n/);
    expect(stdout).toMatch(/- +- +192\.0\.2\.2 +- +invalid_token +2\n/);
    const listed = await run(['--outcome', 'invalid_token', '-o', 'json']);
    expect(JSON.parse(listed.stdout)).toMatchObject({
      uses: [{ address: '192.0.2.2', count: 2 }],
      pagination: { has_more: false },
    });
  });

  it('takes the email address of a user who does something, and says where nobody has it', async () => {
    await service.send('POST', '/v1/users', {
      body: { email: 'ann@example.com', roles: ['viewer'] },
    });
    await use(1, '192.0.2.1');
    const none = await run(['--actor', 'ann@example.com']);
    expect(none).toMatchObject({ exitCode: 0, stdout: '' });
    expect(none.stderr).toContain('No uses match.');
    const wrong = await run(['--actor', 'an@example.com']);
    expect(wrong).toMatchObject({ exitCode: 3, stdout: '' });
    expect(wrong.stderr).toContain('actor is not a user: an@example.com');
  });

  it('lists more than a page holds, and says when nothing matches', async () => {
    for (let n = 0; n < 130; n++) await use(1, `192.0.2.${n}`);
    const lines = async (...argv: string[]) => (await run([...argv, '-o', 'ndjson'])).stdout.trim().split('\n'); // prettier-ignore
    expect(await lines('--all')).toHaveLength(130);
    expect(await lines('--limit', '7')).toHaveLength(7);
    expect(await lines('--address', '192.0.2.77')).toHaveLength(1);
    const none = await run(['--address', '203.0.113.1']);
    expect(none).toMatchObject({ exitCode: 0, stdout: '' });
    expect(none.stderr).toContain('No uses match.');
  });

  it('says which server has no such record', async () => {
    const { exitCode, stderr } = await run([], { fetch: createMinimalService().fetch });
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain('a record of credential use');
  });
});
