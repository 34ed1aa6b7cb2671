import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as client from 'openid-client';
import { hasChromium } from '../../report/formats/html/browser.ts';
import { checkWithAxe } from '../../support/axe.ts';
import type { LoginService } from '../oauth/login-service.ts';
import { startLoginService } from '../oauth/login-service.ts';
import { looks, signIn, startChromium } from './chromium.ts';
import type { Chromium } from './chromium.ts';

const ada = 'ada@example.com';

describe.skipIf(!hasChromium)('the pages in a browser', () => {
  let service: LoginService;
  let chromium: Chromium;
  beforeAll(async () => {
    chromium = await startChromium();
    service = await startLoginService({ publicUrl: chromium.base });
    chromium.serve(service.app);
  });
  afterAll(async () => {
    await chromium.close();
    await service.close();
  });

  it.each(looks)(
    'let a person sign in by keyboard alone, %s, without a fault',
    async (_, options) => {
      const tab = await chromium.open(options);
      const { page, look } = tab;
      await page.goto(`${chromium.base}/auth/sign-in`);
      await look('Sign in');
      await signIn(tab, `${chromium.base}/auth/account`, ada);
      await look('Your account');
      await page.goto(`${chromium.base}/auth/account/password`);
      await look('Change your password');
      await page.goto(`${chromium.base}/auth/second-factor/new`);
      await look('Set up a second factor');
      await page.goto(`${chromium.base}/auth/device`);
      await look('Log in on a device');
      expect(tab.complaints).toEqual([]);
      await tab.close();
    },
  );

  it.each([true, false])(
    'authorize the command line, with scripts enabled: %s',
    async (javaScriptEnabled) => {
      const tab = await chromium.open({ javaScriptEnabled });
      const { page, complaints, close } = tab;
      const port = await new Promise<number>((resolve) => {
        const listener = createServer((_request, response) => response.end('back'));
        listener.listen(0, '127.0.0.1', () => resolve((listener.address() as AddressInfo).port));
        listener.unref();
      });
      const config = await service.discover();
      const redirect = `http://127.0.0.1:${port}/callback`;
      const { url } = await service.begin(config, { redirect_uri: redirect });
      await signIn(tab, url.href, ada);
      await tab.look('Authorize govctl CLI?');
      await page.getByRole('button', { name: 'Allow' }).press('Enter');
      await page.waitForURL(`${redirect}**`);
      expect(new URL(page.url()).searchParams.get('code')).toMatch(/./);
      expect(complaints.filter((one) => !one.includes('favicon'))).toEqual([]);
      await close();
    },
  );

  it('let in a device whose code a person types, and are seen in no frame', async () => {
    const config = await service.discover();
    const started = await client.initiateDeviceAuthorization(config, { scope: 'governance:read' });
    const tab = await chromium.open();
    const { page, close } = tab;
    await signIn(tab, `${chromium.base}/auth/device`, ada);
    await tab.type('code', started.user_code);
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    expect((await checkWithAxe(page)).faults).toEqual([]);
    await page.getByRole('button', { name: 'Allow' }).press('Enter');
    await page.getByText('go back to your device').waitFor();
    await tab.look('Device logged in');
    await page.setContent(`<iframe src="${chromium.base}/auth/sign-in"></iframe>`);
    const frame = page.frames().at(-1);
    await frame?.waitForLoadState().catch(() => undefined);
    expect(await frame?.getByLabel('Email').count()).toBe(0);
    await close();
  });
});
