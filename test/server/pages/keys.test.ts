import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser, Page } from '../oauth/browser.ts';
import type { LoginService } from '../oauth/login-service.ts';
import { startLoginService } from '../oauth/login-service.ts';

let service: LoginService;
let tab: Browser;
let account: Page;
beforeAll(async () => {
  service = await startLoginService();
  tab = service.browser();
  account = await service.signIn(tab, '/auth/account');
});
afterAll(() => service.close());

const open = async (): Promise<Page> => (account = await tab.open('/auth/account'));
const press = (button: string, id: string): Promise<Page> =>
  tab.submit(account, { id }, `/auth/account/${button}-key`);
const create = (fields: Readonly<Record<string, string>>): Promise<Page> =>
  tab.submit(account, { name: 'laptop', scope: 'governance:read', days: '30', ...fields }, '/auth/account/create-key'); // prettier-ignore
const secretsIn = ({ text }: Page): string[] =>
  [...text.matchAll(/class="secret">([^<]+)</g)].map(([, secret = '']) => secret);
const statusWith = async (key: string | undefined): Promise<number> =>
  (await service.ask(key ?? '')).status;
const inTable = ({ text }: Page): string[] =>
  [...text.matchAll(/aria-label="Revoke ([^"]+)"/g)].map(([, name = '']) => name);
const idIn = (page: Page): string => /name="id" value="(key_\w+)"/.exec(page.text)?.[1] ?? '';

describe('the account page of an editor', () => {
  it('creates a key that it shows once, rotates it, and revokes it', async () => {
    expect(account.text).toContain('You have no API keys.');
    const made = await create({});
    expect([made.title, secretsIn(made)]).toEqual([
      'Copy your API key',
      [expect.stringMatching(/^gk_/)],
    ]);
    const [key] = secretsIn(made);
    expect(await statusWith(key)).toBe(200);
    expect((await open()).text).not.toContain(key);
    expect([inTable(account), account.text]).toEqual([
      ['laptop'],
      expect.stringContaining('2026-03-31'),
    ]);
    const rotated = await press('rotate', idIn(account));
    expect(await statusWith(secretsIn(rotated)[0])).toBe(200);
    await open();
    account = await press('revoke', idIn(account));
    expect(inTable(account)).toEqual([]);
    expect(await statusWith(secretsIn(rotated)[0])).toBe(401);
  });

  it('shows the new signing secret of a key that requires signatures', async () => {
    const { access_token: key } = (await service.login()).tokens;
    const body = { name: 'signs', scopes: ['governance:read'], require_signature: true };
    await service.send('POST', '/v1/api-keys', { key, body });
    await open();
    const rotated = await press('rotate', idIn(account));
    expect(secretsIn(rotated)).toEqual([
      expect.stringMatching(/^gk_/),
      expect.stringMatching(/^gss_/),
    ]);
    await open();
    account = await press('revoke', idIn(account));
  });

  it('offers the scopes that the person has, and says why another is refused', async () => {
    const offered = [...account.text.matchAll(/name="scope"\s+value="([^"]+)"/g)];
    expect(offered.map(([, scope]) => scope)).toEqual(['governance:read', 'compliance:write']);
    const wider = await create({ scope: 'admin' });
    expect([wider.status, wider.text]).toEqual([
      422,
      expect.stringContaining('requires the scope admin'),
    ]);
    const without = await create({ name: '' });
    expect([without.status, /role="alert">([^<]*)</.exec(without.text)?.[1]]).toEqual([
      422,
      'Name must not be empty.',
    ]);
    expect(inTable(await open())).toEqual([]);
  });

  it('neither shows nor touches keys of others', async () => {
    const body = { name: 'theirs', scopes: ['governance:read'] };
    const { id, key } = (await service.send('POST', '/v1/api-keys', { body })).json;
    expect(inTable(await open())).toEqual([]);
    await create({});
    await open();
    const rotated = await press('rotate', String(id));
    expect([rotated.status, rotated.text]).toEqual([
      422,
      expect.stringContaining('There is no API key'),
    ]);
    await press('revoke', String(id));
    expect(await statusWith(String(key))).toBe(200);
    await press('revoke', idIn(await open()));
  });

  it('escapes the names of keys', async () => {
    await create({ name: '<b>"x"</b>' });
    expect((await open()).text).not.toContain('<b>');
    expect(inTable(account)).toEqual(['&lt;b&gt;&quot;x&quot;&lt;/b&gt;']);
    await press('revoke', idIn(account));
  });

  it('only revokes a key with a scope that the person has lost', async () => {
    await create({ scope: 'compliance:write' });
    const change = (roles: readonly string[]) =>
      service.send('PUT', `/v1/users/${service.userId}`, { body: { roles } });
    await change(['viewer']);
    account = await service.signIn(tab, '/auth/account');
    expect(account.text).not.toContain('Rotate');
    account = await press('revoke', idIn(account));
    expect(inTable(account)).toEqual([]);
    await change(['editor']);
  });
});

describe('the account page of an admin', () => {
  it('shows their own keys, not those of others', async () => {
    await service.addUser('olga@example.com', ['admin']);
    const body = { name: 'theirs', scopes: ['governance:read'] };
    await service.send('POST', '/v1/api-keys', { body });
    tab = service.browser();
    account = await service.signIn(tab, '/auth/account', 'olga@example.com');
    expect(inTable(account)).toEqual([]);
    await create({ name: 'mine', scope: 'admin', days: 'never' });
    expect(inTable(await open())).toEqual(['mine']);
  });
});
