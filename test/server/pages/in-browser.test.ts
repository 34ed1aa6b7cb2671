import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import axe from 'axe-core';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as client from 'openid-client';
import { hasChromium } from '../../report/formats/html/browser.ts';
import { password } from '../sign-in/people.ts';
import type { LoginService } from '../oauth/login-service.ts';
import { startLoginService } from '../oauth/login-service.ts';

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

describe.skipIf(!hasChromium)('the pages in a browser', () => {
  let service: LoginService;
  let browser: Browser;
  let base: string;
  const server = createServer(
    getRequestListener((request) => service.app.fetch(request, { remoteAddress: '192.0.2.7' })),
  );
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    service = await startLoginService({ publicUrl: base });
    const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'];
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args });
  });
  afterAll(async () => {
    await browser.close();
    server.close();
    server.closeAllConnections();
    await service.close();
  });

  async function open(
    options: BrowserContextOptions = {},
  ): Promise<{ page: Page; complaints: string[]; close: () => Promise<void> }> {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    return { page, complaints, close: () => context.close() };
  }

  /** What axe finds wrong with a page. Its script is not one of the page: it runs beside the content security policy. */
  async function faults(page: Page): Promise<string[]> {
    const { violations } = await page.evaluate<AxeResults>(`${axe.source}; axe.run(document)`);
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }

  const title = (page: Page): Promise<string> => page.locator('h1').innerText();
  const isWithin = (page: Page): Promise<boolean> =>
    page.evaluate<boolean>('document.documentElement.scrollWidth <= window.innerWidth');

  async function signIn(page: Page, where: string): Promise<void> {
    await page.goto(base + where);
    // By keyboard alone: the first field has the focus.
    await page.locator('#email:focus').waitFor();
    await page.keyboard.type('ada@example.com');
    await page.keyboard.press('Tab');
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname !== '/auth/sign-in');
    await page.locator('h1').waitFor();
  }

  it.each([
    ['in light colors', { colorScheme: 'light' }],
    [
      'in dark colors, 390 pixels wide',
      { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
    ],
    ['without JavaScript', { javaScriptEnabled: false }],
  ] as const)('let a person sign in by keyboard alone, %s, without a fault', async (_, options) => {
    const { page, complaints, close } = await open(options);
    const hasScripts = !('javaScriptEnabled' in options);
    const look = async (expected: string): Promise<void> => {
      expect(await title(page)).toBe(expected);
      if (!hasScripts) return;
      expect([expected, await faults(page)]).toEqual([expected, []]);
      expect(await isWithin(page)).toBe(true);
    };
    await page.goto(`${base}/auth/sign-in`);
    await look('Sign in');
    await signIn(page, '/auth/account');
    await look('Your account');
    await page.goto(`${base}/auth/account/password`);
    await look('Change your password');
    await page.goto(`${base}/auth/second-factor/new`);
    await look('Set up a second factor');
    await page.goto(`${base}/auth/device`);
    await look('Log a device in');
    expect(complaints).toEqual([]);
    await close();
  });

  it.each([true, false])(
    'authorize the command line, with scripts enabled: %s',
    async (javaScriptEnabled) => {
      const { page, complaints, close } = await open({ javaScriptEnabled });
      const port = await new Promise<number>((resolve) => {
        const listener = createServer((_request, response) => response.end('back'));
        listener.listen(0, '127.0.0.1', () => resolve((listener.address() as AddressInfo).port));
        listener.unref();
      });
      const config = await service.discover();
      const redirect = `http://127.0.0.1:${port}/callback`;
      const { url } = await service.begin(config, { redirect_uri: redirect });
      await signIn(page, url.pathname + url.search);
      expect(await title(page)).toBe('Authorize govctl CLI?');
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
    const { page, close } = await open();
    await signIn(page, '/auth/device');
    await page.locator('#code:focus').waitFor();
    await page.keyboard.type(started.user_code);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Allow' }).waitFor();
    expect(await faults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Allow' }).press('Enter');
    await page.getByText('go back to your device').waitFor();
    expect(await title(page)).toBe('Device logged in');
    await page.setContent(`<iframe src="${base}/auth/sign-in"></iframe>`);
    const frame = page.frames().at(-1);
    await frame?.waitForLoadState().catch(() => undefined);
    expect(await frame?.getByLabel('Email').count()).toBe(0);
    await close();
  });
});
