import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ann, startCompanyService } from '../server/sign-in/company-service.ts';
import type { CompanyService } from '../server/sign-in/company-service.ts';

let service: CompanyService;
beforeEach(async () => void (service = await startCompanyService()));
afterEach(() => service.close());

const distrusted = 'sent a response that cannot be trusted';

describe('an ID token is refused', () => {
  it.each([
    ['of another tenant', { tid: 'tenant-2' }, 'belongs to another organization'],
    ['of no tenant', { tid: undefined }, 'belongs to another organization'],
    ['with another nonce', { nonce: 'another' }, distrusted],
    ['without a nonce', { nonce: undefined }, distrusted],
    ['for another client', { aud: 'another' }, distrusted],
    ['that another client asked for', { azp: 'another' }, distrusted],
    ['of another issuer', { iss: 'https://id.example.com' }, distrusted],
    ['that has expired', { exp: 1 }, distrusted],
    ['with a subject of 256 characters', { sub: 's'.repeat(256) }, distrusted],
  ])('%s', async (_, claims, said) => {
    Object.assign(service.provider.says.claims, claims);
    const { page, tab } = await service.signIn();
    expect(page.title).toBe('Sign in');
    expect(page.text).toContain(said);
    expect(await service.isIn(tab)).toBe(false);
    expect(await service.userOf()).toBeUndefined();
  });

  it.each(['none', 'HS256', 'forged'])('signed with %s', async (algorithm) => {
    service.provider.says.algorithm = algorithm;
    const { page } = await service.signIn();
    expect(page.text).toContain(distrusted);
    expect(await service.userOf()).toBeUndefined();
    expect(service.logs().join('\n')).not.toContain('an access token');
  });
});

it('a link of another site has no account accept an invitation: its page says first whose it is', async () => {
  const { json } = await service.send('POST', '/v1/users', {
    body: { email: 'mallory@example.com', roles: ['viewer'] },
  });
  const invitation = String(json.invitation_url).split('/').at(-1) ?? '';
  const start = `/auth/company/start?invitation=${invitation}`;
  for (const site of ['cross-site', 'same-site']) {
    const page = await service.browser().open(start, { headers: { 'sec-fetch-site': site } });
    expect(page.title).toBe('Accept your invitation');
    expect(page.text).toContain('mallory@example.com');
  }
  const own = await service.browser().open(start, { headers: { 'sec-fetch-site': 'same-origin' } });
  expect(own.url.origin).toBe(new URL(service.provider.issuer).origin);
});

describe('a callback lets nobody in', () => {
  it('in another browser than the one that began, be it one that began itself', async () => {
    const [first, second] = [service.browser(), service.browser()];
    const back = service.provider.approve(await service.begin(first), ann);
    await service.begin(second);
    for (const tab of [second, service.browser()]) {
      expect((await tab.open(back)).text).toContain('was started in another browser');
      expect(await service.isIn(tab)).toBe(false);
    }
    expect((await first.open(back)).title).toBe('Your account');
  });

  it('twice', async () => {
    const tab = service.browser();
    const back = service.provider.approve(await service.begin(tab), ann);
    const cookie = `__Host-govctl_company=${tab.cookie('__Host-govctl_company') ?? ''}`;
    expect((await tab.open(back)).title).toBe('Your account');
    expect((await tab.open(back)).text).toContain('This sign-in has expired');
    const thief = service.browser();
    const copied = await thief.open(back, { headers: { cookie } });
    expect(copied.text).toContain('Sign in');
    expect(await service.isIn(thief)).toBe(false);
  });

  it.each([
    ['that another provider sent', { iss: 'https://id.example.com' }],
    ['that does not say who sent it', { iss: undefined }],
    ['with another state', { state: 'another' }],
    ['without a code', { code: undefined }],
  ])('%s', async (_, changes) => {
    const tab = service.browser();
    const back = service.provider.approve(await service.begin(tab), ann);
    for (const [name, value] of Object.entries(changes)) {
      if (value === undefined) back.searchParams.delete(name);
      else back.searchParams.set(name, value);
    }
    const before = service.provider.asked.length;
    expect((await tab.open(back)).title).toBe('Sign in');
    expect(service.provider.asked.slice(before)).toEqual([]);
    expect(await service.isIn(tab)).toBe(false);
  });

  it('with an error, whose description is shown as text, and only where this browser began', async () => {
    const evil = '<script>alert(1)</script>\u202e"\'&' + 'x'.repeat(1_000);
    const tab = service.browser();
    const state = (await service.begin(tab)).searchParams.get('state') ?? '';
    const query = new URLSearchParams({ error: 'invalid_scope', error_description: evil, state, iss: service.provider.issuer }); // prettier-ignore
    const path = `/auth/company/callback?${query.toString()}`;
    expect((await service.browser().open(path)).text).not.toContain('alert(1)');
    const page = await tab.open(path);
    expect(page.text).toContain('Example Corp returned invalid_scope: &lt;script&gt;alert(1)');
    expect(page.text).not.toMatch(/<script|\u202e|x{400}/);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const refused = service.browser();
    const begun = (await service.begin(refused)).searchParams.get('state') ?? '';
    const no = new URLSearchParams({ error: 'access_denied', state: begun, iss: service.provider.issuer }); // prettier-ignore
    expect((await refused.open(`/auth/company/callback?${no.toString()}`)).text).toContain('The sign-in was canceled, or '); // prettier-ignore
  });
});

describe('a provider that is down', () => {
  it('at the start is said on the page, asked once in five seconds, and back when it is back', async () => {
    service.provider.says.down.add('discovery');
    for (let at = 0; at < 5; at++) {
      const page = await service.browser().open('/auth/company/start');
      expect([page.status, page.title]).toEqual([503, 'Sign in']);
      expect(page.text).toContain('Example Corp cannot be reached at the moment');
      expect(page.text).toContain('name="password"');
    }
    expect(service.provider.asked).toHaveLength(1);
    service.provider.says.down.clear();
    service.advance(5_000);
    expect((await service.signIn()).page.title).toBe('Your account');
  });

  it.each(['token', 'keys'] as const)('at the %s lets nobody in', async (part) => {
    service.provider.says.down.add(part);
    const { page } = await service.signIn();
    expect([page.status, page.title]).toEqual([503, 'Sign in']);
    service.provider.says.down.clear();
    expect((await service.signIn()).page.title).toBe('Your account');
  });

  it('or has metadata of another issuer, or an address without TLS, is not used', async () => {
    for (const metadata of [
      { issuer: 'https://id.example.com' },
      { authorization_endpoint: 'javascript:alert(1)' },
      { token_endpoint: 'http://id.example.com/token' },
    ]) {
      service.provider.says.metadata = metadata;
      service.advance(5_000);
      expect((await service.browser().open('/auth/company/start')).status).toBe(503);
    }
  });
});

it('made-up codes are tried a few times only from one network', async () => {
  const statuses = [];
  for (let at = 0; at < 25; at++) {
    const tab = service.browser();
    const back = service.provider.approve(await service.begin(tab), ann);
    back.searchParams.set('code', `guess-${at}`);
    statuses.push((await tab.open(back)).status);
  }
  expect(statuses.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 422));
  expect(statuses.at(-1)).toBe(429);
});
