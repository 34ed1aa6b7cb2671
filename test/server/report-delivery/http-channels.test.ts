import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import type { StoredChannel } from '../../../src/server/report-delivery/channels/channel.ts';
import { reports } from '../../../src/server/reports/collection.ts';
import type { StoredReport } from '../../../src/server/reports/collection.ts';
import { verifyWebhook } from '../../../src/webhook/webhook.ts';
import { bound, openReportWorld } from './report-world.ts';
import type { ReportWorld, WorldOptions } from './report-world.ts';

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function openWorld(options: WorldOptions = {}): Promise<ReportWorld> {
  const world = await openReportWorld(options);
  open.push(world);
  return world;
}

interface Seen {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

async function startReceiver(answer: (response: ServerResponse) => void = (one) => one.end('ok')) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      seen.push({ path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) });
      answer(response);
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  open.push({
    close: () => {
      server.closeAllConnections();
      return new Promise((closed) => server.close(closed));
    },
  });
  const { port } = server.address() as AddressInfo; // of a socket that listens on a port
  return { seen, url: `http://127.0.0.1:${port}/hooks/T0K3N` };
}

async function deliver(
  world: ReportWorld,
  channel: StoredChannel,
  reportId: string,
  scheduleId?: string,
) {
  // prettier-ignore
  const { id } = await world.queue(reportId, channel, scheduleId);
  await world.idle();
  return world.delivery(id);
}

const hostile = 'A <!channel> & <https://evil.example|click> @here [x](http://e) ![i](y) *b*';

describe('a chat channel', () => {
  const channel: StoredChannel = { kind: 'chat', channel: '#compliance' };
  const configured = (url: string): WorldOptions => ({
    config: { chat: { channels: { '#compliance': url } } },
  });

  test('is told what is ready, with links, over the address that the operator gave it', async () => {
    const { seen, url } = await startReceiver();
    const world = await openWorld(configured(url));
    const schedule = await world.addSchedule([channel], { name: hostile });
    const report = await world.addReport({ name: hostile }, { pdf: 'x', csv: 'y' });
    const delivery = await deliver(world, channel, report.id, schedule.id);
    expect(delivery).toMatchObject({ status: 'delivered', target: '#compliance' });
    const body = JSON.parse(String(seen[0]?.body)) as { text: string; blocks: { text?: { text: string } }[] }; // prettier-ignore
    expect(body.text).toContain('A &lt;!channel&gt; &amp; &lt;https://evil.example|click&gt; @\u200bhere'); // prettier-ignore
    expect(body.text).toContain('*Attention:* The score is of &lt;now&gt;');
    expect(body.text).toContain('*Violations:* 12 (1 critical, 3 high, 5 medium, 3 low)');
    const link = `https://governance.example/v1/reports/${report.id}/pdf?signature=a&amp;b`;
    expect(body.text).toContain(`<${link}|pdf>`);
    expect(body.text.match(/<[^>]*>/g)).toHaveLength(2);
    expect(body.blocks[0]?.text?.text.length).toBeLessThanOrEqual(150);
    expect(JSON.stringify([delivery, world.logged])).not.toContain('T0K3N');
  });

  test.each([
    ['404', 'no_service', 'failed', '(no_service). Ask the operator to correct'],
    ['200', 'ok', 'delivered', ''],
    ['429', 'rate_limited', 'pending', 'returned 429 (rate_limited)'],
    ['500', '<html>s3cret</html>', 'pending', 'returned 500'],
  ])('that answers %s %s is %s', async (status, text, after, said) => {
    const { url } = await startReceiver((response) => {
      response.writeHead(Number(status), { 'retry-after': '30' }).end(text);
    });
    const world = await openWorld(configured(url));
    const report = await world.addReport({}, { pdf: 'x' });
    const delivery = await deliver(world, channel, report.id);
    expect(delivery.status).toBe(after);
    expect(delivery.error ?? '').toContain(said);
    expect(delivery.error ?? '').not.toContain('s3cret');
    if (status === '429') expect(Date.parse(delivery.next_attempt_at ?? '') - world.now).toBe(30_000); // prettier-ignore
  });

  test('whose address is none fails without telling it, also to the log', async () => {
    const world = await openWorld(configured('chat.example.com/hooks/T0K3N'));
    const report = await world.addReport({}, { pdf: 'x' });
    const delivery = await deliver(world, channel, report.id);
    expect(delivery.error).toBe('The chat server: the host of the URL has no usable address');
    expect(inspect([delivery, world.logged], { depth: 9 })).not.toContain('T0K3N');
  });

  test.each(['#other', '__proto__', 'constructor'])(
    '%s that nobody configured fails at once',
    async (name) => {
      // prettier-ignore
      const world = await openWorld(configured('http://127.0.0.1:1/'));
      const report = await world.addReport({}, { pdf: 'x' });
      const delivery = await deliver(world, { kind: 'chat', channel: name }, report.id);
      expect(delivery).toMatchObject({ status: 'failed', attempts: 1 });
      expect(delivery.error).toContain('chat.channels');
    },
  );
});

