import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { totpAt } from '../../../src/server/sign-in/totp.ts';
import { hasChromium } from '../../report/formats/html/browser.ts';
import type { LoginService } from '../oauth/login-service.ts';
import { startLoginService } from '../oauth/login-service.ts';
import { password, secretOf } from '../sign-in/people.ts';
import { looks, signIn, startChromium } from './chromium.ts';
import type { Chromium, Tab } from './chromium.ts';

const hours = 3_600_000;

describe.skipIf(!hasChromium)('in a browser, by keyboard alone', () => {
  let service: LoginService;
  let chromium: Chromium;
  let account: string;
  beforeAll(async () => {
    chromium = await startChromium();
    service = await startLoginService({ publicUrl: chromium.base });
    chromium.serve(service.app);
    account = `${chromium.base}/auth/account`;
  });
  afterAll(async () => {
    await chromium.close();
    await service.close();
  });

  let invited = 0;
  async function invite(role: string): Promise<{ email: string; link: string }> {
    const email = `person-${(invited += 1)}@example.com`;
    const { json } = await service.send('POST', '/v1/users', { body: { email, roles: [role] } });
    return { email, link: String(json.invitation_url) };
  }

  /** Accepts an invitation as somebody who needs no second factor. */
  async function join(tab: Tab, role = 'editor'): Promise<string> {
    const { email, link } = await invite(role);
    await tab.page.goto(link);
    await tab.type('password', password, password);
    await tab.look('Your account');
    return email;
  }

  it.each(looks)(
    'an admin accepts an invitation, sets up a second factor, and uses a recovery code once, %s',
    async (_, options) => {
      const tab = await chromium.open(options);
      const { page, look, type, press } = tab;
      const { email, link } = await invite('admin');
      await page.goto(link);
      await look('Choose a password');
      await type('password', 'too short', 'too short');
      await page.getByText('at least 12 characters, such').waitFor();
      await look('Choose a password');
      await type('password', password, 'another password');
      await page.getByText('The passwords do not match.').waitFor();
      await type('password', password, password);

      await look('Set up a second factor');
      await page.getByText('Your roles require a second factor.').waitFor();
      await type('code', '000000');
      await page.getByText('The code is incorrect').waitFor();
      await look('Set up a second factor');
      const key = (await page.locator('p.secret').innerText()).replaceAll(' ', '');
      const code = (): string => {
        // Each code is good once.
        service.advance(30_000);
        return totpAt(secretOf(key), service.deps.clock.now());
      };
      await type('code', code());
      await look('Save your recovery codes');
      const codes = await page.locator('.codes li').allInnerTexts();
      expect(codes).toHaveLength(10);
      const [recovery = ''] = codes;
      await press('link', 'Continue: I have saved them');
      await look('Your account');
      expect(await page.content()).not.toContain(recovery);
      expect(await tab.back()).not.toContain(recovery);

      await page.goto(account);
      await press('button', 'Sign out');
      await signIn(tab, account, email);
      await look('Enter your code');
      await type('code', recovery);
      await look('Your account');
      await page.getByText('(9 left)').waitFor();
      await press('button', 'Sign out');
      await signIn(tab, account, email);
      await type('code', recovery);
      await page.getByText('The code is incorrect or was already used').waitFor();
      await look('Enter your code');
      await type('code', code());
      await look('Your account');

      await page.goto(`${account}/recovery-codes`);
      await look('New recovery codes');
      await page.goto(`${account}/second-factor-off`);
      await look('Turn off the second factor');

      await page.goto(link);
      await look('This link no longer works');
      expect(tab.complaints).toEqual([]);
      await tab.close();
    },
  );

  it.each(looks)('a person creates, rotates and revokes a key, %s', async (_, options) => {
    const tab = await chromium.open(options);
    const { page, look, press } = tab;
    await join(tab);
    const create = async (name: string, ...scopes: readonly string[]): Promise<void> => {
      await page.locator('summary').press('Enter');
      await page.keyboard.press('Tab');
      await page.keyboard.type(name);
      for (const scope of scopes) await page.getByLabel(scope).press('Space');
      await press('button', 'Create');
    };
    await create('laptop');
    await page.getByText('Choose at least one scope for the key.').waitFor();
    await look('Your account');
    expect(await page.getByLabel('Name').inputValue()).toBe('laptop');
    await page.getByLabel('governance:read').press('Space');
    await press('button', 'Create');
    await look('Copy your API key');
    const key = await page.locator('p.secret').innerText();
    expect((await service.ask(key)).status).toBe(200);
    await press('link', 'Continue: I have saved it');
    const long = `a-key-with-a-long-name-${'x'.repeat(80)}`;
    await create(long, 'governance:read', 'compliance:write');
    await press('link', 'Continue: I have saved it');
    await look('Your account');
    expect(await page.locator('tbody').first().locator('tr').count()).toBe(2);
    expect(await page.content()).not.toContain(key);

    await press('button', 'Rotate laptop');
    await look('Copy your API key');
    const rotated = await page.locator('p.secret').innerText();
    // A reload would rotate once more: the address itself shows the account.
    await page.goto(page.url());
    await look('Your account');
    await press('button', 'Revoke laptop');
    await look('Your account');
    expect((await service.ask(rotated)).status).toBe(401);
    await press('button', `Revoke ${long}`);
    await page.getByText('You have no API keys.').waitFor();
    expect(tab.complaints).toEqual([]);
    await tab.close();
  });

  it.each(looks)(
    'whoever signed out finds nothing behind the back button, %s',
    async (_, options) => {
      const tab = await chromium.open(options);
      const { page, look, press } = tab;
      const email = await join(tab);
      await page.goto(`${account}/password`);
      await page.goto(account);
      await press('button', 'Sign out');
      await look('Sign in');
      await page.getByText('You are signed out.').waitFor();
      for (let pages = 0; pages < 3; pages++) {
        expect(await tab.back()).not.toContain(email);
      }
      expect(tab.complaints).toEqual([]);
      await tab.close();
    },
  );

  it.each(looks)('a session that ended or expired says so, %s', async (_, options) => {
    const [here, there] = [await chromium.open(options), await chromium.open(options)];
    const email = await join(here);
    await signIn(there, account, email);
    await here.page.goto(account);
    await here.press('button', /^End the session/);
    await here.look('Your account');
    await there.press('link', 'Change your password');
    await there.look('Sign in');
    await there.page.getByText('Your session has ended. Sign in again.').waitFor();
    await there.type('email', email, password);
    await there.look('Your account');

    service.advance(31 * 24 * hours);
    await here.page.goto(account);
    await here.look('Sign in');
    await here.page.getByText('Your session has ended. Sign in again.').waitFor();
    // A form that was open all the while.
    await there.press('link', 'Change your password').catch(() => undefined);
    await there.look('Sign in');
    expect([...here.complaints, ...there.complaints]).toEqual([]);
    await here.close();
    await there.close();
  });

  it('a form whose cookies are gone, or that another browser opened, says what to do', async () => {
    const tab = await chromium.open();
    await tab.page.goto(`${chromium.base}/auth/sign-in`);
    await tab.page.context().clearCookies();
    await tab.type('email', 'ada@example.com', password);
    await tab.look('Request failed');
    await tab.page.getByText('Allow cookies for this site.').waitFor();
    await tab.page.goBack();
    await tab.page.reload();
    await tab.type('email', 'ada@example.com', password);
    await tab.look('Your account');
    await tab.close();
  });

  it('who tries too often reads when to try again', async () => {
    const tab = await chromium.open();
    await tab.page.goto(`${chromium.base}/auth/sign-in`);
    await tab.type('email', 'nobody@example.com', password);
    for (let tries = 0; tries < 12; tries++) {
      await tab.page.locator('p.problem').waitFor();
      await tab.type('password', 'wrong wrong wrong');
      await tab.page.waitForLoadState();
    }
    await tab.page.getByText(/Too many attempts\. Try again in \d+ (second|minute)s?\./).waitFor();
    await tab.look('Sign in');
    await tab.close();
  });
});
