import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TestService } from '../../server/test-service.ts';
import { startTestService } from '../../server/test-service.ts';
import { runCommandLine } from '../../support/fake-world.ts';
import { createMinimalService } from '../../support/minimal-service.ts';

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.close());

const run = (...flags: string[]) =>
  runCommandLine(['server', 'rotate-id-token-key', ...flags], {
    env: { GOVCTL_BASE_URL: 'https://govctl.test', GOVCTL_TOKEN: service.key, NO_COLOR: '1' },
    fetch: async (url, init) => service.app.fetch(new Request(url, init), {}),
  });

describe('govctl server rotate-id-token-key', () => {
  it('says which key signs, and from when', async () => {
    await run();
    const { exitCode, stdout, stderr } = await run();
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Published jwk_\w+\n/);
    expect(stdout).toContain('signs from  2026-03-02 12:00 UTC');
    expect(stderr).toContain('The old key signs ID tokens until the new key is used');
  });

  it('withdraws the old keys with --drop-old', async () => {
    const { id } = JSON.parse((await run('-o', 'json')).stdout) as { id: string };
    const { exitCode, stdout, stderr } = await run('--drop-old');
    expect(exitCode).toBe(0);
    expect(stderr).toContain('ID tokens signed with them are no longer valid');
    expect(stdout).not.toContain(id);
  });

  it('says so where the server has no such keys', async () => {
    const { exitCode, stderr } = await runCommandLine(['server', 'rotate-id-token-key'], {
      env: { GOVCTL_BASE_URL: 'https://govctl.test', GOVCTL_TOKEN: 'x', NO_COLOR: '1' },
      fetch: createMinimalService().fetch,
    });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('does not support keys for ID tokens');
  });
});
