import * as client from 'openid-client';
import { expect } from 'vitest';
import { scopes } from '../../../src/contract/endpoint.ts';
import { users } from '../../../src/server/users/collection.ts';
import { startTestService } from '../test-service.ts';
import { Browser } from './browser.ts';
import type { Page } from './browser.ts';
import { fakeSignIn } from './fake-sign-in.ts';

export const base = 'https://govctl.test';
export const callback = 'http://127.0.0.1:51234/callback';
export const allScopes = ['openid', 'offline_access', ...scopes].join(' ');

export type LoginService = Awaited<ReturnType<typeof startLoginService>>;

/** A service with one person, who has the password `right`, and the steps of a login. */
export async function startLoginService() {
  const service = await startTestService({ signIn: fakeSignIn, isLocal: false });
  const at = '2026-01-01T00:00:00.000Z';
  async function addUser(email: string, roles: readonly string[]): Promise<string> {
    const id = service.deps.ids.next('user');
    await service.deps.store.transact((tx) =>
      tx.insert(users, { id, email, roles, created_at: at, updated_at: at, created_by: 'user_x' }),
    );
    return id;
  }
  const ada = 'ada@example.com';
  const id = await addUser(ada, ['editor']);
  const fetchHere = async (request: Request): Promise<Response> =>
    service.app.fetch(request, { remoteAddress: '192.0.2.7' });
  const customFetch: client.CustomFetch = (url, options) =>
    fetchHere(new Request(url, options as RequestInit));
  const discover = (): Promise<client.Configuration> =>
    client.discovery(new URL(base), 'govctl-cli', undefined, client.None(), {
      [client.customFetch]: customFetch,
    });
  const browser = (): Browser => new Browser(base, fetchHere);

  async function signIn(tab: Browser, where: URL | string, email = ada): Promise<Page> {
    const page = await tab.open(where);
    expect(page.title).toBe('Sign in');
    return tab.submit(page, { email, password: 'right' });
  }

  /** @param changes of the parameters of the authorization request */
  async function begin(
    config: client.Configuration,
    changes: Readonly<Record<string, string | undefined>> = {},
  ) {
    const verifier = client.randomPKCECodeVerifier();
    const state = client.randomState();
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: callback,
      scope: allScopes,
      state,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    for (const [name, value] of Object.entries(changes)) {
      if (value === undefined) url.searchParams.delete(name);
      else url.searchParams.set(name, value);
    }
    return { url, verifier, state };
  }

  /** A whole login, up to where the browser comes back with the code. */
  async function consent(changes: Readonly<Record<string, string | undefined>> = {}, email = ada) {
    const config = await discover();
    const begun = await begin(config, changes);
    const tab = browser();
    const page = await signIn(tab, begun.url, email);
    expect(page.title).toBe('Authorize govctl CLI?');
    const back = await tab.submit(page, { decision: 'allow' });
    expect(back.url.origin).toBe(new URL(callback).origin);
    return { config, ...begun, tab, back };
  }

  async function login(email = ada) {
    const given = await consent({}, email);
    const { config, back, verifier, state } = given;
    const tokens = await client.authorizationCodeGrant(config, back.url, {
      pkceCodeVerifier: verifier,
      expectedState: state,
    });
    return { ...given, tokens };
  }

  return {
    ...service,
    userId: id,
    addUser,
    discover,
    browser,
    signIn,
    begin,
    consent,
    login,
    ask: (token: string, path = '/v1/policies') =>
      service.send('GET', path, { headers: { authorization: `Bearer ${token}` }, key: null }),
    async disable(): Promise<void> {
      await service.deps.store.transact(async (tx) => {
        const found = (await tx.get(users, id))?.doc;
        if (found) await tx.replace(users, { ...found, disabled_at: at });
      });
    },
    /** Sends a form as a program does. */
    form: (path: string, fields: Readonly<Record<string, string>>) =>
      service.send('POST', path, {
        key: null,
        text: new URLSearchParams(fields).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        from: '192.0.2.7',
      }),
  };
}
