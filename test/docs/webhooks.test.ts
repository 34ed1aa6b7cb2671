import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { createRequire } from 'node:module';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import * as receiver from '../../src/webhook/webhook.ts';
import { secret, signedDelivery, violationDetected } from '../support/signed-delivery.ts';

const page = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8');

const example = (heading: string): string => {
  const [, text] = new RegExp(`^### ${heading}\\n\\n\`\`\`js\\n(.*?)\`\`\``, 'ms').exec(page) ?? [];
  if (text === undefined) throw new Error(`docs/webhooks.md has no example for ${heading}`);
  return text;
};

/** Express is none of our dependencies, but one of a development tool's. */
const require = createRequire(createRequire(import.meta.url).resolve('json-server'));

const modules: Readonly<Record<string, (name: string) => unknown>> = {
  'govctl/webhook': () => receiver,
  express: (name) => ({ default: require(name) as unknown }),
  hono: () => import('hono'),
  '@hono/node-server': () => import('@hono/node-server'),
  'node:http': () => import('node:http'),
  'node:stream/consumers': () => import('node:stream/consumers'),
};

/** Runs an example as it stands, but for its port and what it imports. */
async function start(code: string, said: string[]): Promise<Server> {
  const imported: Record<string, unknown> = {};
  for (const [, name = ''] of code.matchAll(/ from '(.+)';/g)) {
    imported[name] = await modules[name]?.(name);
  }
  const body = code
    .replace(/^import (\w+) from '(.+)';$/gm, "const $1 = imported['$2'].default;")
    .replace(/^import (\{.+\}) from '(.+)';$/gm, "const $1 = imported['$2'];")
    .replaceAll('3000', '0');
  const say = (...words: unknown[]): void => void said.push(words.join(' '));
  // The page is our own.
  const run = new Function('imported', 'process', 'console', `${body}\nreturn server;`) as (
    imported: object,
    process: object,
    console: object,
  ) => Server;
  const server = run(
    imported,
    { env: { WEBHOOK_SECRET: secret } },
    { log: say, warn: say, error: say },
  );
  if (!server.listening) await once(server, 'listening');
  return server;
}

describe.each(['Express', 'Hono', 'Node'])('the receiver for %s in docs/webhooks.md', (heading) => {
  it('takes what is signed, and refuses the rest', async () => {
    const said: string[] = [];
    const server = await start(example(heading), said);
    try {
      const { port } = server.address() as AddressInfo; // listening on TCP
      const post = async (body: string, headers: Record<string, string>): Promise<number> =>
        (await fetch(`http://127.0.0.1:${port}/hooks`, { method: 'POST', headers, body })).status;
      const now = Math.floor(Date.now() / 1_000);
      const good = signedDelivery(violationDetected, { at: now, id: 'evt_7' });
      expect(await post(good.body, good.headers)).toBe(204);
      expect(said).toEqual(['policy.violation.detected evt_7']);
      expect(await post(`${good.body} `, good.headers)).toBe(400);
      const old = signedDelivery(violationDetected, { at: now - 3_600 });
      expect(await post(old.body, old.headers)).toBe(400);
      const other = signedDelivery(violationDetected, { at: now, secret: 'another secret' });
      expect(await post(other.body, other.headers)).toBe(400);
      expect(await post('{}', { 'content-type': 'application/json' })).toBe(400);
      expect(said).toHaveLength(5);
      expect(said.join('\n')).toMatch(
        /signature[^]*signed 36\d\d s ago[^]*no x-service-signature|no webhook-id/i,
      );
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
});

describe('docs/webhooks.md', () => {
  it('names every reason of a refusal', () => {
    const source = readFileSync(new URL('../../src/webhook/failure.ts', import.meta.url), 'utf8');
    const reasons = [...source.matchAll(/^ {2}\| '(\w+)'/gm)].map(([, reason]) => reason);
    expect(reasons).toHaveLength(9);
    for (const reason of reasons) expect(page).toContain(`\`${reason ?? ''}\``);
  });
});
