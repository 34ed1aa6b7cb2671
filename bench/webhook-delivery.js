import { spawn, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  benchKey,
  median,
  peer,
  runConcurrently,
  runNode,
  startGovctl,
  startServer,
  tempFolder,
} from './harness.js';

export const title = 'delivery of webhooks';

const webhookCount = 50;
const secret = 'a secret of the bench, 32 chars.';
const type = 'policy.violation.created';

const hmac = (text) => createHmac('sha256', secret).update(text).digest();

const headers = { authorization: `Bearer ${benchKey}`, 'content-type': 'application/json' };

export async function call(url, method, path, body) {
  const answer = await fetch(url + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path} ${answer.status}: ${await answer.text()}`);
  return answer.status === 204 ? undefined : answer.json();
}

/** Webhooks to one receiver, paused: their events wait. */
export const createWebhooks = (server, url, count, active = false) =>
  Promise.all(
    Array.from({ length: count }, () =>
      call(server.url, 'POST', '/v1/webhooks', { url, events: [type], secret, active }),
    ),
  );

/** About 500 bytes each. */
export const trigger = (server, count) =>
  runConcurrently(count, 32, () => call(server.url, 'POST', '/v1/events', { type }));

const counted = async (receiver) => (await fetch(receiver.url)).json();

async function until(condition) {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
}

export async function startReceiver(port) {
  const url = `http://127.0.0.1:${port}/`;
  const server = await startServer([peer('count-posts.js'), String(port)], url);
  return { ...server, url };
}

/** Milliseconds that our server takes for `count` deliveries that wait when its webhooks are resumed. */
export async function deliverOurs(port, receiver, count, command) {
  const server = await startGovctl(port, { command });
  const webhooks = await createWebhooks(server, receiver.url, webhookCount);
  const set = (active) =>
    Promise.all(
      webhooks.map(({ id }) => call(server.url, 'PUT', `/v1/webhooks/${id}`, { active })),
    );
  const run = async (events) => {
    await trigger(server, events);
    await fetch(receiver.url, { method: 'DELETE' });
    const started = performance.now();
    await set(true);
    await until(async () => (await counted(receiver)).received >= events * webhookCount);
    const ms = performance.now() - started;
    await set(false);
    return ms;
  };
  await run(2_000 / webhookCount);
  const ms = await run(count / webhookCount);
  const { events } = await call(server.url, 'GET', '/v1/events?limit=100');
  const messages = events.map(({ id, type, created, data }) => {
    const body = JSON.stringify({ id, type, created, data });
    const seconds = Math.floor(Date.parse(created) / 1000);
    return {
      body,
      headers: {
        'content-type': 'application/json',
        'x-service-signature': `sha256=${hmac(body).toString('hex')}`,
        'x-service-timestamp': String(seconds),
        'webhook-id': id,
        'webhook-timestamp': String(seconds),
        'webhook-signature': `v1,${hmac(`${id}.${seconds}.${body}`).toString('base64')}`,
      },
    };
  });
  const file = path.join(tempFolder(), 'messages.json');
  writeFileSync(file, JSON.stringify(messages));
  return { ms, peak: await server.stop(), file };
}

/** A Redis of its own that is as durable as the embedded store: each write is synced. Undefined where there is none. */
async function startRedis(port) {
  if (spawnSync('redis-server', ['--version']).status !== 0) {
    console.error('redis-server is not installed (Debian: apt install redis-server): skipped');
    return undefined;
  }
  const settings = { port, dir: tempFolder(), appendonly: 'yes', appendfsync: 'always', save: '' };
  const child = spawn(
    'redis-server',
    Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
    { stdio: 'ignore' },
  );
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  return { stop: () => child.kill() };
}

const elapsed = async (args) => Number((await runNode(args)).stdout);

/** The p99 of the time from an event to its delivery to twenty webhooks, in milliseconds, beside `hanging` ones. */
async function p99Beside(port, receiver, hanging) {
  const server = await startGovctl(port);
  await createWebhooks(server, `${receiver.url}hang`, hanging, true);
  await createWebhooks(server, `${receiver.url}timed`, 20, true);
  const events = 500;
  const run = async () => {
    await fetch(receiver.url, { method: 'DELETE' });
    for (let n = 0; n < events; n++) {
      await call(server.url, 'POST', '/v1/events', { type });
      await new Promise((resolve) => setTimeout(resolve, 4));
    }
    await until(async () => (await counted(receiver)).received >= events * 20);
    const { waits } = await counted(receiver);
    return waits.sort((a, b) => a - b)[Math.floor(waits.length * 0.99)];
  };
  await run();
  const p99 = await run();
  await server.stop();
  return p99;
}

export async function measure({ port, runs }) {
  const receiver = await startReceiver(port);
  const other = await startReceiver(port + 1);
  const redis = await startRedis(port + 2);
  const count = 20_000;
  const rows = [];
  const pairs = { undici: [], bullmq: [] };
  for (let run = 0; run < Math.min(runs, 5); run++) {
    const ours = await deliverOurs(port + 3, receiver, count);
    const args = [ours.file, receiver.url, String(count), String(webhookCount)];
    pairs.undici.push([ours, await elapsed([peer('post-signed.js'), ...args])]);
    if (!redis) continue;
    pairs.bullmq.push([ours, await elapsed([peer('bullmq-worker.js'), ...args, String(port + 2)])]);
  }
  const rate = (ms) => (1000 * count) / ms;
  const row = (figure, peerName, all, least) => ({
    figure,
    peer: peerName,
    ours: median(all.map(([{ ms }]) => rate(ms))),
    theirs: median(all.map(([, ms]) => rate(ms))),
    unit: '/s',
    ratio: median(all.map(([{ ms }, theirs]) => theirs / ms)),
    limit: { least },
    peak: Math.max(...all.map(([{ peak }]) => peak)),
  });
  rows.push(row('deliveries, 50 webhooks', 'undici posting signed bodies', pairs.undici, 0.5));
  if (redis)
    rows.push(row('deliveries, 50 webhooks', 'BullMQ worker, same posts', pairs.bullmq, 1));
  redis?.stop();

  const waits = [];
  for (let run = 0; run < Math.min(runs, 3); run++) {
    const alone = await p99Beside(port + 4, other, 0);
    waits.push([await p99Beside(port + 4, other, 1), alone]);
  }
  rows.push({
    figure: 'p99 of deliveries beside a receiver that hangs',
    peer: 'the same without it',
    ours: median(waits.map(([a]) => a)),
    theirs: median(waits.map(([, b]) => b)),
    unit: 'ms',
    ratio: median(waits.map(([a, b]) => a / b)),
    limit: { most: 1.5 },
  });
  await receiver.stop();
  await other.stop();
  return rows;
}
