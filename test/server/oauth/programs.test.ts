import * as oauth from 'oauth4webapi';
import * as client from 'openid-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fieldsOf } from '../test-service.ts';
import type { Got } from '../test-service.ts';
import type { Page } from './browser.ts';
import type { LoginService } from './login-service.ts';
import { base, startLoginService } from './login-service.ts';

const redirect = 'https://board.example.com/callback';
const scope = 'openid governance:read compliance:write';
const refused = { error: 'invalid_grant' };

let service: LoginService;
beforeEach(async () => void (service = await startLoginService()));
afterEach(() => service.close());

interface Registered {
  readonly client_id: string;
  readonly client_secret?: string;
}

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
async function begin(
  program: Registered,
  changes: Readonly<Record<string, string | undefined>> = {},
  tab = service.browser(),
) {
  const config = await configOf(program);
  const begun = await service.begin(config, { redirect_uri: redirect, scope, ...changes });
  return { ...begun, config, tab, page: await tab.open(begun.url) };
}

async function signIn(tab: Awaited<ReturnType<typeof begin>>['tab'], page: Page): Promise<Page> {
  return page.title === 'Sign in' ? service.signIn(tab, page.url) : page;
}

/** Up to where the browser comes back with the code. */
async function consent(
  program: Registered,
  changes: Readonly<Record<string, string | undefined>> = {},
  tab = service.browser(),
) {
  const begun = await begin(program, changes, tab);
  const page = await signIn(tab, begun.page);
  expect(page.title).toBe('Authorize Policy board?');
  return { ...begun, back: await tab.submit(page, { decision: 'allow' }), asked: page };
}

async function login(
  program: Registered,
  changes: Readonly<Record<string, string | undefined>> = {},
  tab = service.browser(),
) {
  const given = await consent(program, changes, tab);
  const { config, back, verifier, state } = given;
  const checks = { pkceCodeVerifier: verifier, expectedState: state };
  return { ...given, tokens: await client.authorizationCodeGrant(config, back.url, checks) };
}

const errorOf = ({ url }: Page): string | null => url.searchParams.get('error');

