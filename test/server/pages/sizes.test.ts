import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oauthStates } from '../../../src/server/oauth/collection.ts';
import type { Browser, Page } from '../oauth/browser.ts';
import type { LoginService } from '../oauth/login-service.ts';
import { startLoginService } from '../oauth/login-service.ts';

let service: LoginService;
let tab: Browser;
const max = 'max@example.com';
beforeAll(async () => {
  service = await startLoginService();
  await service.addUser(max, ['admin']);
  tab = service.browser();
  await service.signIn(tab, '/auth/account', max);
});
afterAll(() => service.close());

const open = (query = ''): Promise<Page> => tab.open(`/auth/account${query}`);
const rows = ({ text }: Page, button: string): number =>
  text.split(`aria-label="${button} `).length - 1;

describe('the account page of a person', () => {
  it.each([0, 20, 2_000])(
    'with %i API keys shows the latest, and how to list the others',
    async (many) => {
      const { access_token: key } = (await service.login(max)).tokens;
      const body = { name: 'k', scopes: ['governance:read'] };
      const before = rows(await open(), 'Revoke');
      for (let made = before; made < many; made++) {
        expect((await service.send('POST', '/v1/api-keys', { key, body })).status).toBe(201);
      }
      const page = await open();
      expect(rows(page, 'Revoke')).toBe(Math.min(many, 100));
      expect(page.text.includes('Showing the latest 100 of 2,000')).toBe(many > 100);
      expect(page.text.includes('govctl api-key list')).toBe(many > 100);
      expect(page.text.length).toBeLessThan(200_000);
    },
  );

  it('with 100 programs that may act for them, which is the maximum, shows the latest 20, and all on request', async () => {
    const { store, secrets, ids } = service.deps;
    const where = { kind: { any: ['Grant'] } };
    const [{ doc } = { doc: undefined }] = (await store.page(oauthStates, { where, orderBy: 'id', direction: 'asc', limit: 1 })).rows; // prettier-ignore
    if (!doc) throw new Error('nobody has allowed anything');
    const granted = secrets.open(doc.sealed, doc.id);
    for (let added = 1; added < 100; added++) {
      const body = { name: `program ${added}`, scopes: ['governance:read'] };
      const { json } = await service.send('POST', '/v1/oauth-clients', { body });
      const id = `Grant:${ids.next('req')}`;
      const copy = { ...doc, id, client_id: String(json.id), sealed: secrets.seal(granted, id) };
      await store.transact((tx) => tx.insert(oauthStates, copy));
    }
    const page = await open();
    expect(rows(page, 'End the access of')).toBe(20);
    expect(page.text).toContain('Showing the latest 20 of 100');
    expect(rows(await open('?programs=all'), 'End the access of')).toBe(100);
  });

  it('who signed in 100 times has the latest 20 sessions', async () => {
    for (let times = 0; times < 100; times++) {
      service.advance(60_000);
      await service.signIn(service.browser(), '/auth/account');
    }
    const other = service.browser();
    const page = await service.signIn(other, '/auth/account');
    expect(rows(page, 'End the session of')).toBe(19);
    expect(page.text).toContain('This session');
  });
});
