import * as client from 'openid-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Email } from '../../src/contract/users.ts';
import { accessTokens } from '../../src/server/auth/collection.ts';
import { createAdapterFactory } from '../../src/server/oauth/adapter.ts';
import { oauthStates } from '../../src/server/oauth/collection.ts';
import { countRows } from '../../src/server/store/all-rows.ts';
import type { SignIn } from '../../src/server/sign-in/service.ts';
import { createTries } from '../../src/server/sign-in/tries.ts';
import { allScopes, startLoginService } from '../server/oauth/login-service.ts';
import type { LoginService } from '../server/oauth/login-service.ts';
import { appWith, entered, from, invite, join, password, signInOf } from '../server/sign-in/people.ts'; // prettier-ignore
import { startTestService } from '../server/test-service.ts';
import type { TestService } from '../server/test-service.ts';

describe('who knows a password', () => {
  let service: TestService;
  let signIn: SignIn;
  beforeEach(async () => {
    service = await startTestService();
    signIn = signInOf(service.deps);
  });
  afterEach(() => service.close());

  it('sets up no second factor in the place of the owner, who did while they waited', async () => {
    const { email, invitation } = await invite(service, 'olga', 'owner');
    const visitor = from('192.0.2.1');
    const own = entered(await signIn.acceptInvitation({ invitation, password, visitor }));
    const thief = from('198.51.100.1');
    const theirs = entered(await signIn.tryPassword({ email, password, visitor: thief }));
    const begun = await signIn.enrol({ token: theirs.token, visitor: thief });
    if (begun.kind !== 'enrolling') throw new Error(begun.kind);
    const app = await signIn.enrol({ token: own.token, visitor });
    if (app.kind !== 'enrolling') throw new Error(app.kind);
    const code = appWith(service, app.secret)();
    entered(await signIn.confirm({ token: own.token, code, visitor }));
    const late = appWith(service, begun.secret)();
    const taken = await signIn.confirm({ token: theirs.token, code: late, visitor: thief });
    expect(taken.kind).toBe('no_session');
  });

  it('is signed out where the person sets up a second factor', async () => {
    const { email, token, id } = await join(service, signIn, 'ann', 'editor');
    const thief = entered(await signIn.tryPassword({ email, password, visitor: from('198.51.100.1') })); // prettier-ignore
    const visitor = from('192.0.2.1');
    const app = await signIn.enrol({ token, visitor });
    if (app.kind !== 'enrolling') throw new Error(app.kind);
    const code = appWith(service, app.secret)();
    const now = entered(await signIn.confirm({ token, code, visitor }));
    expect(await signIn.currentSession(thief.token)).toBeUndefined();
    expect(await signIn.currentSession(now.token)).toBeDefined();
    expect(await signIn.sessionsOf(id)).toHaveLength(1);
  });

  it('is not counted by passwords that are too long to be right, which cost no hash', async () => {
    const { email } = await join(service, signIn, 'ann', 'editor');
    const visitor = from('198.51.100.1');
    const guess = (name: string, tried: string) =>
      signIn.tryPassword({ email: name, password: tried, visitor });
    for (let at = 0; at < 5; at++) await guess(email, 'guess');
    expect((await guess(email, password)).kind).toBe('later');
    const outcomes = new Set<string>();
    for (let at = 0; at < 10_001; at++) {
      outcomes.add((await guess(`a${at}@example.com`, 'x'.repeat(300))).kind);
    }
    expect([...outcomes]).toEqual(['refused']);
    expect((await guess(email, password)).kind).toBe('later');
  });
});

describe('failed tries', () => {
  it('of one kind are not forgotten by ones of another that are made up', () => {
    const tries = createTries({ now: () => 0, monotonic: () => 0 });
    const account = [{ as: 'account', name: 'ann' } as const];
    for (let at = 0; at < 5; at++) tries.begin(account);
    for (let at = 0; at < 30_000; at++) tries.begin([{ as: 'network', name: `company ${at}` }]);
    expect(tries.begin(account)).toBe(1);
  });

  it('hold nobody back for longer where the clock is set back', () => {
    let now = 86_400_000;
    const tries = createTries({ now: () => now, monotonic: () => 86_400_000 });
    const under = [{ as: 'account', name: 'ann' } as const];
    for (let at = 0; at < 5; at++) tries.begin(under);
    now = 0;
    expect(tries.begin(under)).toBe(1);
  });
});

it('an email address in letters that only look like those of another is none', () => {
  // U+212A, the sign of the unit, is a k in lower case.
  expect(Email.safeParse('\u212aate@example.com').success).toBe(false);
  expect(Email.safeParse('KATE@example.com').data).toBe('kate@example.com');
});