describe('a program that people log in to', () => {
  it.each([
    ['confidential', {}],
    ['public', { public: true }],
  ])(
    'acts for a person who allows it, through openid-client, where it is %s',
    async (_, fields) => {
      const { tokens, config, asked } = await login(await registered(fields));
      expect(asked.text).toContain('It is a program of somebody else');
      expect(asked.text).toContain('<strong>board.example.com</strong>');
      expect(asked.text).toContain('(compliance:write)');
      expect(asked.headers.get('content-security-policy')).toContain("form-action 'self' https://board.example.com;"); // prettier-ignore
      expect(tokens.claims()).toMatchObject({ iss: base, sub: service.userId });
      expect((await service.ask(tokens.access_token)).status).toBe(200);
      const next = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
      const info = await client.fetchUserInfo(config, next.access_token, service.userId);
      expect(info.sub).toBe(service.userId);
      const again = client.refreshTokenGrant(config, tokens.refresh_token ?? '');
      await expect(again).rejects.toMatchObject(refused);
      expect((await service.ask(next.access_token)).status).toBe(401);
    },
  );

  it.each([
    ['confidential', {}],
    ['public', { public: true }],
  ])('acts for a person who allows it, through oauth4webapi, where it is %s', async (_, fields) => {
    const program = await registered(fields);
    const { client_id, client_secret: secret } = program;
    const fetch = { [oauth.customFetch]: (url: string, options: object) => service.fetch(new Request(url, options)) }; // prettier-ignore
    const issuer = new URL(base);
    const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, fetch)); // prettier-ignore
    const own: oauth.Client = { client_id };
    const auth = secret === undefined ? oauth.None() : oauth.ClientSecretPost(secret);
    const { back, verifier, state } = await consent(program);
    const answered = oauth.validateAuthResponse(server, own, back.url, state);
    const exchanged = await oauth.authorizationCodeGrantRequest(server, own, auth, answered, redirect, verifier, fetch); // prettier-ignore
    const tokens = await oauth.processAuthorizationCodeResponse(server, own, exchanged, { requireIdToken: true }); // prettier-ignore
    expect((await service.ask(tokens.access_token)).status).toBe(200);
    const refreshing = await oauth.refreshTokenGrantRequest(server, own, auth, tokens.refresh_token ?? '', fetch); // prettier-ignore
    const next = await oauth.processRefreshTokenResponse(server, own, refreshing);
    const asked = await oauth.introspectionRequest(server, own, auth, next.access_token, fetch);
    expect(await oauth.processIntrospectionResponse(server, own, asked)).toMatchObject({ active: true, sub: service.userId, client_id }); // prettier-ignore
    await oauth.processRevocationResponse(await oauth.revocationRequest(server, own, auth, next.refresh_token ?? '', fetch)); // prettier-ignore
    expect((await service.ask(next.access_token)).status).toBe(401);
  });

  it('asks the person each time, however often they allowed it, and gets nothing without a page', async () => {
    const program = await registered();
    const { tab } = await login(program);
    const { page } = await begin(program, {}, tab);
    expect(page.title).toBe('Authorize Policy board?');
    const silent = await begin(program, { prompt: 'none' }, tab);
    expect(errorOf(silent.page)).toBe('consent_required');
    expect(silent.page.url.searchParams.get('iss')).toBe(base);
    const back = await tab.submit(page, { decision: 'refuse' });
    expect([back.url.host, errorOf(back)]).toEqual(['board.example.com', 'access_denied']);
  });

  it('has at most its own scopes and those of the person', async () => {
    const program = await registered({ scopes: ['governance:read', 'admin'] });
    const wide = await begin(program, { scope: 'openid governance:read compliance:write' });
    expect(errorOf(wide.page)).toBe('invalid_scope');
    // Ada is an editor.
    const { tokens, asked } = await login(program, { scope: 'openid governance:read admin' });
    expect(asked.text).not.toContain('(admin)');
    expect(tokens.scope?.split(' ').sort()).toEqual(['governance:read', 'openid']);
    expect((await service.ask(tokens.access_token)).status).toBe(200);
    expect((await service.ask(tokens.access_token, '/v1/users')).status).toBe(403);
  });

  it('reaches nothing that is the person’s alone: it makes no key that would outlive it', async () => {
    const { tokens } = await login(await registered());
    for (const [method, body] of [
      ['GET', undefined],
      ['POST', { name: 'k', scopes: ['governance:read'] }],
    ] as const) {
      const got = await service.send(method, '/v1/api-keys', {
        key: tokens.access_token,
        ...(body ? { body } : {}),
      });
      expect([method, got.status, got.json.error]).toEqual([method, 403, 'insufficient_scope']);
    }
  });

  it('loses what its maker loses, and ends with them', async () => {
    const boss = await service.addUser('boss@example.com', ['admin']);
    const by = (await service.login('boss@example.com')).tokens.access_token;
    await service.addUser('chief@example.com', ['owner']);
    const key = (await service.login('chief@example.com')).tokens.access_token;
    const made = await service.send('POST', '/v1/oauth-clients', {
      key: by,
      body: { name: 'Policy board', scopes: ['governance:read', 'compliance:write'], redirect_uris: [redirect] }, // prettier-ignore
    });
    const program = made.json as unknown as Registered;
    const { config, tokens } = await login(program);
    const change = (body: object) => service.send('PUT', `/v1/users/${boss}`, { body, key });
    expect((await change({ roles: ['viewer'] })).status).toBe(200);
    const next = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    const write = await service.send('POST', '/v1/policies', { key: next.access_token, body: {} });
    expect(write.status).toBe(403);
    expect((await service.ask(next.access_token)).status).toBe(200);
    expect((await change({ disabled: true })).status).toBe(200);
    const late = client.refreshTokenGrant(config, next.refresh_token ?? '');
    await expect(late).rejects.toMatchObject({ status: 401 });
  });

  it('ends with its registration: its tokens, codes and logins', async () => {
    const program = await registered();
    const { tokens } = await login(program);
    const pending = await consent(program);
    const waiting = await begin(program);
    const gone = await service.send('DELETE', `/v1/oauth-clients/${program.client_id}`);
    expect(gone.status).toBe(204);
    expect((await service.ask(tokens.access_token)).status).toBe(401);
    for (const fields of [
      { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' },
      {
        grant_type: 'authorization_code',
        code: pending.back.url.searchParams.get('code') ?? '',
        code_verifier: pending.verifier,
        redirect_uri: redirect,
      },
    ]) {
      const { client_id, client_secret = '' } = program;
      const late = await service.form('/auth/token', { client_id, client_secret, ...fields });
      expect([late.status, late.json.error]).toEqual([401, 'invalid_client']);
    }
    const page = await signIn(waiting.tab, waiting.page);
    expect(page.status).toBeGreaterThanOrEqual(400);
  });

  it('is on the account page of who allowed it, who ends it there, and is in the audit log', async () => {
    const program = await registered();
    const { config, tokens, tab } = await login(program);
    const cli = await service.login();
    const page = await tab.open('/auth/account');
    expect(page.text).toMatch(
      /<td>Policy board<\/td>\s*<td>governance:read, compliance:write<\/td>/,
    );
    expect(page.text).toContain('<td>govctl CLI</td>');
    // Of several buttons, this one's.
    const done = await tab.submit(page, { id: program.client_id }, '/auth/account/end-program');
    expect(done.text).not.toContain('Policy board');
    expect(done.text).toContain('govctl CLI');
    expect((await service.ask(tokens.access_token)).status).toBe(401);
    await expect(client.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject(refused); // prettier-ignore
    expect((await service.ask(cli.tokens.access_token)).status).toBe(200);
    const log = await service.send('GET', `/v1/audit-log?subject=${program.client_id}&order=asc`);
    const entries = log.json.audit_log as { action: string; actor: string; changes?: string[] }[];
    expect(entries.slice(-2)).toMatchObject([
      { action: 'oauth_client.allow', actor: service.userId, changes: ['governance:read', 'compliance:write'] }, // prettier-ignore
      { action: 'oauth_client.disallow', actor: service.userId },
    ]);
  });

  it('is not ended by somebody else who never allowed it', async () => {
    const program = await registered();
    const { tokens } = await login(program);
    await service.addUser('bob@example.com', ['viewer']);
    const tab = service.browser();
    await service.signIn(tab, '/auth/sign-in', 'bob@example.com');
    const page = await tab.open('/auth/account');
    const form = page.text.replace('</main>', '<form action="/auth/account/end-program"></form></main>'); // prettier-ignore
    const csrf = /<input type="hidden" name="csrf" value="[^"]*"/.exec(page.text)?.[0] ?? '';
    const forged = form.replace('end-program">', `end-program">${csrf} />`);
    await tab.submit({ ...page, text: forged }, { id: program.client_id }, '/auth/account/end-program'); // prettier-ignore
    expect((await service.ask(tokens.access_token)).status).toBe(200);
  });

  it('cannot act for itself, unless it was created for that, too', async () => {
    const ask = ({ client_id, client_secret = '' }: Registered) =>
      service.form('/auth/token', { grant_type: 'client_credentials', client_id, client_secret });
    expect((await ask(await registered())).json.error).toBe('unauthorized_client');
    expect((await ask(await registered({ public: true }))).json.error).toBe('invalid_client');
    const both = ['authorization_code', 'client_credentials'];
    const program = await registered({ grant_types: both });
    expect((await ask(program)).status).toBe(200);
    const { tokens } = await login(program);
    expect(tokens.refresh_token).toBeUndefined();
  });
});

