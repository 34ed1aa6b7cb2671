import type { EventType } from '../../../src/contract/events.ts';
import { eventTypes } from '../../../src/contract/events.ts';
import { events } from '../../../src/server/events/collection.ts';
import type { StoredEvent } from '../../../src/server/events/collection.ts';
import { webhookLanes, webhooks } from '../../../src/server/webhooks/collection.ts';
import type { StoredWebhook } from '../../../src/server/webhooks/collection.ts';
import type { TestService } from '../test-service.ts';

/** Short ways to what the service tells of, for tests of when it does. */
export function eventsOf({ deps }: TestService) {
  const all = async (): Promise<readonly StoredEvent[]> => {
    const { rows } = await deps.store.page(events, {
      orderBy: 'sequence',
      direction: 'asc',
      limit: 1_000_000,
    });
    return rows.map(({ doc }) => doc);
  };
  let seen = 0;
  return {
    all,
    /** What came since this was asked the last time. */
    async fresh(): Promise<readonly { type: EventType; data: Record<string, unknown> }[]> {
      const found = (await all()).filter(({ sequence }) => sequence > seen);
      seen = found.at(-1)?.sequence ?? seen;
      return found.map(({ type, data }) => ({
        type,
        data: JSON.parse(data) as Record<string, unknown>,
      }));
    },
    /** A webhook that gets all types, but for what is said otherwise. */
    async addWebhook(fields: Partial<StoredWebhook> = {}): Promise<string> {
      const id = deps.ids.next('wh');
      const at = '2026-03-01T12:00:00.000Z';
      const webhook: StoredWebhook = {
        id,
        url: 'https://receiver.example/hook',
        events: [...eventTypes],
        active: true,
        secret: 'sealed',
        secret_hint: 'aled',
        created_at: at,
        updated_at: at,
        created_by: 'user_1',
        ...fields,
      };
      await deps.store.transact(async (tx) => {
        await tx.insert(webhooks, webhook);
        // Nobody takes anything out.
        await tx.hold(webhookLanes, id, true);
      });
      return id;
    },
    /** The types of the events that wait in a lane, in order. */
    async waiting(lane: string): Promise<readonly string[]> {
      const works = await deps.store.laneWork(webhookLanes, { lane, limit: 100_000 });
      const byId = new Map((await all()).map((event) => [event.id, event.type]));
      return works.map(({ work }) => byId.get(work) ?? `gone ${work}`);
    },
    /** Takes everything out of a lane. */
    clear: (lane: string) => deps.store.transact((tx) => tx.clear(webhookLanes, lane)),
  };
}
