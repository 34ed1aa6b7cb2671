import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { password } from './people.ts';
import { ann, base, startCompanyService } from './company-service.ts';
import type { CompanyService } from './company-service.ts';

let service: CompanyService;
beforeEach(async () => void (service = await startCompanyService()));
afterEach(() => service.close());

const hour = 3_600_000;
const engineers = { ...ann, groups: ['engineers'] };

describe('signing in with a company account', () => {
  it('begins on the sign-in page, and creates a user with the roles of the rules', async () => {
    const tab = service.browser();
    const page = await tab.open('/auth/account');
    expect(page.title).toBe('Sign in');
    expect(page.text).toContain('Continue with Example Corp');
    expect(page.text).toContain('href="/auth/company/start?next=%2Fauth%2Faccount"');
    const { page: account } = await service.signIn(ann, tab);
    expect(account.title).toBe('Your account');
    expect(account.text).toContain('ann@example.com');
    expect(account.text).toContain('Ann Example');
    expect(account.text).toContain('which determines your roles');
    expect(account.text).not.toContain('Change your password');
    const user = await service.userOf();
    expect(user).toMatchObject({ roles: ['editor'], name: 'Ann Example', link: { managed: true } });
    const shown = await service.send('GET', '/v1/users/ann@example.com');
    expect(shown.json).toMatchObject({
      status: 'active',
      company_account: { issuer: service.provider.issuer, subject: ann.sub, managed: true },
    });
    expect(shown.text).not.toContain('refresh');
    expect(await service.audit()).toEqual(expect.arrayContaining(['user.create', 'user.login']));
    expect(await service.events()).toContain('user.login');
  });

  it('asks with PKCE, a state, a nonce and the scopes of the configuration', async () => {
    const url = await service.begin(service.browser());
    const asked = Object.fromEntries(url.searchParams);
    expect(asked).toMatchObject({
      response_type: 'code',
      client_id: 'govctl-client',
      redirect_uri: `${base}/auth/company/callback`,
      scope: 'openid email profile offline_access',
      code_challenge_method: 'S256',
    });
    for (const name of ['state', 'nonce', 'code_challenge']) expect(asked[name]).toHaveLength(43);
    expect(asked.prompt).toBeUndefined();
  });

  it('asks a person who is signed in to show once more who they are', async () => {
    const { tab } = await service.signIn();
    expect((await service.begin(tab)).searchParams.get('prompt')).toBe('login');
  });

  it('goes on where the person wanted to go', async () => {
    const tab = service.browser();
    const url = await service.begin(tab, '/auth/company/start?next=%2Fauth%2Fdevice');
    expect((await tab.open(service.provider.approve(url, ann))).title).toBe('Log in on a device');
    const other = await service.begin(service.browser(), '/auth/company/start?next=https%3A%2F%2Fevil.example'); // prettier-ignore
    expect(other.href).not.toContain('evil');
  });

  it('knows its user again by issuer and subject, whatever their email address is now', async () => {
    await service.signIn();
    const before = await service.userOf();
    await service.signIn({ ...ann, email: 'ann.married@example.com' });
    expect((await service.userOf())?.id).toBe(before?.id);
    expect(await service.userOf('ann.married@example.com')).toBeUndefined();
  });

  it('keeps nothing readable of the provider in the cookie, which lasts 10 minutes', async () => {
    const tab = service.browser();
    const url = await service.begin(tab);
    expect(tab.cookie('__Host-govctl_company')).toMatch(/^v1%3A/);
    service.advance(10 * 60_000);
    const page = await tab.open(service.provider.approve(url, ann));
    expect(page.text).toContain('This sign-in has expired');
    expect(await service.userOf()).toBeUndefined();
  });

  it('takes ID tokens that are signed with ES256, too', async () => {
    service.provider.says.algorithm = 'ES256';
    expect((await service.signIn()).page.title).toBe('Your account');
  });
});

