import { BlockList } from 'node:net';
import * as client from 'openid-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/server/deps.ts';
import { createSender } from '../../../src/server/outbound/send.ts';
import { systemResolve } from '../../../src/server/outbound/resolve.ts';
import { ann } from '../sign-in/company-service.ts';
import { clientId, clientSecret, startProvider } from '../sign-in/fake-provider.ts';
import { password } from '../sign-in/people.ts';
import type { LoginService } from './login-service.ts';
import { startLoginService } from './login-service.ts';

const hour = 3_600_000;
const refused = { error: 'invalid_grant' };

let service: LoginService;
beforeEach(async () => void (service = await startLoginService()));
afterEach(() => service.close());

type Login = Awaited<ReturnType<LoginService['login']>>;
type Tokens = Pick<client.TokenEndpointResponse, 'access_token' | 'refresh_token'>;

/** Neither token of a login works, and none of it is left. */
async function expectEnded(config: client.Configuration, tokens: Tokens): Promise<void> {
  expect((await service.ask(tokens.access_token)).status).toBe(401);
  const refreshed = client.refreshTokenGrant(config, tokens.refresh_token ?? '');
  await expect(refreshed).rejects.toMatchObject(refused);
}

const change =
  (method: string, body?: object, path = '') =>
  async (): Promise<void> => {
    const sent = body === undefined ? {} : { body };
    const { status } = await service.send(method, `/v1/users/${service.userId}${path}`, sent);
    expect(status).toBeLessThan(300);
  };

const ends: readonly (readonly [string, (login: Login) => Promise<void>])[] = [
  ['their roles change', change('PUT', { roles: ['viewer'] })],
  ['they are disabled', change('PUT', { disabled: true })],
  ['they are deleted', change('DELETE')],
  ['their password is reset', change('POST', {}, '/reset')],
  ['all they have is revoked', change('POST', {}, '/revoke')],
  [
    'they change their password',
    async ({ tab }) => {
      const form = await tab.open('/auth/account/password');
      const next = 'another long password of ada';
      const done = await tab.submit(form, { current: password, password: next, again: next });
      expect(done.title).toBe('Your account');
    },
  ],
];

describe('the logins of a person', () => {
  it.each(ends)('end at once where %s', async (_, end) => {
    const login = await service.login();
    const second = await service.login();
    const refreshed = await client.refreshTokenGrant(second.config, second.tokens.refresh_token ?? ''); // prettier-ignore
    await end(login);
    await expectEnded(login.config, login.tokens);
    await expectEnded(second.config, refreshed);
  });

  it.each(ends)('leave no code that could still be exchanged where %s', async (_, end) => {
    const { config, back, verifier, state, tab } = await service.consent();
    await end({ tab } as Login);
    const checks = { pkceCodeVerifier: verifier, expectedState: state };
    const exchanged = client.authorizationCodeGrant(config, back.url, checks);
    await expect(exchanged).rejects.toMatchObject(refused);
  });

  it('do not go on where they are refreshed at the very moment of the end', async () => {
    const logins: Login[] = [];
    while (logins.length < 12) logins.push(await service.login());
    const refreshing = logins.map(({ config, tokens }) =>
      client.refreshTokenGrant(config, tokens.refresh_token ?? '').catch(() => undefined),
    );
    for (let turns = 0; turns < 6; turns++) await new Promise(setImmediate);
    await change('POST', {}, '/reset')();
    for (const [n, { config, tokens }] of logins.entries()) {
      const next = await refreshing[n];
      await expectEnded(config, next ?? tokens);
    }
  });

  it('stay where only their name changes, and where somebody else is disabled', async () => {
    const { config, tokens } = await service.login();
    const other = await service.addUser('bob@example.com', ['editor']);
    await service.send('PUT', `/v1/users/${other}`, { body: { disabled: true } });
    await change('PUT', { name: 'Ada' })();
    const next = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect((await service.ask(next.access_token)).status).toBe(200);
  });

  it('end where the program logs out, by either of its tokens', async () => {
    const { config, tokens } = await service.login();
    await client.tokenRevocation(config, tokens.refresh_token ?? '');
    await expectEnded(config, tokens);
    const second = await service.login();
    await client.tokenRevocation(config, second.tokens.access_token);
    expect((await service.ask(second.tokens.access_token)).status).toBe(401);
  });

  it('end where it was refreshed by others at the moment that it is revoked', async () => {
    for (let n = 0; n < 5; n++) {
      const { config, tokens } = await service.login();
      const [next] = await Promise.all([
        client.refreshTokenGrant(config, tokens.refresh_token ?? '').catch(() => undefined),
        client.tokenRevocation(config, tokens.refresh_token ?? ''),
      ]);
      await expectEnded(config, next ?? tokens);
    }
  });
});

describe('the logins of a person with a company account', () => {
  async function startCompany() {
    const provider = await startProvider();
    const targets = { rules: { local: true, allowed: new BlockList() }, resolve: systemResolve };
    const sender = createSender(targets, systemClock);
    provider.says.isOffline = true;
    const own = await startLoginService({
      company: {
        config: {
          name: 'Example Corp',
          issuer: provider.issuer,
          client_id: clientId,
          client_secret: clientSecret,
          scopes: ['openid', 'email', 'profile', 'offline_access'],
          roles: [{ claim: 'groups', value: 'engineers', role: 'editor' }],
          password: true,
          require_second_factor: true,
        },
        send: sender.send,
      },
    });
    await service.close();
    service = own;
    const config = await own.discover();
    const { url, verifier, state } = await own.begin(config);
    const tab = own.browser();
    const form = await tab.open(url);
    const next = /href="(\/auth\/company\/start[^"]*)"/.exec(form.text)?.[1] ?? '';
    const asked = await tab.open(next.replaceAll('&amp;', '&'));
    const page = await tab.open(provider.approve(asked.url, { ...ann }));
    expect(page.title).toBe('Authorize govctl CLI?');
    const back = await tab.submit(page, { decision: 'allow' });
    const checks = { pkceCodeVerifier: verifier, expectedState: state };
    const tokens = await client.authorizationCodeGrant(config, back.url, checks);
    const close = async () => {
      await sender.close();
      await provider.close();
    };
    return { provider, config, tokens, close };
  }

  it('go on where the provider still vouches for them after 12 hours', async () => {
    const { config, tokens, close } = await startCompany();
    service.advance(12 * hour);
    await service.maintain();
    const next = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect((await service.ask(next.access_token)).status).toBe(200);
    await close();
  });

  it.each([
    ['no longer knows them', (provider: Provider) => provider.revoke()],
    ['says they have no role', (provider: Provider) => (provider.says.account = { groups: [] })],
    ['is down for an hour', (provider: Provider) => provider.says.down.add('token')],
  ])('end where the provider %s after 12 hours', async (_, turn) => {
    const { provider, config, tokens, close } = await startCompany();
    turn(provider);
    service.advance(12 * hour);
    await service.maintain();
    service.advance(hour);
    await service.maintain();
    await expectEnded(config, tokens);
    await close();
  });
});

type Provider = Awaited<ReturnType<typeof startProvider>>;