describe('a team chat', () => {
  test('is shown a card with figures and links, and its address stays unsaid', async () => {
    const { seen, url } = await startReceiver((response) => response.writeHead(202).end());
    const world = await openWorld();
    const report = await world.addReport({ name: hostile }, { pdf: 'x' });
    const delivery = await deliver(world, { kind: 'team_chat', webhook_url: url }, report.id);
    expect(delivery).toMatchObject({ status: 'delivered', target: new URL(url).host });
    const { attachments } = JSON.parse(String(seen[0]?.body)) as { attachments: { contentType: string; content: { type: string; body: { text?: string; facts?: unknown }[]; actions: unknown } }[] }; // prettier-ignore
    const [card] = attachments;
    expect(card?.contentType).toBe('application/vnd.microsoft.card.adaptive');
    expect(card?.content.type).toBe('AdaptiveCard');
    expect(card?.content.body[0]?.text).toContain(
      '\\[x\\]\\(http://e\\) \\!\\[i\\]\\(y\\) \\*b\\*',
    );
    expect(card?.content.body[2]?.facts).toContainEqual({ title: 'Compliance score', value: '87.5%' }); // prettier-ignore
    expect(card?.content.actions).toEqual([
      {
        type: 'Action.OpenUrl',
        title: 'Download pdf',
        url: `https://governance.example/v1/reports/${report.id}/pdf?signature=a&b`,
      },
    ]);
    expect(JSON.stringify(world.logged)).not.toContain('T0K3N');
  });

  test('is told at an address that the server has in a variable, which stays unsaid', async () => {
    const { seen, url } = await startReceiver();
    const report = { name: 'R' };
    const channel: StoredChannel = { kind: 'team_chat', webhook_url_env: 'TEAM_HOOK' };
    const world = await openWorld({
      config: { secrets: { TEAM_HOOK: bound(url, new URL(url).host) } },
    });
    const { id } = await world.addReport(report, { pdf: 'x' });
    const delivery = await deliver(world, channel, id);
    expect(delivery).toMatchObject({ status: 'delivered', target: 'TEAM_HOOK' });
    expect(seen).toHaveLength(1);
    expect(JSON.stringify([delivery, world.logged])).not.toContain('T0K3N');
    const others = await openWorld({ config: { secrets: { TEAM_HOOK: bound(url) } } });
    const other = await others.addReport(report, { pdf: 'x' });
    expect(await deliver(others, channel, other.id)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('webhook_url_env uses TEAM_HOOK') as unknown,
    });
    expect(seen).toHaveLength(1);
  });
});