describe('roles by rules', () => {
  it('add up where a claim is a list, and are those that the last sign-in gave', async () => {
    const { tab } = await service.signIn({ ...ann, groups: ['controllers', 'engineers', 'x'] });
    expect((await service.userOf())?.roles).toEqual(['editor', 'cost-viewer']);
    const again = await service.signIn({ ...ann, groups: 'engineers' });
    expect((await service.userOf())?.roles).toEqual(['editor']);
    expect(await service.isIn(tab)).toBe(false);
    expect(await service.isIn(again.tab)).toBe(true);
    expect(await service.events()).toContain('user.role.changed');
    expect(await service.audit()).toContain('user.update roles');
  });

  it('let nobody in whom they give none, and end the sessions of who had some', async () => {
    const stranger = await service.signIn({ ...ann, groups: ['everybody'] });
    expect(stranger.page.title).toBe('Sign in');
    expect(stranger.page.text).toContain('No rule on this server gives your');
    expect(await service.userOf()).toBeUndefined();
    const { tab } = await service.signIn();
    const lost = await service.signIn({ ...ann, groups: undefined });
    expect(lost.page.text).toContain('No rule on this server');
    expect(await service.isIn(tab)).toBe(false);
    expect((await service.userOf())?.roles).toEqual([]);
    expect((await service.signIn()).page.title).toBe('Your account');
  });

  it('cannot be changed by hand, until a reset makes the user one of the server’s own', async () => {
    await service.signIn();
    const path = '/v1/users/ann@example.com';
    const changed = await service.send('PUT', path, { body: { roles: ['viewer'] } });
    expect([changed.status, changed.json.error]).toEqual([400, 'invalid_user']);
    expect(changed.text).toContain('sign_in.company');
    expect((await service.send('POST', `${path}/reset`)).status).toBe(200);
    expect((await service.userOf())?.link).toBeUndefined();
    expect((await service.send('PUT', path, { body: { roles: ['viewer'] } })).status).toBe(200);
    expect((await service.signIn()).page.text).toContain('The user ann@example.com already exists');
  });

  it('leave the last owner an owner', async () => {
    const chief = { ...ann, groups: ['chiefs'], amr: ['mfa'] };
    await service.signIn(chief);
    await service.signIn({ ...chief, groups: ['engineers'] });
    expect((await service.userOf())?.roles).toEqual(['editor', 'owner']);
    await service.signIn({ ...chief, sub: 'bob', email: 'bob@example.com' });
    await service.signIn({ ...chief, groups: ['engineers'] });
    expect((await service.userOf())?.roles).toEqual(['editor']);
  });

  it('are not given for a role that was deleted meanwhile', async () => {
    await service.close();
    service = await startCompanyService({
      roles: [
        { claim: 'groups', value: 'engineers', role: 'report-maker' },
        { claim: 'groups', value: 'engineers', role: 'viewer' },
      ],
    });
    await service.signIn();
    expect((await service.userOf())?.roles).toEqual(['viewer']);
  });
});