describe('the redirect URIs of a program', () => {
  it.each([
    'http://board.example.com/callback',
    'http://localhost:8080/callback',
    'http://127.0.0.1.example.com/callback',
    'http://10.0.0.1/callback',
    'https://localhost/callback',
    'https://127.0.0.1/callback',
    'https://ann:secret@board.example.com/callback',
    'https://board.example.com@evil.example/callback',
    'https://board.example.com/callback#part',
    'https://board.example.com/callback?next=x',
    'https://*.example.com/callback',
    'https://board.example.com/*',
    'https://board.example.com',
    'https://BOARD.example.com/callback',
    'https://board.example.com:443/callback',
    'https://board.example.com/a/../callback',
    'https://board.example.com/a/%2e%2e/callback',
    'https://board.example.com\\callback',
    'https://bücher.example.com/callback',
    ' https://board.example.com/callback',
    'https://board.example.com/call\tback',
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'com.example.board:/callback',
    'urn:ietf:wg:oauth:2.0:oob',
    '//board.example.com/callback',
    'callback',
    '',
  ])('cannot be %s', async (uri) => {
    const got = await register({ redirect_uris: [redirect, uri] });
    expect([got.status, fieldsOf(got)]).toEqual([400, ['redirect_uris[1]']]);
  });

  it('go together with its grant types', async () => {
    for (const [fields, field] of [
      [{ redirect_uris: undefined, grant_types: ['authorization_code'] }, 'redirect_uris'],
      [{ grant_types: ['client_credentials'] }, 'grant_types'],
      [{ redirect_uris: undefined, grant_types: ['client_credentials', 'refresh_token'] }, 'grant_types'], // prettier-ignore
      [{ redirect_uris: undefined, public: true }, 'public'],
      [{ public: true, grant_types: ['authorization_code', 'client_credentials'] }, 'public'],
      [{ redirect_uris: [] }, 'redirect_uris'],
    ] as const) {
      const got = await register(fields);
      expect([fields, got.status, fieldsOf(got)]).toEqual([fields, 400, [field]]);
    }
  });

  it.each([
    'https://board.example.com/callback/',
    'https://board.example.com/callback/extra',
    'https://board.example.com/callbac',
    'https://board.example.com/Callback',
    'https://BOARD.example.com/callback',
    'https://board.example.com:443/callback',
    'https://board.example.com:8443/callback',
    'https://board.example.com/callback?x=1',
    'https://board.example.com/callback#x',
    'https://board.example.com/callback/../callback',
    'https://board.example.com/x/../callback',
    'https://board.example.com/%63allback',
    'https://board.example.com/callback%2f..%2fother',
    'https://board.example.com%2fcallback',
    'https://board.example.com.evil.example/callback',
    'https://board.example.com@evil.example/callback',
    'https://evil.example/https://board.example.com/callback',
    'https://user@board.example.com/callback',
    'http://board.example.com/callback',
    'https:/board.example.com/callback',
    'https:\\\\board.example.com\\callback',
    ' https://board.example.com/callback',
    'https://board.example.com/callback\n',
    'javascript://board.example.com/callback',
  ])('are compared letter by letter: %s leads nowhere', async (redirect_uri) => {
    const { page } = await begin(await registered(), { redirect_uri });
    expect([page.status, page.title, page.url.origin]).toEqual([400, 'This login cannot go on', base]); // prettier-ignore
  });

  it('may be on any port of a loopback address for public programs, and on one for others', async () => {
    const uris = ['http://127.0.0.1/callback', 'http://[::1]:7000/callback'];
    const open = { name: 'Policy board', redirect_uris: uris };
    const other = { redirect_uri: 'http://127.0.0.1:61000/callback' };
    const { page } = await begin(await registered({ ...open, public: true }), other);
    expect(page.title).toBe('Sign in');
    const strict = await begin(await registered(open), other);
    expect(strict.page.title).toBe('This login cannot go on');
  });

  it('can be changed; one that was removed leads nowhere from then on', async () => {
    const program = await registered();
    const path = `/v1/oauth-clients/${program.client_id}`;
    const moved = 'https://new.example.com/callback';
    const got = await service.send('PUT', path, { body: { redirect_uris: [moved] } });
    expect([got.status, got.json.redirect_uris]).toEqual([200, [moved]]);
    expect((await begin(program)).page.title).toBe('This login cannot go on');
    expect((await begin(program, { redirect_uri: moved })).page.title).toBe('Sign in');
    const { json } = await service.send('POST', '/v1/oauth-clients', { body: { name: 'ci', scopes: ['governance:read'] } }); // prettier-ignore
    const none = await service.send('PUT', `/v1/oauth-clients/${String(json.id)}`, { body: { redirect_uris: [moved] } }); // prettier-ignore
    expect([none.status, fieldsOf(none)]).toEqual([400, ['redirect_uris']]);
  });
});

