import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TestService } from '../../server/test-service.ts';
import { startTestService } from '../../server/test-service.ts';
import type { Outcome } from '../../support/fake-world.ts';
import { runCommandLine } from '../../support/fake-world.ts';

let service: TestService;
beforeEach(async () => void (service = await startTestService()));
afterEach(() => service.close());

const run = (...argv: string[]): Promise<Outcome> =>
  runCommandLine(['client', ...argv], {
    env: { GOVCTL_BASE_URL: 'http://service.test', GOVCTL_TOKEN: service.key, NO_COLOR: '1' },
    now: () => service.deps.clock.now(),
    fetch: async (url, init) => service.app.fetch(new Request(url, init), {}),
  });

interface Client {
  readonly id: string;
  readonly client_secret: string;
}
const json = async <T = Client>(...argv: string[]): Promise<T> =>
  JSON.parse((await run(...argv, '-o', 'json')).stdout) as T;

const exchange = async (client: Client): Promise<number> => {
  const grant = { grant_type: 'client_credentials', client_id: client.id, client_secret: client.client_secret }; // prettier-ignore
  return (await service.send('POST', '/auth/token', { key: null, body: grant })).status;
};

describe('govctl client', () => {
  it('creates a client and shows its secret once; list and get show neither', async () => {
    const shown = await run('create', '--name', 'ci', '--scope', 'governance:read');
    const [, secret = ''] = /^Client secret {2}(gcs_\S{43}) {3}\(shown only once\)$/m.exec(shown.stdout) ?? []; // prettier-ignore
    const [, id = ''] = /(oc_\w+)/.exec(shown.stdout) ?? [];
    expect(await exchange({ id, client_secret: secret })).toBe(200);
    const list = await run('list');
    expect(list.stdout).toContain(id);
    const get = await run('get', id);
    expect(get.stdout).toMatch(/^ci\n[^]*scopes +governance:read/);
    expect(list.stdout + get.stdout + shown.stderr).not.toContain(secret);
  });

  it('renames, rotates and deletes one', async () => {
    const made = await json('create', '--name', 'ci', '--scope', 'governance:read');
    expect((await run('update', made.id, '--name', 'deploy')).stdout).toContain('Updated');
    expect((await run('update', made.id)).exitCode).toBe(3);
    const overlapping = await run('rotate', made.id);
    expect(overlapping.stderr).toContain('The old secret works until 2026-03-02 12:00 UTC');
    expect(await exchange(made)).toBe(200);
    const rotated = await json('rotate', made.id, '--overlap', '0s');
    expect([await exchange(made), await exchange(rotated)]).toEqual([401, 200]);
    expect((await run('rotate', made.id, '--overlap', 'long')).exitCode).toBe(3);
    expect((await run('rotate', made.id, '--overlap', '31d')).exitCode).toBe(3);
    expect((await run('delete', made.id)).exitCode).toBe(3);
    expect((await run('delete', made.id, '--yes')).exitCode).toBe(0);
    expect((await run('get', made.id)).exitCode).toBe(1);
  });

  it('creates one that people log in to, with or without a secret, and moves it', async () => {
    const redirect = 'https://board.example.com/callback';
    const flags = ['--name', 'board', '--scope', 'governance:read', '--redirect-uri', redirect];
    const shown = await run('create', ...flags);
    expect(shown.stdout).toMatch(/grants +authorization_code, refresh_token/);
    expect(shown.stdout.replaceAll(/ +/g, ' ')).toContain(`redirects ${redirect}`);
    expect(shown.stdout).toContain('Client secret  gcs_');
    expect(shown.stderr).toContain('Configure the program with the issuer http://service.test');
    const open = await json<Client & { public: boolean }>('create', ...flags, '--public');
    expect([open.public, open.client_secret]).toEqual([true, undefined]);
    expect((await run('get', open.id)).stdout).toMatch(/secret +none \(public\)/);
    expect((await run('rotate', open.id)).stderr).toContain('has no secret to rotate');
    const moved = 'http://127.0.0.1/callback';
    const update = await run('update', open.id, '--redirect-uri', moved);
    expect(update.stdout.replaceAll(/ +/g, ' ')).toContain(`redirects ${moved}`);
    const grants = ['--grant', 'authorization_code,client_credentials'];
    const both = await json<Client>('create', ...flags, ...grants);
    expect(await exchange(both)).toBe(200);
    const wrong = await run('create', ...flags.slice(0, -1), 'http://board.example.com/');
    expect([wrong.exitCode, wrong.stderr]).toEqual([3, expect.stringContaining('must begin with https://')]); // prettier-ignore
  });

  it.each([['get'], ['rotate'], ['update', '--name', 'x'], ['delete', '--yes']])(
    '%s says of one that does not exist that there is none',
    async (verb, ...flags) => {
      const { exitCode, stderr } = await run(verb, 'oc_none', ...flags);
      expect([exitCode, stderr]).toEqual([1, expect.stringContaining('There is no OAuth client oc_none')]); // prettier-ignore
    },
  );
});
