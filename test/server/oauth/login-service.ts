import * as client from 'openid-client';
import { expect } from 'vitest';
import { scopes } from '../../../src/contract/endpoint.ts';
import { totpAt } from '../../../src/server/sign-in/totp.ts';
import { password, secretOf } from '../sign-in/people.ts';
import { startTestService } from '../test-service.ts';
import { Browser } from './browser.ts';
import type { Page } from './browser.ts';

export const base = 'https://govctl.test';
export const callback = 'http://127.0.0.1:51234/callback';
export const allScopes = ['openid', 'offline_access', ...scopes].join(' ');

export type LoginService = Awaited<ReturnType<typeof startLoginService>>;

/** A service with a person, and the steps of a login: in the browser, and of the command line. */
export async function startLoginService(options: Parameters<typeof startTestService>[0] = {}) {
  const service = await startTestService({ isLocal: false, countryOf: () => 'FR', ...options });
  const { publicUrl = base } = options;
  const ada = 'ada@example.com';
  const fetchHere = async (request: Request): Promise<Response> =>
    service.app.fetch(request, { remoteAddress: '192.0.2.7' });
  const customFetch: client.CustomFetch = (url, options) =>
    fetchHere(new Request(url, options as RequestInit));
  const discover = (): Promise<client.Configuration> =>
    client.discovery(new URL(publicUrl), 'govctl-cli', undefined, client.None(), {
      [client.customFetch]: customFetch,
      execute: publicUrl.startsWith('http:') ? [client.allowInsecureRequests] : [],
    });
  const browser = (): Browser => new Browser(publicUrl, fetchHere);

  /** Keys of authenticator apps, by email. */
  const apps = new Map<string, string>();
  const codeOf = (email: string): string => {
    // Each code is good once.
    service.advance(30_000);
    return totpAt(secretOf(apps.get(email) ?? ''), service.deps.clock.now());
  };

  /** Invites a person, who chooses a password and, where they must, sets up a second factor. */
  async function addUser(
    email: string,
    roles: readonly string[],
    by = service.key,
  ): Promise<string> {
    const { json } = await service.send('POST', '/v1/users', { body: { email, roles }, key: by });
    const tab = browser();
    const form = await tab.open(String(json.invitation_url));
    expect(form.title).toMatch(/^(Choose a password|Accept your invitation)$/);
    let page = await tab.submit(form, { password, again: password });
    if (page.title === 'Set up a second factor') {
      apps.set(email, /class="secret">([A-Z2-7 ]+)</.exec(page.text)?.[1]?.replaceAll(' ', '') ?? ''); // prettier-ignore
      page = await tab.submit(page, { code: codeOf(email) });
      expect(page.title).toBe('Save your recovery codes');
      page = await tab.open('/auth/account');
    }
    expect(page.title).toBe('Your account');
    return String(json.id);
  }

  async function signIn(tab: Browser, where: URL | string, email = ada): Promise<Page> {
    const page = await tab.open(where);
    expect(page.title).toBe('Sign in');
    const next = await tab.submit(page, { email, password });
    return next.title === 'Enter your code' ? tab.submit(next, { code: codeOf(email) }) : next;
  }

  const id = await addUser(ada, ['editor']);

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
    fetch: fetchHere,
    discover,
    browser,
    signIn,
    begin,
    consent,
    login,
    ask: (token: string, path = '/v1/policies') =>
      service.send('GET', path, { headers: { authorization: `Bearer ${token}` }, key: null }),
    async disable(): Promise<void> {
      const disabled = await service.send('PUT', `/v1/users/${id}`, { body: { disabled: true } });
      expect(disabled.status).toBe(200);
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
