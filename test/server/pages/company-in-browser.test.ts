import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasChromium } from '../../report/formats/html/browser.ts';
import { ann, startCompanyService } from '../sign-in/company-service.ts';
import type { CompanyService } from '../sign-in/company-service.ts';
import { looks, startChromium } from './chromium.ts';
import type { Chromium } from './chromium.ts';

const name = 'Continue with Example Corp';

describe.skipIf(!hasChromium)('company sign-in in a browser, by keyboard alone', () => {
  let service: CompanyService;
  let chromium: Chromium;
  let account: string;
  beforeAll(async () => {
    chromium = await startChromium();
    service = await startCompanyService({}, { publicUrl: chromium.base });
    chromium.serve(service.app);
    account = `${chromium.base}/auth/account`;
  });
  afterAll(async () => {
    await chromium.close();
    await service.close();
  });

  it.each(looks)('a person signs in, and out again, %s', async (_, options) => {
    const tab = await chromium.open(options);
    const { page, look, press } = tab;
    service.provider.says.signsIn = ann;
    await page.goto(account);
    await look('Sign in');
    await press('link', name);
    await look('Your account');
    await page.getByText('which determines your roles').waitFor();
    await press('button', 'Sign out');
    await look('Sign in');

    service.provider.says.signsIn = { ...ann, sub: 'somebody', email: undefined, groups: [] };
    await press('link', name);
    await page.getByText('gives your Example Corp account a role').waitFor();
    await look('Sign in');
    expect(tab.complaints).toEqual([]);
    await tab.close();
  });

  it.each(looks)('a person accepts an invitation, %s', async (look, options) => {
    const tab = await chromium.open(options);
    const email = `${look.replaceAll(/\W+/g, '-')}@example.com`;
    const link = await service.invite(email, 'viewer');
    service.provider.says.signsIn = { ...ann, sub: email, email };
    await tab.page.goto(chromium.base + link);
    await tab.look('Accept your invitation');
    await tab.press('link', name);
    await tab.look('Your account');
    await tab.page.getByText('viewer').waitFor();
    await tab.page.goto(chromium.base + link);
    await tab.look('This link no longer works');
    expect(tab.complaints).toEqual([]);
    await tab.close();
  });

  it.each(looks)('a login that one browser began lets no other one in, %s', async (_, options) => {
    const [one, other] = [await chromium.open(options), await chromium.open(options)];
    service.provider.says.signsIn = undefined;
    await one.page.goto(`${chromium.base}/auth/sign-in`);
    await one.press('link', name);
    const back = service.provider.approve(new URL(one.page.url()), ann).href;
    await other.page.goto(back);
    await other.look('Sign in');
    await other.page.getByText('started in another browser; start again').waitFor();
    await other.page.goto(account);
    await other.look('Sign in');
    // Nothing was taken from the one that began it.
    await one.page.goto(back);
    await one.look('Your account');
    await other.page.goto(back);
    await other.look('Sign in');
    // The page of the provider is not ours.
    expect([...other.complaints]).toEqual([]);
    await one.close();
    await other.close();
  });

  it('a provider that is down is said, and passwords work', async () => {
    const tab = await chromium.open();
    service.provider.says.signsIn = ann;
    service.provider.says.down.add('token');
    await tab.page.goto(`${chromium.base}/auth/sign-in`);
    await tab.press('link', name);
    await tab.page.getByText('Example Corp cannot be reached at the moment').waitFor();
    await tab.look('Sign in');
    await tab.page.getByLabel('Password').waitFor();
    service.provider.says.down.clear();
    await tab.close();
  });
});
