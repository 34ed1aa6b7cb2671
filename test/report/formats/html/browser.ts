import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { hasTool, runTool } from '../../../support/system-tool.ts';

const executable = '/usr/bin/chromium';

export const hasChromium = hasTool('Chromium (apt-get install chromium)', () => {
  runTool(executable, '--version');
});

/** A page that shows a file, and what it did that no report may do. */
export interface Opened {
  readonly page: Page;
  /** Addresses it asked for, but for its own; errors; what it wrote to the console. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

export interface Reader {
  open(html: Uint8Array, options?: BrowserContextOptions): Promise<Opened>;
  close(): Promise<void>;
}

export async function startReader(): Promise<Reader> {
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'];
  const browser: Browser = await chromium.launch({ executablePath: executable, args });
  const folder = mkdtempSync(path.join(tmpdir(), 'govctl-html-'));
  let opened = 0;
  return {
    async open(html, options = {}) {
      const file = path.join(folder, `${(opened += 1)}.html`);
      writeFileSync(file, html);
      const address = pathToFileURL(file).href;
      const context = await browser.newContext({ offline: true, ...options });
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('request', (request) => {
        if (request.url() !== address) complaints.push(`asked for ${request.url()}`);
      });
      page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
      page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
      page.on('dialog', (dialog) => complaints.push(`dialog: ${dialog.message()}`));
      await page.goto(address);
      return { page, complaints, close: () => context.close() };
    },
    async close() {
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