describe('whom nobody knows yet', () => {
  it('gets no user of somebody with the same email address, and none for an address that is not verified', async () => {
    await service.invite(ann.email, 'viewer');
    const taken = await service.signIn();
    expect(taken.page.text).toContain('The user ann@example.com already exists');
    expect((await service.userOf())?.link).toBeUndefined();
    for (const email_verified of [false, undefined, 'no']) {
      const { page } = await service.signIn({ ...ann, email: 'new@example.com', email_verified });
      expect(page.text).toContain('does not say that your email address is verified');
    }
    expect(await service.userOf('new@example.com')).toBeUndefined();
  });

  it('gets no role for an email address that is not verified', async () => {
    await service.close();
    service = await startCompanyService({
      roles: [{ claim: 'email', value: ann.email, role: 'editor' }],
    });
    const { page } = await service.signIn({ ...ann, email_verified: false });
    expect(page.text).toContain('No rule on this server');
    expect((await service.signIn()).page.title).toBe('Your account');
  });

  it('accepts an invitation with the account, and keeps the roles of the invitation', async () => {
    const path = await service.invite('invited@example.com', 'auditor');
    const tab = service.browser();
    const page = await tab.open(path);
    expect(page.text).toContain('Continue with Example Corp');
    const link = /href="(\/auth\/company\/start\?invitation=[^"]*)"/.exec(page.text)?.[1] ?? '';
    const begun = await service.begin(tab, link.replaceAll('&amp;', '&'));
    // The link is good once, whoever is first.
    const other = service.browser();
    const late = await service.begin(other, link.replaceAll('&amp;', '&'));
    expect((await tab.open(service.provider.approve(begun, ann))).title).toBe('Your account');
    expect(await service.userOf('invited@example.com')).toMatchObject({
      roles: ['auditor'],
      link: { subject: ann.sub },
    });
    const second = await other.open(service.provider.approve(late, { ...ann, sub: 'other' }));
    expect(second.text).toContain('The invitation has expired, was used');
    expect((await service.signIn(engineers)).page.title).toBe('Your account');
    expect((await service.userOf('invited@example.com'))?.roles).toEqual(['auditor']);
  });

  it('cannot accept two invitations with one account', async () => {
    await service.signIn();
    const token = (await service.invite('second@example.com', 'viewer')).split('/').at(-1) ?? '';
    const tab = service.browser();
    const begun = await service.begin(tab, `/auth/company/start?invitation=${token}`);
    const page = await tab.open(service.provider.approve(begun, ann));
    expect(page.text).toContain('already linked to another user');
  });
});

/** Somebody with a password, who is signed in. */
async function local(email: string, ...roles: string[]) {
  const tab = service.browser();
  const page = await tab.open(await service.invite(email, ...roles));
  await tab.submit(page, { password, again: password });
  return tab;
}

describe('linking an account to a user that there is', () => {
  it('takes a session, the account, and a word of the person; roles stay as they are', async () => {
    const tab = await local('lou@example.com', 'viewer');
    expect((await tab.open('/auth/account')).text).toContain('Link your Example Corp account');
    expect((await tab.open('/auth/company/link')).title).toBe('Link your Example Corp account');
    const begun = await service.begin(tab, '/auth/company/start?link=1');
    const ask = await tab.open(service.provider.approve(begun, ann));
    expect(ask.title).toBe('Link your Example Corp account?');
    expect(ask.text).toContain('ann@example.com');
    expect((await service.userOf('lou@example.com'))?.link).toBeUndefined();
    const done = await tab.submit(ask, {});
    expect(done.text).toContain('Linked to <strong>ann@example.com</strong>');
    const other = await service.signIn(engineers);
    expect(other.page.text).toContain('lou@example.com');
    expect((await service.userOf('lou@example.com'))?.roles).toEqual(['viewer']);
    const gone = await tab.submit(done, {}, '/auth/company/unlink');
    expect(gone.title).toBe('Your account');
    expect((await service.userOf('lou@example.com'))?.link).toBeUndefined();
    expect(await service.audit()).toEqual(expect.arrayContaining(['user.link', 'user.unlink']));
  });

  it('takes a sign-in of the last minutes, and the session that began it', async () => {
    const tab = await local('lou@example.com', 'viewer');
    const begun = await service.begin(tab, '/auth/company/start?link=1');
    const ask = await tab.open(service.provider.approve(begun, ann));
    const thief = await local('eve@example.com', 'viewer');
    const proof = /name="proof" value="([^"]*)"/.exec(ask.text)?.[1] ?? '';
    const page = await thief.open('/auth/account');
    const csrf = /name="csrf" value="([^"]*)"/.exec(page.text)?.[1] ?? '';
    const post = await thief.open('/auth/company/link', {
      method: 'POST',
      body: new URLSearchParams({ csrf, proof }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }, // prettier-ignore
    });
    expect(post.text).toContain('expired');
    service.advance(5 * 60_000 + 1);
    expect((await tab.open('/auth/company/link')).title).toBe('Sign in');
    expect((await service.userOf('eve@example.com'))?.link).toBeUndefined();
  });

  it('is refused for an account of another user, and never unlinks the only way in', async () => {
    const { tab: own, page } = await service.signIn();
    const tab = await local('lou@example.com', 'viewer');
    const begun = await service.begin(tab, '/auth/company/start?link=1');
    const ask = await tab.open(service.provider.approve(begun, ann));
    expect(ask.text).toContain('already linked to another user');
    expect(page.text).not.toContain('Unlink');
    expect(await service.isIn(own)).toBe(true);
  });
});