describe('a report that failed', () => {
  const failure = { reason: 'the disk is full' };
  test.each<[string, (url: string) => StoredChannel]>([
    ['a chat channel', () => ({ kind: 'chat', channel: '#a' })],
    ['a team chat', (url) => ({ kind: 'team_chat', webhook_url: url })],
    ['a webhook', (url) => ({ kind: 'webhook', url })],
  ])('is told to %s, with the reason and without links', async (_, channelAt) => {
    const { seen, url } = await startReceiver();
    const world = await openWorld({ config: { chat: { channels: { '#a': url } } } });
    const completed = await world.addReport();
    const report: StoredReport = { ...completed, id: world.deps.ids.next('rpt'), status: 'failed', failure }; // prettier-ignore
    await world.store.transact((tx) => tx.insert(reports, report));
    const delivery = await deliver(world, channelAt(url), report.id);
    expect(delivery.status).toBe('delivered');
    const text = String(seen[0]?.body);
    expect(text).toContain('the disk is full');
    expect(text).toMatch(/Failed: Weekly review|"type":"report.failed"/);
    expect(text).not.toContain('governance.example');
  });
});

describe('a webhook of a schedule', () => {
  test('gets the report and its links, signed as deliveries of webhooks are, also when it is tried again', async () => {
    let busy = true;
    const { seen, url } = await startReceiver((response) => {
      response.writeHead(busy ? 404 : 204).end();
    });
    const world = await openWorld();
    const secret = 'a secret of the receiver';
    const schedule = await world.addSchedule([]);
    const sealed = world.deps.secrets.seal(secret, schedule.id);
    const channel: StoredChannel = { kind: 'webhook', url, secret: sealed };
    const report = await world.addReport({}, { pdf: 'x' });
    const delivery = await deliver(world, channel, report.id, schedule.id);
    expect(delivery).toMatchObject({ status: 'pending', attempts: 1 });
    busy = false;
    await world.pass(1_000);
    expect(await world.delivery(delivery.id)).toMatchObject({ status: 'delivered', attempts: 2 });
    expect(seen).toHaveLength(2);
    const links: unknown[] = [];
    for (const [at, { headers, body }] of seen.entries()) {
      const now = world.now - (at === 0 ? 1_000 : 0);
      const verified = verifyWebhook({ body, headers, secret, now });
      expect(verified).toMatchObject({ id: delivery.id, attempt: at + 1, webhookId: schedule.id });
      expect(verified.data).toMatchObject({
        report: { id: report.id, name: 'Weekly review', status: 'completed' },
        schedule: { id: schedule.id, name: 'Every Monday' },
        files: [{ format: 'pdf', size: 1 }],
      });
      links.push(verified.data);
      expect(() => verifyWebhook({ body, headers, secret: 'another', now })).toThrow();
    }
    // The links of the first try are those of the second.
    expect(links[1]).toEqual(links[0]);
  });

  test('is signed with the secret of a variable, or not at all where it has none', async () => {
    const { seen, url } = await startReceiver();
    const world = await openWorld({
      config: { secrets: { HOOK_SECRET: bound('from the environment', new URL(url).host) } },
    });
    const report = await world.addReport({}, { pdf: 'x' });
    await deliver(world, { kind: 'webhook', url, secret_env: 'HOOK_SECRET' }, report.id);
    await deliver(world, { kind: 'webhook', url }, report.id);
    const [signed, unsigned] = seen;
    if (!signed || !unsigned) throw new Error('two were sent');
    verifyWebhook({ ...signed, secret: 'from the environment', now: world.now });
    expect(unsigned.headers['x-service-signature']).toBeUndefined();
    const missing = await deliver(world, { kind: 'webhook', url, secret_env: 'NOT_SET' }, report.id); // prettier-ignore
    expect(missing).toMatchObject({ status: 'failed', attempts: 1 });
    expect(missing.error).toContain('NOT_SET');
  });

  test('that wants no more gets no more', async () => {
    const { url } = await startReceiver((response) => response.writeHead(410).end());
    const world = await openWorld();
    const report = await world.addReport({}, { pdf: 'x' });
    expect(await deliver(world, { kind: 'webhook', url }, report.id)).toMatchObject({ status: 'failed', attempts: 1 }); // prettier-ignore
  });
});
