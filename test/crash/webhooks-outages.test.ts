import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tempFolder } from '../server/store/lowdb/temp-folder.ts';
import type { TempFolder } from '../server/store/lowdb/temp-folder.ts';
import { startBuiltServer } from '../support/built-cli.ts';
import type { BuiltServer } from '../support/built-cli.ts';
import { createPick } from '../support/pick.ts';
import { canMount, mountSmallDisk } from '../support/small-disk.ts';
import type { SmallDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';
import { judgeLane, judgeSequence } from './kills/judge.ts';
import { startReceiver } from './webhook-receiver.ts';
import type { Receiver } from './webhook-receiver.ts';

const outages = Math.min(10, Number(process.env['GOVCTL_CRASH_ROUNDS'] ?? 3));
const webhooks = ['a', 'b', 'c'];

let folder: TempFolder;
let disk: SmallDisk;
let receiver: Receiver;
let server: BuiltServer;
beforeEach(async () => void (folder = await tempFolder()));
afterEach(() => folder.remove());

const call = async (method: string, path: string, body?: object): Promise<Response> =>
  fetch(`${server.baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });

interface Listed {
  readonly events: readonly {
    readonly id: string;
    readonly type: string;
    readonly sequence: number;
  }[];
  readonly pagination: { readonly next_cursor?: string };
}

const listEvents = async (): Promise<Listed['events']> => {
  const all: Listed['events'][number][] = [];
  for (let cursor = ''; ;) {
    const page = (await (await call('GET', `/v1/events?limit=100${cursor}`)).json()) as Listed;
    all.push(...page.events);
    if (page.pagination.next_cursor === undefined) return all;
    cursor = `&cursor=${encodeURIComponent(page.pagination.next_cursor)}`;
  }
};

const areAllDelivered = async (): Promise<boolean> => {
  const { webhooks: all } = (await (await call('GET', '/v1/webhooks')).json()) as {
    webhooks: readonly { waiting: number }[];
  };
  return all.every(({ waiting }) => waiting === 0);
};

test.skipIf(!canMount)(
  'webhooks get every event in order, and events have numbers without a gap, through a disk that gets full again and again',
  async () => {
    disk = mountSmallDisk(join(folder.path, 'disk'), '6m');
    receiver = await startReceiver(createPick(1), 0);
    server = await startBuiltServer({ dataDir: join(disk.dir, 'data') });
    try {
      for (const name of webhooks) {
        receiver.expect(name, `the secret of ${name}`);
        const url = receiver.url(name);
        const secret = `the secret of ${name}`;
        const created = await call('POST', '/v1/webhooks', { name, url, events: ['user.login'], secret }); // prettier-ignore
        expect(created.status).toBe(201);
      }
      const acknowledged = new Set<string>();
      let refused = 0;
      let isOver = false;
      const emitting = Array.from({ length: 6 }, async () => {
        while (!isOver) {
          const response = await call('POST', '/v1/events', { type: 'user.login' });
          const body = (await response.json()) as { id: string };
          if (response.status === 503) refused += 1;
          else acknowledged.add(body.id);
          await pause(response.ok ? 1 : 50);
        }
      });
      for (let outage = 0; outage < outages; outage += 1) {
        const before = acknowledged.size;
        await until(() => acknowledged.size > before + 30);
        // From here on, an event may have been accepted whose delivery was not saved: it comes again.
        receiver.serverDies();
        const refusedBefore = refused;
        disk.fill();
        await until(() => refused > refusedBefore);
        await pause(300);
        disk.makeRoom();
        await until(async () => (await (await call('GET', '/readyz')).text()).includes('"ready"'));
        receiver.serverDies();
      }
      isOver = true;
      await Promise.all(emitting);
      await until(areAllDelivered);
      const events = await listEvents();
      expect(judgeSequence(events)).toEqual([]);
      // The start made a key, and an event of it.
      const ids = events.filter(({ type }) => type === 'user.login').map(({ id }) => id);
      // All that was acknowledged, and nothing that was refused.
      expect(new Set(ids)).toEqual(acknowledged);
      for (const webhook of webhooks) {
        const lane = { webhook, types: ['user.login'], since: 1, again: 0, isDrained: true };
        // Only the server can tell of a second delivery whether its answer had arrived: on a full disk it could not note it.
        expect(judgeLane(lane, receiver.arrivals(webhook), events).objections).toEqual([]);
      }
    } finally {
      await server.stop('SIGKILL');
      await receiver.close();
      disk.unmount();
    }
  },
);