describe('a second factor', () => {
  const admin = { ...ann, groups: ['admins'] };

  it('is asked of admins, unless the provider says that it asked for one', async () => {
    expect((await service.signIn(admin)).page.title).toBe('Set up a second factor');
    expect((await service.signIn({ ...admin, amr: ['pwd', 'mfa'] })).page.title).toBe('Your account'); // prettier-ignore
    expect((await service.signIn({ ...admin, acr: 'phr' })).page.title).toBe('Your account');
    expect((await service.signIn({ ...admin, amr: ['pwd'] })).page.title).toBe('Set up a second factor'); // prettier-ignore
    const { tab, page } = await service.signIn(engineers);
    expect(page.title).toBe('Your account');
    expect(await service.isIn(tab)).toBe(true);
  });

  it('is the provider’s alone where the configuration says so', async () => {
    await service.close();
    service = await startCompanyService({ require_second_factor: false });
    const { tab, page } = await service.signIn(admin);
    expect(page.title).toBe('Your account');
    expect(await service.isIn(tab)).toBe(true);
  });
});

describe('where only owners have passwords', () => {
  beforeEach(async () => {
    await service.close();
    service = await startCompanyService({ password: false });
  });

  it('others are told so, after their password was right', async () => {
    const path = await service.invite('lou@example.com', 'viewer');
    const tab = service.browser();
    const refused = await tab.submit(await tab.open(path), { password, again: password });
    expect(refused.text).toContain('only owners can sign in with a password');
    const owner = await local('olga@example.com', 'owner');
    expect((await owner.open('/auth/account')).title).toBe('Set up a second factor');
    const sign = service.browser();
    const page = await sign.open('/auth/sign-in');
    expect(page.text).toContain('<summary>Owners: sign in with a password</summary>');
    const wrong = await sign.submit(page, { email: 'lou@example.com', password });
    expect(wrong.text).toContain('The email address or the password is incorrect');
    const right = await sign.submit(page, { email: 'olga@example.com', password });
    expect(right.title).toBe('Set up a second factor');
  });
});

