import * as client from 'openid-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fieldsOf } from '../test-service.ts';
import type { Page } from './browser.ts';
import { base } from './login-service.ts';
import { errorOf, redirect, startProgramService } from './program-service.ts';
import type { ProgramService, Registered } from './program-service.ts';

const refused = { error: 'invalid_grant' };

let service: ProgramService;
beforeEach(async () => void (service = await startProgramService()));
afterEach(() => service.close());

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
    const got = await service.register({ redirect_uris: [redirect, uri] });
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
      const got = await service.register(fields);
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
    const { page } = await service.beginAt(await service.registered(), { redirect_uri });
    expect([page.status, page.title, page.url.origin]).toEqual([400, 'This login cannot continue', base]); // prettier-ignore
  });

  it('may be on any port of a loopback address for public programs, and on one for others', async () => {
    const uris = ['http://127.0.0.1/callback', 'http://[::1]:7000/callback'];
    const open = { name: 'Policy board', redirect_uris: uris };
    const other = { redirect_uri: 'http://127.0.0.1:61000/callback' };
    const { page } = await service.beginAt(
      await service.registered({ ...open, public: true }),
      other,
    );
    expect(page.title).toBe('Sign in');
    const strict = await service.beginAt(await service.registered(open), other);
    expect(strict.page.title).toBe('This login cannot continue');
  });

  it('can be changed; one that was removed leads nowhere from then on', async () => {
    const program = await service.registered();
    const path = `/v1/oauth-clients/${program.client_id}`;
    const moved = 'https://new.example.com/callback';
    const got = await service.send('PUT', path, { body: { redirect_uris: [moved] } });
    expect([got.status, got.json.redirect_uris]).toEqual([200, [moved]]);
    expect((await service.beginAt(program)).page.title).toBe('This login cannot continue');
    expect((await service.beginAt(program, { redirect_uri: moved })).page.title).toBe('Sign in');
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
    const { page } = await service.beginAt(await service.registered(), changes);
    expect([page.url.host, errorOf(page)]).toEqual(['board.example.com', 'invalid_request']);
  });

  it('takes the verifier, the redirect URI that was asked for, and the program that it was given to', async () => {
    const program = await service.registered();
    const other = await service.registered();
    const open = await service.registered({ public: true });
    for (const [by, fields] of [
      [program, {}],
      [program, { code_verifier: 'x'.repeat(43) }],
      [program, { code_verifier: undefined, redirect_uri: 'https://board.example.com/other' }],
      [other, { code_verifier: undefined }],
      [open, { code_verifier: undefined }],
      [{ client_id: 'govctl-cli' }, { code_verifier: undefined }],
    ] as const) {
      const { back, verifier } = await service.consentTo(program);
      const given = 'code_verifier' in fields && fields.code_verifier === undefined ? { ...fields, code_verifier: verifier } : fields; // prettier-ignore
      const got = await exchange(codeOf(back), by, given);
      expect([by.client_id, got.status]).toEqual([by.client_id, 400]);
      expect(['invalid_grant', 'invalid_request']).toContain(got.json.error);
    }
  });

  it('takes the secret of the program', async () => {
    const program = await service.registered();
    const { back, verifier } = await service.consentTo(program);
    for (const by of [{ ...program, client_secret: 'gcs_x' }, { client_id: program.client_id }]) {
      const got = await exchange(codeOf(back), by, { code_verifier: verifier });
      expect([got.status, got.json.error]).toEqual([401, 'invalid_client']);
    }
    expect((await exchange(codeOf(back), program, { code_verifier: verifier })).status).toBe(200);
  });

  it('ends all that it gave where it is used twice', async () => {
    const program = await service.registered();
    const { config, tokens, back, verifier } = await service.loginTo(program);
    const again = await exchange(codeOf(back), program, { code_verifier: verifier });
    expect(again.json).toMatchObject(refused);
    expect((await service.ask(tokens.access_token)).status).toBe(401);
    await expect(client.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject(refused); // prettier-ignore
  });

  it('comes from an issuer that says who it is: an answer of another, or of none, is refused', async () => {
    const program = await service.registered();
    const { config, back, verifier, state } = await service.consentTo(program);
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
    const { tokens } = await service.loginTo(await service.registered());
    for (const other of [await service.registered(), await service.registered({ public: true })]) {
      const config = await service.configOf(other);
      const taken = client.refreshTokenGrant(config, tokens.refresh_token ?? '');
      await expect(taken).rejects.toMatchObject(refused);
      expect(await client.tokenIntrospection(config, tokens.access_token).catch((error: unknown) => error)).not.toMatchObject({ active: true }); // prettier-ignore
    }
  });
});
