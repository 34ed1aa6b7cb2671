import * as oauth from 'oauth4webapi';
import * as client from 'openid-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { base } from './login-service.ts';
import { errorOf, redirect, startProgramService } from './program-service.ts';
import type { ProgramService, Registered } from './program-service.ts';

const refused = { error: 'invalid_grant' };

let service: ProgramService;
beforeEach(async () => void (service = await startProgramService()));
afterEach(() => service.close());

describe('a program that people log in to', () => {
  it.each([
    ['confidential', {}],
    ['public', { public: true }],
  ])(
    'acts for a person who allows it, through openid-client, where it is %s',
    async (_, fields) => {
      const { tokens, config, asked } = await service.loginTo(await service.registered(fields));
      expect(asked.text).toContain('This is a third-party program');
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
    const program = await service.registered(fields);
    const { client_id, client_secret: secret } = program;
    const fetch = { [oauth.customFetch]: (url: string, options: object) => service.fetch(new Request(url, options)) }; // prettier-ignore
    const issuer = new URL(base);
    const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, fetch)); // prettier-ignore
    const own: oauth.Client = { client_id };
    const auth = secret === undefined ? oauth.None() : oauth.ClientSecretPost(secret);
    const { back, verifier, state } = await service.consentTo(program);
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
    const program = await service.registered();
    const { tab } = await service.loginTo(program);
    const { page } = await service.beginAt(program, {}, tab);
    expect(page.title).toBe('Authorize Policy board?');
    const silent = await service.beginAt(program, { prompt: 'none' }, tab);
    expect(errorOf(silent.page)).toBe('consent_required');
    expect(silent.page.url.searchParams.get('iss')).toBe(base);
    const back = await tab.submit(page, { decision: 'refuse' });
    expect([back.url.host, errorOf(back)]).toEqual(['board.example.com', 'access_denied']);
  });

  it('is told the truth about when the person signed in, and has them sign in anew where it asks for that', async () => {
    const program = await service.registered();
    const tab = service.browser();
    await service.signIn(tab, '/auth/sign-in');
    service.advance(600_000);
    const authTimeOf = async (changes: Record<string, string>, doesAsk: boolean) => {
      const begun = await service.beginAt(program, changes, tab);
      expect([changes, begun.page.title]).toEqual([changes, doesAsk ? 'Sign in' : 'Authorize Policy board?']); // prettier-ignore
      const page = await service.signInAt(tab, begun.page);
      const back = await tab.submit(page, { decision: 'allow' });
      const tokens = await client.authorizationCodeGrant(begun.config, back.url, {
        pkceCodeVerifier: begun.verifier,
        expectedState: begun.state,
      });
      return Number(tokens.claims()?.auth_time);
    };
    const now = Math.floor(Date.now() / 1_000);
    expect(now - (await authTimeOf({ max_age: '3600' }, false))).toBeGreaterThan(590);
    expect(now - (await authTimeOf({ max_age: '60' }, true))).toBeLessThan(30);
    service.advance(600_000);
    expect(now - (await authTimeOf({ max_age: '3600', prompt: 'login' }, true))).toBeLessThan(30);
  });

  it('has at most its own scopes and those of the person', async () => {
    const program = await service.registered({ scopes: ['governance:read', 'admin'] });
    const wide = await service.beginAt(program, {
      scope: 'openid governance:read compliance:write',
    });
    expect(errorOf(wide.page)).toBe('invalid_scope');
    // Ada is an editor.
    const { tokens, asked } = await service.loginTo(program, {
      scope: 'openid governance:read admin',
    });
    expect(asked.text).not.toContain('(admin)');
    expect(tokens.scope?.split(' ').sort()).toEqual(['governance:read', 'openid']);
    expect((await service.ask(tokens.access_token)).status).toBe(200);
    expect((await service.ask(tokens.access_token, '/v1/users')).status).toBe(403);
  });

  it('reaches nothing that is the person’s alone: it makes no key that would outlive it', async () => {
    const { tokens } = await service.loginTo(await service.registered());
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

  it('loses what its maker loses, at once, and ends with them', async () => {
    const boss = await service.addUser('boss@example.com', ['admin']);
    const by = (await service.login('boss@example.com')).tokens.access_token;
    await service.addUser('chief@example.com', ['owner']);
    const key = (await service.login('chief@example.com')).tokens.access_token;
    const made = await service.send('POST', '/v1/oauth-clients', {
      key: by,
      body: { name: 'Policy board', scopes: ['governance:read', 'compliance:write'], redirect_uris: [redirect] }, // prettier-ignore
    });
    const { config, tokens, tab } = await service.loginTo(made.json as unknown as Registered);
    const change = async (body: object): Promise<void> => {
      const changed = await service.send('PUT', `/v1/users/${boss}`, { body, key });
      expect(changed.status).toBe(200);
    };
    const statusesOf = async (token: string): Promise<readonly number[]> => [
      (await service.ask(token)).status,
      (await service.send('POST', '/v1/policies', { key: token, body: {} })).status,
    ];
    expect(await statusesOf(tokens.access_token)).toEqual([200, 400]);
    await change({ roles: ['viewer'] });
    expect(await statusesOf(tokens.access_token)).toEqual([200, 403]);
    const next = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
    await change({ roles: ['admin'] });
    // What it was given while its maker had less stays as it was.
    expect(await statusesOf(next.access_token)).toEqual([200, 403]);
    await change({ disabled: true });
    expect(await statusesOf(tokens.access_token)).toEqual([401, 401]);
    const late = client.refreshTokenGrant(config, next.refresh_token ?? '');
    await expect(late).rejects.toMatchObject({ status: 401 });
    await change({ disabled: false });
    expect(await statusesOf(next.access_token)).toEqual([200, 403]);
    const gone = await service.send('DELETE', `/v1/users/${boss}`, { key });
    expect(gone.status).toBe(204);
    expect(await statusesOf(next.access_token)).toEqual([401, 401]);
    expect((await tab.open('/auth/account')).text).not.toContain('Policy board');
  });

  it('ends with its registration: its tokens, codes and logins', async () => {
    const program = await service.registered();
    const { tokens } = await service.loginTo(program);
    const pending = await service.consentTo(program);
    const waiting = await service.beginAt(program);
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
    const page = await service.signInAt(waiting.tab, waiting.page);
    expect(page.status).toBeGreaterThanOrEqual(400);
  });

  it('loses its access tokens with a secret that ends at once, and goes on with the new one', async () => {
    const program = await service.registered();
    const { config, tokens } = await service.loginTo(program);
    const rotate = (overlap_seconds: number) =>
      service.send('POST', `/v1/oauth-clients/${program.client_id}/rotate`, { body: { overlap_seconds } }); // prettier-ignore
    service.advance(1);
    await rotate(60);
    expect((await service.ask(tokens.access_token)).status).toBe(200);
    const { client_secret: secret } = (await rotate(0)).json as Record<string, string>;
    expect((await service.ask(tokens.access_token)).status).toBe(401);
    await expect(client.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({ status: 401 }); // prettier-ignore
    const renewed = await service.configOf({ ...program, client_secret: secret ?? '' });
    expect((await client.tokenIntrospection(renewed, tokens.access_token)).active).toBe(false);
    const next = await client.refreshTokenGrant(renewed, tokens.refresh_token ?? '');
    expect((await service.ask(next.access_token)).status).toBe(200);
  });

  it('is on the account page of who allowed it, who ends it there, and is in the audit log', async () => {
    const program = await service.registered();
    const { config, tokens, tab } = await service.loginTo(program);
    const cli = await service.login();
    const page = await tab.open('/auth/account');
    expect(page.text).toMatch(
      /Policy board<\/td>\s*<td[^>]*>governance:<wbr>read, compliance:<wbr>write</,
    );
    expect(page.text).toContain('>govctl CLI</td');
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
    const program = await service.registered();
    const { tokens } = await service.loginTo(program);
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
    expect((await ask(await service.registered())).json.error).toBe('unauthorized_client');
    expect((await ask(await service.registered({ public: true }))).json.error).toBe(
      'invalid_client',
    );
    const both = ['authorization_code', 'client_credentials'];
    const program = await service.registered({ grant_types: both });
    expect((await ask(program)).status).toBe(200);
    const { tokens } = await service.loginTo(program);
    expect(tokens.refresh_token).toBeUndefined();
  });
});
