import { expect, it, onTestFinished } from 'vitest';
import { Browser } from '../server/oauth/browser.ts';
import { password } from '../server/sign-in/people.ts';
import { startBuiltServer } from '../support/built-cli.ts';
import type { BuiltServer } from '../support/built-cli.ts';

async function start(options?: Parameters<typeof startBuiltServer>[0]): Promise<BuiltServer> {
  const server = await startBuiltServer(options);
  onTestFinished(async () => void (await server.stop('SIGKILL')));
  return server;
}

it('forms and sessions from before a restart of the server work after it', async () => {
  const before = await start();
  const created = await fetch(`${before.baseUrl}/v1/users`, {
    method: 'POST',
    headers: { authorization: `Bearer ${before.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'ann@example.com', roles: ['editor'] }),
  });
  const { invitation_url: link } = (await created.json()) as { invitation_url: string };
  const tab = new Browser(before.baseUrl, (request) => fetch(request));
  const form = await tab.open(link);
  const { dataDir, baseUrl } = before;
  const restart = async (server: BuiltServer): Promise<BuiltServer> => {
    expect(await server.stop()).toBe(0);
    return start({ dataDir, args: ['--port', new URL(baseUrl).port] });
  };

  const after = await restart(before);
  expect((await tab.submit(form, { password, again: password })).title).toBe('Your account');
  await restart(after);
  const account = await tab.open('/auth/account');
  expect(account.title).toBe('Your account');
  const out = await tab.submit(account, {}, '/auth/sign-out');
  expect([out.title, out.text]).toEqual([
    'Sign in',
    expect.stringContaining('You are signed out.'),
  ]);
});
