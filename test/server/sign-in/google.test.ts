import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Send } from '../../../src/server/outbound/send.ts';
import type { Browser } from '../oauth/browser.ts';
import type { Page } from '../oauth/browser.ts';
import { ann, startCompanyService } from './company-service.ts';
import type { CompanyService } from './company-service.ts';

const google = 'https://accounts.google.com';
/** As Google's metadata has them: three hosts, and no `iss` in the answer that browsers bring. */
const metadata = {
  issuer: google,
  authorization_endpoint: `${google}/o/oauth2/v2/auth`,
  token_endpoint: 'https://oauth2.googleapis.com/token',
  jwks_uri: 'https://www.googleapis.com/oauth2/v3/certs',
  id_token_signing_alg_values_supported: ['RS256'],
  authorization_response_iss_parameter_supported: undefined,
};
const paths: Readonly<Record<string, string>> = {
  [`${google}/.well-known/openid-configuration`]: '/.well-known/openid-configuration',
  [metadata.token_endpoint]: '/token',
  [metadata.jwks_uri]: '/keys',
};

/** Leads what goes to Google to the provider of the test. */
const toProvider =
  (send: Send, issuer: string): Send =>
  (outgoing, signal) => {
    const path = paths[outgoing.url];
    if (path === undefined) throw new Error(`Google has no ${outgoing.url}`);
    return send({ ...outgoing, url: issuer + path }, signal);
  };

const ofWorkspace = { ...ann, tid: undefined, groups: undefined, hd: 'example.com' };

let service: CompanyService;
beforeEach(async () => {
  service = await startCompanyService(
    {
      name: 'Google',
      issuer: google,
      tenant: { claim: 'hd', value: 'example.com' },
      roles: [
        { claim: 'hd', value: 'example.com', role: 'viewer' },
        { claim: 'email', value: 'ann@example.com', role: 'editor' },
      ],
    },
    { through: toProvider },
  );
  const { says } = service.provider;
  Object.assign(says.metadata, metadata);
  Object.assign(says.claims, { iss: google });
});
afterEach(() => service.close());

async function begin(tab: Browser): Promise<URL> {
  const { url } = await tab.open('/auth/company/start');
  expect(url.origin + url.pathname).toBe(metadata.authorization_endpoint);
  return url;
}

async function signIn(
  claims: object,
  tab = service.browser(),
): Promise<{ tab: Browser; page: Page }> {
  const asked = await begin(tab);
  const there = new URL(`${service.provider.issuer}/authorize${asked.search}`);
  const back = service.provider.approve(there, { ...claims });
  back.searchParams.delete('iss');
  return { tab, page: await tab.open(back) };
}

describe('signing in with Google', () => {
  it('lets accounts of the Workspace domain in, with the roles of domain and email address', async () => {
    const { page } = await signIn(ofWorkspace);
    expect(page.title).toBe('Your account');
    expect(await service.userOf()).toMatchObject({
      roles: ['viewer', 'editor'],
      link: { issuer: google, subject: ann.sub, managed: true },
    });
  });

  it.each([
    ['of another domain', { hd: 'evil.example' }],
    ['of no domain, whatever their email address', { hd: undefined }],
  ])('lets no accounts in %s', async (_, changes) => {
    const { tab } = await signIn({ ...ofWorkspace, ...changes });
    expect(await service.isIn(tab)).toBe(false);
    expect(await service.userOf()).toBeUndefined();
  });

  it('takes no ID token of another issuer', async () => {
    service.provider.says.claims.iss = 'https://evil.example';
    const { tab } = await signIn(ofWorkspace);
    expect(await service.isIn(tab)).toBe(false);
  });

  it('asks by its own words for refresh tokens, and for another sign-in of who is signed in', async () => {
    const tab = service.browser();
    const first = await begin(tab);
    expect(first.searchParams.get('scope')).toBe('openid email profile');
    expect(first.searchParams.get('access_type')).toBe('offline');
    expect(first.searchParams.get('prompt')).toBeNull();
    await signIn(ofWorkspace, tab);
    expect((await begin(tab)).searchParams.get('prompt')).toBe('select_account');
  });

  it('is asked again after 12 hours with the refresh token that only the first sign-in brought', async () => {
    const { says, asked } = service.provider;
    says.isOffline = true;
    await signIn(ofWorkspace);
    says.isOffline = false;
    const { tab } = await signIn(ofWorkspace);
    asked.length = 0;
    service.advance(6 * 3_600_000);
    expect(await service.isIn(tab)).toBe(true);
    service.advance(6 * 3_600_000);
    await service.maintain();
    expect(asked.map(({ path }) => path)).toContain('/token');
    expect(await service.isIn(tab)).toBe(true);
  });
});

it('asks Google for no refresh tokens where the configuration does not say so', async () => {
  await service.close();
  service = await startCompanyService(
    { issuer: google, scopes: ['openid', 'email'], tenant: { claim: 'hd', value: 'example.com' } },
    { through: toProvider },
  );
  Object.assign(service.provider.says.metadata, metadata);
  const asked = await begin(service.browser());
  expect(asked.searchParams.get('access_type')).toBeNull();
  expect(asked.searchParams.get('scope')).toBe('openid email');
});