describe('a login', () => {
  let service: LoginService;
  beforeEach(async () => {
    service = await startLoginService();
  });
  afterEach(() => service.close());

  const stateCount = (kind: string): Promise<number> =>
    countRows(service.deps.store, oauthStates, { kind: { any: [kind] } });
  const introspect = async (fields: Readonly<Record<string, string>>) =>
    (await service.form('/auth/introspect', fields)).json;
  const signedIn = async () => {
    const tab = service.browser();
    await service.signIn(tab, '/auth/sign-in');
    return tab;
  };

  it('by device code is guessed five times only, also by tries that come at once', async () => {
    const config = await service.discover();
    const tab = service.browser();
    const form = await service.signIn(tab, '/auth/device');
    const started = await client.initiateDeviceAuthorization(config, { scope: allScopes });
    const wrong = [...'BCDFGHJKLM'].flatMap((a) => [...'BCDF'].map((b) => `BBBB-BB${a}${b}`));
    const codes = [...wrong, started.user_code];
    const answers = await Promise.all(codes.map((code) => tab.submit(form, { code })));
    expect(answers.filter(({ status }) => status !== 429)).toHaveLength(5);
    expect(answers.at(-1)?.status).toBe(429);
  });

  it('by device code is decided once, by the first of two people', async () => {
    await service.addUser('bob@example.com', ['editor']);
    const config = await service.discover();
    const started = await client.initiateDeviceAuthorization(config, { scope: allScopes });
    const confirms = [];
    for (const email of ['ada@example.com', 'bob@example.com']) {
      const tab = service.browser();
      const form = await service.signIn(tab, '/auth/device', email);
      confirms.push({ tab, page: await tab.submit(form, { code: started.user_code }) });
    }
    const done = await Promise.all(
      confirms.map(({ tab, page }) => tab.submit(page, { decision: 'allow' })),
    );
    expect(done.map(({ title }) => title).sort()).toEqual([
      'Device logged in',
      'Log in on a device',
    ]);
    expect(await stateCount('Grant')).toBe(1);
  });

  it.each([{ prompt: 'login' }, { max_age: '60' }, { max_age: '0' }])(
    'that asks for a fresh sign-in gets one: %j',
    async (asked) => {
      const config = await service.discover();
      const tab = await signedIn();
      service.advance(3_600_000);
      const begun = await service.begin(config, asked);
      const consent = await service.signIn(tab, begun.url);
      expect(consent.title).toBe('Authorize govctl CLI?');
      const back = await tab.submit(consent, { decision: 'allow' });
      const tokens = await client.authorizationCodeGrant(config, back.url, {
        pkceCodeVerifier: begun.verifier,
        expectedState: begun.state,
        ...(asked.max_age ? { maxAge: Number(asked.max_age) } : {}),
      });
      expect(tokens.claims()?.auth_time).toEqual(expect.any(Number));
    },
  );

  it('that asks for a sign-in of the last two hours tells when it was', async () => {
    const config = await service.discover();
    const tab = await signedIn();
    service.advance(3_600_000);
    const begun = await service.begin(config, { max_age: '7200' });
    const consent = await tab.open(begun.url);
    const back = await tab.submit(consent, { decision: 'allow' });
    const tokens = await client.authorizationCodeGrant(config, back.url, {
      pkceCodeVerifier: begun.verifier,
      expectedState: begun.state,
      maxAge: 7_200,
    });
    const hourAgo = Date.now() / 1_000 - 3_600;
    expect(Math.abs(Number(tokens.claims()?.auth_time) - hourAgo)).toBeLessThan(120);
  });

  it('is told to other programs as what it is good for now', async () => {
    const change = (scopes: readonly string[]) =>
      service.send('PUT', '/v1/roles/maker', { body: { scopes } });
    const both = ['governance:read', 'compliance:write'];
    await service.send('POST', '/v1/roles', { body: { name: 'maker', scopes: both } });
    await service.addUser('bob@example.com', ['maker']);
    const { tokens } = await service.login('bob@example.com');
    const told = { token: tokens.access_token, client_id: 'govctl-cli' };
    expect(String((await introspect(told)).scope).split(' ').sort()).toEqual([...both, 'openid'].sort()); // prettier-ignore
    expect((await change(['governance:read'])).status).toBe(200);
    expect(String((await introspect(told)).scope).split(' ').sort()).toEqual(['governance:read', 'openid']); // prettier-ignore
  });

  it('of a client is told as what its maker has left, and as nothing where they are disabled', async () => {
    const boss = await service.addUser('boss@example.com', ['admin']);
    const by = (await service.login('boss@example.com')).tokens.access_token;
    await service.addUser('chief@example.com', ['owner']);
    const key = (await service.login('chief@example.com')).tokens.access_token;
    const body = { name: 'x', scopes: ['governance:read', 'compliance:write'] };
    const { json: made } = await service.send('POST', '/v1/oauth-clients', { key: by, body });
    const program = {
      client_id: String(made.client_id),
      client_secret: String(made.client_secret),
    };
    const asked = { grant_type: 'client_credentials', ...program };
    const { json } = await service.form('/auth/token', asked);
    const told = { token: String(json.access_token), ...program };
    await service.send('PUT', `/v1/users/${boss}`, { body: { roles: ['viewer'] }, key });
    expect(await introspect(told)).toMatchObject({ active: true, scope: 'governance:read' });
    await service.send('DELETE', `/v1/users/${boss}`, { key });
    expect((await service.ask(told.token)).status).toBe(401);
    expect(await introspect(told)).not.toHaveProperty('scope');
  });

  it('of a client that is deleted or rotated at the same moment leaves no token that works', async () => {
    for (const end of ['delete', 'rotate']) {
      const body = { name: 'x', scopes: ['governance:read'] };
      const { json: made } = await service.send('POST', '/v1/oauth-clients', { body });
      const where = `/v1/oauth-clients/${String(made.client_id)}`;
      const asked = {
        grant_type: 'client_credentials',
        client_id: String(made.client_id),
        client_secret: String(made.client_secret),
      };
      const [ended, ...got] = await Promise.all([
        end === 'delete'
          ? service.send('DELETE', where)
          : service.send('POST', `${where}/rotate`, { body: { overlap_seconds: 0 } }),
        ...Array.from({ length: 20 }, () => service.form('/auth/token', asked)),
      ]);
      expect(ended?.status).toBeLessThan(300);
      for (const { status, json } of got) {
        const live = status === 200 ? (await service.ask(String(json.access_token))).status : 401;
        expect(live).toBe(401);
      }
    }
  });

  it('page of a second factor takes no address that is too long for a QR code', async () => {
    const tab = await signedIn();
    const page = await tab.open('/auth/second-factor/new?next=/auth/account');
    const made = { code: '000000', uri: 'x'.repeat(8_000), secret: 'y'.repeat(100) };
    expect((await tab.submit(page, made)).status).toBe(422);
  });

  it('takes each parameter of a token request once, as a text', async () => {
    const { back, verifier } = await service.consent();
    const fields = {
      grant_type: 'authorization_code',
      client_id: 'govctl-cli',
      code: back.url.searchParams.get('code') ?? '',
      code_verifier: verifier,
      redirect_uri: back.url.origin + back.url.pathname,
    };
    const send = async (text: string, type = 'application/x-www-form-urlencoded') =>
      (await service.send('POST', '/auth/token', { key: null, text, headers: { 'content-type': type } })).status; // prettier-ignore
    for (const name of Object.keys(fields)) {
      const twice = `${new URLSearchParams(fields).toString()}&${name}=x`;
      expect([name, await send(twice)]).toEqual([name, 400]);
    }
    expect(await send(JSON.stringify(fields), 'text/plain')).toBe(415);
    const nested = { ...fields, code: { code: fields.code } };
    expect(await send(JSON.stringify(nested), 'application/json')).toBe(400);
    expect(await send(JSON.stringify(fields), 'application/json')).toBe(200);
  });

  it('is one of 100 of a person at most, and what a program refreshes without end stays bounded', async () => {
    const { store } = service.deps;
    const adapters = createAdapterFactory(service.deps);
    const [grants, refreshes, tokens] = ['Grant', 'RefreshToken', 'AccessToken'].map(adapters);
    const of = { accountId: service.userId, clientId: 'govctl-cli' };
    for (let n = 0; n < 110; n++) await grants?.upsert(`g${n}`, of as never, 1_000 + n);
    expect(await stateCount('Grant')).toBe(100);
    const granted = { ...of, grantId: 'g109', scope: 'openid' } as never;
    for (let n = 0; n < 260; n++) {
      await refreshes?.upsert(`r${n}`, granted, 1_000 + n);
      await tokens?.upsert(`t${n}`, granted, 1_000 + n);
    }
    expect(await stateCount('RefreshToken')).toBeLessThanOrEqual(250);
    expect(await countRows(store, accessTokens, { grant_id: { any: ['g109'] } })).toBe(100);
    expect(await refreshes?.find('r259')).toBeDefined();
  });

  it('that strangers begin by device code is one of a bounded number, as any other', async () => {
    const codes = createAdapterFactory(service.deps, 300)('DeviceCode');
    await Promise.all(
      Array.from({ length: 500 }, (_, n) =>
        codes.upsert(`d${n}`, { userCode: `u${n}` } as never, 600),
      ),
    );
    expect(await stateCount('DeviceCode')).toBeLessThanOrEqual(300);
    expect(await codes.find('d499')).toBeDefined();
    expect(await codes.find('d0')).toBeUndefined();
  });
});
