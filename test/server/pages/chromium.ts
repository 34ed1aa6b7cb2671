import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { chromium } from 'playwright-core';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { App } from '../../../src/server/http/app.ts';
import { checkWithAxe } from '../../support/axe.ts';
import { password } from '../sign-in/people.ts';

/** What people look with. */
export const looks: readonly (readonly [name: string, options: BrowserContextOptions])[] = [
  ['in light colors', { colorScheme: 'light' }],
  [
    'in dark colors, 390 pixels wide',
    { colorScheme: 'dark', viewport: { width: 390, height: 844 } },
  ],
  ['without JavaScript', { javaScriptEnabled: false }],
];

export type Chromium = Awaited<ReturnType<typeof startChromium>>;

/** A browser, and a port of this machine that a service answers at. */
export async function startChromium() {
  let app: App | undefined;
  const server = createServer(
    getRequestListener(
      (request) => app?.fetch(request, { remoteAddress: '192.0.2.7' }) ?? new Response(),
    ),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'];
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args });

  async function open(options: BrowserContextOptions = {}) {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const hasScripts = options.javaScriptEnabled !== false;
    const complaints: string[] = [];
    // That an answer is a 4xx is no fault of a page.
    page.on('console', (message) => {
      if (!message.text().startsWith('Failed to load resource')) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    return {
      page,
      complaints,
      /** Expects a page with this title, without a fault of the page. */
      async look(title: string): Promise<void> {
        await page.getByRole('heading', { name: title, exact: true, level: 1 }).waitFor();
        if (!hasScripts) return;
        expect([title, (await checkWithAxe(page)).faults]).toEqual([title, []]);
        expect([title, await isWithin(page)]).toEqual([title, true]);
      },
      /** Types into the field that has the focus, and into those after it, and sends the form. */
      async type(first: string, ...texts: readonly string[]): Promise<void> {
        await page.locator(`#${first}:focus`).waitFor();
        for (const [at, text] of texts.entries()) {
          if (at > 0) await page.keyboard.press('Tab');
          await page.keyboard.type(text);
        }
        await page.keyboard.press('Enter');
      },
      /** Presses a button or a link by keyboard, and waits until the browser has another page. */
      async press(role: 'button' | 'link', name: string | RegExp): Promise<void> {
        const arrived = page.waitForEvent('domcontentloaded');
        await page.getByRole(role, { name }).press('Enter');
        await arrived;
      },
      /** Presses the back button. A page that a form led to may be refused by the browser. */
      async back(): Promise<string> {
        await page.goBack({ waitUntil: 'load' }).catch(() => undefined);
        await page.waitForLoadState();
        return page.locator('html').innerHTML();
      },
      close: () => context.close(),
    };
  }

  return {
    base,
    open,
    serve: (of: App): void => void (app = of),
    async close(): Promise<void> {
      await browser.close();
      server.close();
      server.closeAllConnections();
    },
  };
}

export type Tab = Awaited<ReturnType<Chromium['open']>>;

const isWithin = (page: Page): Promise<boolean> =>
  page.evaluate<boolean>('document.documentElement.scrollWidth <= window.innerWidth');

/** By keyboard alone: the first field has the focus. */
export async function signIn({ page, type }: Tab, where: string, email: string): Promise<void> {
  await page.goto(where);
  await type('email', email, password);
  await page.waitForURL((url) => url.pathname !== '/auth/sign-in');
  await page.locator('h1').waitFor();
}
