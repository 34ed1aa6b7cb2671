import * as client from 'openid-client';
import { expect } from 'vitest';
import type { Got } from '../test-service.ts';
import type { Browser, Page } from './browser.ts';
import { base, startLoginService } from './login-service.ts';

export const redirect = 'https://board.example.com/callback';
const scope = 'openid governance:read compliance:write';

export interface Registered {
  readonly client_id: string;
  readonly client_secret?: string;
}

type Changes = Readonly<Record<string, string | undefined>>;

/** A service with a person, and the steps of a login to another program. */
export async function startProgramService() {
  const service = await startLoginService();

  const register = (fields: object = {}): Promise<Got> =>
    service.send('POST', '/v1/oauth-clients', {
      body: {
        name: 'Policy board',
        scopes: ['governance:read', 'compliance:write', 'admin'],
        redirect_uris: [redirect],
        ...fields,
      },
    });
  const registered = async (fields?: object): Promise<Registered> =>
    (await register(fields)).json as unknown as Registered;

  const configOf = ({ client_id: id, client_secret: secret }: Registered) =>
    client.discovery(
      new URL(base),
      id,
      undefined,
      secret === undefined ? client.None() : client.ClientSecretBasic(secret),
      {
        [client.customFetch]: (url, options) =>
          service.fetch(new Request(url, options as RequestInit)),
      },
    );

  /** Up to the page that asks the person. */
  async function beginAt(program: Registered, changes: Changes = {}, tab = service.browser()) {
    const config = await configOf(program);
    const begun = await service.begin(config, { redirect_uri: redirect, scope, ...changes });
    return { ...begun, config, tab, page: await tab.open(begun.url) };
  }

  const signInAt = async (tab: Browser, page: Page): Promise<Page> =>
    page.title === 'Sign in' ? service.signIn(tab, page.url) : page;

  /** Up to where the browser comes back with the code. */
  async function consentTo(program: Registered, changes: Changes = {}, tab = service.browser()) {
    const begun = await beginAt(program, changes, tab);
    const page = await signInAt(tab, begun.page);
    expect(page.title).toBe('Authorize Policy board?');
    return { ...begun, back: await tab.submit(page, { decision: 'allow' }), asked: page };
  }

  async function loginTo(program: Registered, changes: Changes = {}, tab = service.browser()) {
    const given = await consentTo(program, changes, tab);
    const { config, back, verifier, state } = given;
    const checks = { pkceCodeVerifier: verifier, expectedState: state };
    return { ...given, tokens: await client.authorizationCodeGrant(config, back.url, checks) };
  }

  return { ...service, register, registered, configOf, beginAt, signInAt, consentTo, loginTo };
}

export type ProgramService = Awaited<ReturnType<typeof startProgramService>>;

export const errorOf = ({ url }: Page): string | null => url.searchParams.get('error');
