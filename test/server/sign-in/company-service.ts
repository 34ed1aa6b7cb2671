import { BlockList } from 'node:net';
import { expect } from 'vitest';
import type { CompanyConfig } from '../../../src/server/config/config.ts';
import { systemClock } from '../../../src/server/deps.ts';
import { createSender } from '../../../src/server/outbound/send.ts';
import type { Send } from '../../../src/server/outbound/send.ts';
import { systemResolve } from '../../../src/server/outbound/resolve.ts';
import { users } from '../../../src/server/users/collection.ts';
import { Browser } from '../oauth/browser.ts';
import type { Page } from '../oauth/browser.ts';
import { startTestService } from '../test-service.ts';
import { clientId, clientSecret, startProvider } from './fake-provider.ts';

export const base = 'https://govctl.test';

/** What the provider says of Ann, unless a test says otherwise. */
export const ann = {
  sub: 'subject-of-ann',
  email: 'ann@example.com',
  email_verified: true,
  name: 'Ann Example',
  tid: 'tenant-1',
  groups: ['everybody', 'engineers'],
};

export type CompanyService = Awaited<ReturnType<typeof startCompanyService>>;

/** A service whose people sign in at a provider of a test's own. */
export async function startCompanyService(
  changes: Partial<CompanyConfig> = {},
  {
    through = (send) => send,
    publicUrl = base,
  }: {
    /** Where what the service sends goes, with the address of the provider; default: to the provider. */
    readonly through?: (send: Send, issuer: string) => Send;
    readonly publicUrl?: string;
  } = {},
) {
  const provider = await startProvider();
  const config: CompanyConfig = {
    name: 'Example Corp',
    issuer: provider.issuer,
    client_id: clientId,
    client_secret: clientSecret,
    scopes: ['openid', 'email', 'profile', 'offline_access'],
    tenant: { claim: 'tid', value: 'tenant-1' },
    roles: [
      { claim: 'groups', value: 'engineers', role: 'editor' },
      { claim: 'groups', value: 'controllers', role: 'cost-viewer' },
      { claim: 'groups', value: 'admins', role: 'admin' },
      { claim: 'groups', value: 'chiefs', role: 'owner' },
    ],
    password: true,
    require_second_factor: true,
    ...changes,
  };
  const targets = { rules: { local: true, allowed: new BlockList() }, resolve: systemResolve };
  const sender = createSender(targets, systemClock);
  const service = await startTestService({
    isLocal: false,
    publicUrl,
    company: { config, send: through(sender.send, provider.issuer) },
  });
  const browser = (): Browser =>
    new Browser(publicUrl, async (request) =>
      service.app.fetch(request, { remoteAddress: '192.0.2.7' }),
    );

  /** @returns where the provider is asked */
  async function begin(tab: Browser, path = '/auth/company/start'): Promise<URL> {
    const { url } = await tab.open(path);
    expect(url.origin).toBe(provider.issuer);
    return url;
  }
  async function signIn(
    claims: object = ann,
    tab = browser(),
  ): Promise<{ tab: Browser; page: Page }> {
    const back = provider.approve(await begin(tab), { ...claims });
    return { tab, page: await tab.open(back) };
  }
  const userOf = async (email = ann.email) => (await service.deps.store.find(users, 'email', email))?.doc; // prettier-ignore

  return {
    ...service,
    provider,
    config,
    browser,
    begin,
    /** What a browser sees after somebody signed in. */
    signIn,
    userOf,
    /** Whether a browser is signed in. */
    isIn: async (tab: Browser): Promise<boolean> =>
      (await tab.open('/auth/account')).title === 'Your account',
    logs: () => service.logged.map(({ message, fields }) => `${message} ${JSON.stringify(fields)}`),
    async audit(): Promise<string[]> {
      const { json } = await service.send('GET', '/v1/audit-log?order=asc&limit=100');
      const entries = json.entries ?? json.audit_log ?? json.audit_entries ?? [];
      return (entries as { action: string; changes?: string[] }[]).map(({ action, changes = [] }) =>
        [action, ...changes].join(' '),
      );
    },
    async events(): Promise<string[]> {
      const { json } = await service.send('GET', '/v1/events?limit=100');
      return (json.events as { type: string }[]).map(({ type }) => type);
    },
    /** Invites somebody. @returns the path of the link */
    async invite(email: string, ...roles: string[]): Promise<string> {
      const { json } = await service.send('POST', '/v1/users', { body: { email, roles } });
      return new URL(String(json.invitation_url)).pathname;
    },
    async close(): Promise<void> {
      await service.close();
      await sender.close();
      await provider.close();
    },
  };
}