describe('after 12 hours', () => {
  it('a person has to sign in again where the provider cannot be asked about them', async () => {
    const { tab } = await service.signIn();
    for (let at = 0; at < 11; at++) {
      service.advance(hour);
      expect(await service.isIn(tab)).toBe(true);
    }
    service.advance(hour);
    expect(await service.isIn(tab)).toBe(false);
    await service.maintain();
    expect(await service.audit()).toContain('user.sign_out not checked');
    expect((await service.signIn()).page.title).toBe('Your account');
  });

  async function offline() {
    service.provider.says.isOffline = true;
    const { tab } = await service.signIn();
    service.advance(6 * hour);
    expect(await service.isIn(tab)).toBe(true);
    service.advance(6 * hour);
    return tab;
  }

  it('the provider is asked, with a refresh token that is sealed and changes each time', async () => {
    const tab = await offline();
    const before = (await service.userOf())?.link?.refresh;
    expect(before).toMatch(/^v1:/);
    await service.maintain();
    expect(await service.isIn(tab)).toBe(true);
    expect((await service.userOf())?.link?.refresh).not.toBe(before);
    for (let at = 0; at < 3; at++) {
      service.advance(6 * hour);
      await service.maintain();
      expect(await service.isIn(tab)).toBe(true);
    }
  });

  it('whom the provider no longer knows is signed out, with their refresh tokens', async () => {
    const tab = await offline();
    service.provider.revoke();
    await service.maintain();
    expect(await service.isIn(tab)).toBe(false);
    expect(await service.audit()).toContain('user.sign_out refused');
    expect((await service.userOf())?.link).toMatchObject({ subject: ann.sub });
    expect((await service.userOf())?.link?.refresh).toBeUndefined();
  });

  it.each([
    ['another role', { groups: ['controllers'] }, ['cost-viewer']],
    ['no role', { groups: [] }, []],
    ['another tenant', { tid: 'tenant-2' }, ['editor']],
    ['another subject', { sub: 'bob' }, ['editor']],
  ])('who has %s is signed out', async (_, account, roles) => {
    const tab = await offline();
    service.provider.says.account = account;
    await service.maintain();
    expect(await service.isIn(tab)).toBe(false);
    expect((await service.userOf())?.roles).toEqual(roles);
  });

  it('a provider that is down has an hour', async () => {
    const tab = await offline();
    service.provider.says.down.add('token');
    await service.maintain();
    expect(await service.isIn(tab)).toBe(true);
    service.advance(hour - 1);
    await service.maintain();
    expect(await service.isIn(tab)).toBe(true);
    service.advance(1);
    expect(await service.isIn(tab)).toBe(false);
    await service.maintain();
    service.provider.says.down.clear();
    await service.maintain();
    expect(await service.isIn(tab)).toBe(false);
  });

  it('a provider that comes back within the hour is asked then', async () => {
    const tab = await offline();
    service.provider.says.tokenError = { status: 401, error: 'invalid_client' };
    await service.maintain();
    expect(service.logs().join('\n')).toContain('invalid_client');
    service.provider.says.tokenError = undefined;
    service.advance(hour / 2);
    await service.maintain();
    service.advance(hour);
    expect(await service.isIn(tab)).toBe(true);
  });

  it('an answer without an ID token is none', async () => {
    const tab = await offline();
    service.provider.says.hasIdToken = false;
    await service.maintain();
    service.advance(hour);
    expect(await service.isIn(tab)).toBe(false);
  });

  it('a person who signed in meanwhile is left alone', async () => {
    await offline();
    const [signedIn] = await Promise.all([service.signIn(), service.maintain()]);
    await service.maintain();
    expect(await service.isIn(signedIn.tab)).toBe(true);
  });

  it('whoever signs in with a password later is not signed out by a check of before', async () => {
    const tab = await local('lou@example.com', 'viewer');
    const begun = await service.begin(tab, '/auth/company/start?link=1');
    await tab.submit(await tab.open(service.provider.approve(begun, ann)), {});
    await service.signIn();
    service.advance(12 * hour);
    await service.maintain();
    const again = service.browser();
    const form = await again.open('/auth/sign-in');
    await again.submit(form, { email: 'lou@example.com', password });
    service.advance(2 * hour);
    await service.maintain();
    expect(await service.isIn(again)).toBe(true);
  });
});

it('a user who is disabled stays out, and is told so', async () => {
  await service.signIn();
  await service.send('PUT', '/v1/users/ann@example.com', { body: { disabled: true } });
  const { page, tab } = await service.signIn();
  expect(page.text).toContain('Your user is disabled');
  expect(await service.isIn(tab)).toBe(false);
});

it('a user who is deleted begins anew', async () => {
  await service.signIn();
  const before = await service.userOf();
  await service.send('DELETE', '/v1/users/ann@example.com');
  await service.signIn();
  expect((await service.userOf())?.id).not.toBe(before?.id);
});