describe('the code of a program', () => {
  const exchange = (code: string, program: Registered, fields: object = {}) =>
    service.form('/auth/token', {
      grant_type: 'authorization_code',
      client_id: program.client_id,
      ...(program.client_secret === undefined ? {} : { client_secret: program.client_secret }),
      redirect_uri: redirect,
      code,
      ...fields,
    });
  const codeOf = ({ url }: Page): string => url.searchParams.get('code') ?? '';

  it.each([
    ['the method plain', { code_challenge_method: 'plain' }],
    ['no challenge', { code_challenge: undefined, code_challenge_method: undefined }],
    ['no method', { code_challenge_method: undefined }],
  ])('is not given with %s, though the program has a secret', async (_, changes) => {
    const { page } = await begin(await registered(), changes);
    expect([page.url.host, errorOf(page)]).toEqual(['board.example.com', 'invalid_request']);
  });

  it('takes the verifier, the redirect URI that was asked for, and the program that it was given to', async () => {
    const program = await registered();
    const other = await registered();
    const open = await registered({ public: true });
    for (const [by, fields] of [
      [program, {}],
      [program, { code_verifier: 'x'.repeat(43) }],
      [program, { code_verifier: undefined, redirect_uri: 'https://board.example.com/other' }],
      [other, { code_verifier: undefined }],
      [open, { code_verifier: undefined }],
      [{ client_id: 'govctl-cli' }, { code_verifier: undefined }],
    ] as const) {
      const { back, verifier } = await consent(program);
      const given = 'code_verifier' in fields && fields.code_verifier === undefined ? { ...fields, code_verifier: verifier } : fields; // prettier-ignore
      const got = await exchange(codeOf(back), by, given);
      expect([by.client_id, got.status]).toEqual([by.client_id, 400]);
      expect(['invalid_grant', 'invalid_request']).toContain(got.json.error);
    }
  });

  it('takes the secret of the program', async () => {
    const program = await registered();
    const { back, verifier } = await consent(program);
    for (const by of [{ ...program, client_secret: 'gcs_x' }, { client_id: program.client_id }]) {
      const got = await exchange(codeOf(back), by, { code_verifier: verifier });
      expect([got.status, got.json.error]).toEqual([401, 'invalid_client']);
    }
    expect((await exchange(codeOf(back), program, { code_verifier: verifier })).status).toBe(200);
  });

  it('ends all that it gave where it is used twice', async () => {
    const program = await registered();
    const { config, tokens, back, verifier } = await login(program);
    const again = await exchange(codeOf(back), program, { code_verifier: verifier });
    expect(again.json).toMatchObject(refused);
    expect((await service.ask(tokens.access_token)).status).toBe(401);
    await expect(client.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject(refused); // prettier-ignore
  });

  it('comes from an issuer that says who it is: an answer of another, or of none, is refused', async () => {
    const program = await registered();
    const { config, back, verifier, state } = await consent(program);
    expect(back.url.searchParams.get('iss')).toBe(base);
    const checks = { pkceCodeVerifier: verifier, expectedState: state };
    for (const issuer of ['https://evil.example', undefined]) {
      const forged = new URL(back.url);
      if (issuer === undefined) forged.searchParams.delete('iss');
      else forged.searchParams.set('iss', issuer);
      await expect(client.authorizationCodeGrant(config, forged, checks)).rejects.toThrow();
    }
    // Nothing was sent: the code still works.
    expect((await client.authorizationCodeGrant(config, back.url, checks)).access_token).not.toBe(
      '',
    );
  });

  it('gives refresh tokens that only this program can use', async () => {
    const { tokens } = await login(await registered());
    for (const other of [await registered(), await registered({ public: true })]) {
      const config = await configOf(other);
      const taken = client.refreshTokenGrant(config, tokens.refresh_token ?? '');
      await expect(taken).rejects.toMatchObject(refused);
      expect(await client.tokenIntrospection(config, tokens.access_token).catch((error: unknown) => error)).not.toMatchObject({ active: true }); // prettier-ignore
    }
  });
});
