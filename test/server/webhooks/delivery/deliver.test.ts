import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { auditLog } from '../../../../src/server/audit/collection.ts';
import { events } from '../../../../src/server/events/collection.ts';
import { allRows } from '../../../../src/server/store/all-rows.ts';
import { webhookLanes, webhooks } from '../../../../src/server/webhooks/collection.ts';
import type { StoredWebhook } from '../../../../src/server/webhooks/collection.ts';
import { dropWaiting, pauseDeliveries, resumeDeliveries } from '../../../../src/server/webhooks/delivery/service.ts'; // prettier-ignore
import { signBody, signMessage } from '../../../../src/webhook/sign.ts';
import { answered, hour, ok, openWorld, start } from './delivery-world.ts';
import type { DeliveryWorld } from './delivery-world.ts';

let world: DeliveryWorld;
beforeEach(async () => void (world = await openWorld()));
afterEach(() => world.close());

const secondsOf = (id: string): number[] => world.sentTo(id).map(({ at }) => at / 1000);
const fail = () => answered(500);

describe('what is sent', () => {
  test('is the signed envelope with our headers and the custom ones', async () => {
    const id = await world.addWebhook({ headers: { 'X-Team': 'billing' }, timeout_seconds: 7 });
    const [event = ''] = await world.emit();
    await world.idle();
    const [request] = world.sentTo(id);
    const body = `{"id":"${event}","type":"policy.violation.created","created":"2026-03-01T12:00:00.000Z","data":{"violation":{"id":"viol_0"}}}`;
    const seconds = start / 1000;
    expect(request).toMatchObject({ body, timeoutMs: 7_000 });
    expect(request?.headers).toEqual({
      'Content-Type': 'application/json',
      'User-Agent': 'govctl-webhooks/1.2.3',
      'X-Service-Signature': signBody('secret of 1', body),
      'X-Service-Timestamp': String(seconds),
      'X-Service-Webhook-ID': id,
      'X-Service-Event-ID': event,
      'X-Service-Delivery-Attempt': '1',
      'webhook-id': event,
      'webhook-timestamp': String(seconds),
      'webhook-signature': signMessage('secret of 1', event, seconds, body),
      'X-Team': 'billing',
    });
  });

  test('has the other form for the four types that use it', async () => {
    const id = await world.addWebhook({ events: ['policy.violation.detected'] });
    await world.emit(1, 'policy.violation.detected');
    await world.idle();
    expect(world.sentTo(id)[0]?.body).toBe(
      `{"event":"policy.violation.detected","timestamp":"2026-03-01T12:00:00.000Z","webhook_id":"${id}","data":{"violation":{"id":"viol_0"}}}`,
    );
  });

  test('is signed with the previous secret, too, until that ends', async () => {
    const id = await world.addWebhook({
      previous_secret: 'sealed older secret',
      previous_secret_expires_at: '2026-03-02T12:00:00.000Z',
    });
    const [event = ''] = await world.emit();
    await world.idle();
    const { headers = {}, body = '' } = world.sentTo(id)[0] ?? {};
    const sign = (secret: string) => signMessage(secret, event, start / 1000, body);
    expect(headers['X-Service-Signature']).toBe(signBody('secret of 1', body));
    expect(headers['X-Service-Signature-Previous']).toBe(signBody('older secret', body));
    expect(headers['webhook-signature']).toBe(`${sign('secret of 1')} ${sign('older secret')}`);
    await world.pass(24 * hour);
    await world.emit();
    await world.idle();
    const later = world.sentTo(id)[1]?.headers ?? {};
    expect(later).not.toHaveProperty('X-Service-Signature-Previous');
    expect(later['webhook-signature']).not.toContain(' ');
  });

  test('has the same body at every attempt, and its own number and time', async () => {
    const id = await world.addWebhook();
    world.answerWith(({ attempt }) => (attempt < 4 ? fail() : ok));
    await world.emit();
    await world.pass(60_000);
    const sent = world.sentTo(id);
    expect(sent.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4]);
    expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
    expect(sent.map(({ headers }) => Number(headers['X-Service-Timestamp']) - start / 1000)).toEqual([0, 1, 3, 7]); // prettier-ignore
  });
});

describe('the order', () => {
  test('of events is kept through retries, and one is sent at a time', async () => {
    const id = await world.addWebhook();
    let underWay = 0;
    world.answerWith(async ({ event, attempt }) => {
      expect((underWay += 1)).toBe(1);
      await new Promise(setImmediate);
      underWay -= 1;
      return attempt < 1 + (event.charCodeAt(event.length - 1) % 3) ? fail() : ok;
    });
    const ids = await world.emit(9);
    await world.pass(60_000);
    const sent = world.sentTo(id).map(({ event }) => event);
    expect([...new Set(sent)]).toEqual(ids);
    // Attempts of one are not torn apart by another.
    expect(sent).toEqual([...sent].sort((a, b) => ids.indexOf(a) - ids.indexOf(b)));
    expect(sent.length).toBeGreaterThan(9);
  });

  test('is one of each webhook: none waits for another that hangs', async () => {
    const hanging = await world.addWebhook();
    const others = await Promise.all(Array.from({ length: 3 }, () => world.addWebhook()));
    world.answerWith(({ webhook }, signal) =>
      webhook === hanging
        ? new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        : ok,
    );
    await world.emit(20);
    world.startEngine();
    await until(() => others.every((id) => world.sentTo(id).length === 20));
    expect(world.sentTo(hanging)).toHaveLength(1);
    expect(await world.waiting(hanging)).toBe(20);
  });
});

describe('a host that hangs', () => {
  test('holds up nobody else, however many webhooks it has', async () => {
    await world.close();
    world = await openWorld({ limits: { all: 8, host: 4 } });
    const hanging = await Promise.all(
      Array.from({ length: 100 }, () => world.addWebhook({ url: 'https://hangs.example/hook' })),
    );
    const others = await Promise.all(Array.from({ length: 6 }, () => world.addWebhook()));
    let hung = 0;
    world.answerWith(({ url }, signal) => {
      if (!url.includes('hangs.example')) return ok;
      hung += 1;
      return new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason)),
      );
    });
    await world.emit(10);
    world.startEngine();
    await until(() => others.every((id) => world.sentTo(id).length === 10));
    expect(hung).toBe(4);
    expect(await world.waiting(hanging[99] ?? '')).toBe(10);
  });
});

describe('retries', () => {
  test('come after 1, 2, 4, 8 and 16 seconds, and on for 24 hours, then the next event goes', async () => {
    const id = await world.addWebhook();
    const [first = '', second = '', third = ''] = await world.emit(3);
    world.answerWith(({ event }) => (event === second ? fail() : ok));
    await world.pass(12 * hour);
    const [row] = (await world.deliveries(id)).slice(1);
    expect(row).toMatchObject({ event_id: second, status: 'pending' });
    await world.pass(12 * hour);
    const seconds = secondsOf(id).slice(1);
    expect(seconds.slice(0, 8)).toEqual([0, 1, 3, 7, 15, 31, 63, 127]);
    expect(seconds.at(-1)).toBe(86_400);
    expect(await world.deliveries(id)).toMatchObject([
      { event_id: first, status: 'succeeded' },
      { event_id: second, status: 'failed', updated_at: '2026-03-02T12:00:00.000Z' },
    ]);
    // All of it failed for 24 hours, so it was disabled in that moment; the third is kept.
    expect(await world.waiting(id)).toBe(1);
    await resume(id, world);
    await world.idle();
    expect(world.sentTo(id).at(-1)?.event).toBe(third);
  });

  test('end after max_attempts, or at once with 410', async () => {
    const few = await world.addWebhook({
      retry_config: { max_attempts: 3, backoff_multiplier: 3 },
    });
    const gone = await world.addWebhook();
    world.answerWith(({ webhook }) => answered(webhook === gone ? 410 : 503));
    await world.emit();
    await world.pass(hour);
    expect(secondsOf(few)).toEqual([0, 1, 4]);
    expect(secondsOf(gone)).toEqual([0]);
    expect(await world.deliveries(gone)).toMatchObject([
      {
        status: 'failed',
        attempts: [{ response_status: 410, error: expect.stringContaining('410') }],
      },
    ]);
    expect(await world.waiting(few)).toBe(0);
  });

  test('wait as long as a receiver asks for', async () => {
    const id = await world.addWebhook();
    world.answerWith(({ attempt }) =>
      attempt === 1 ? answered(429, { 'retry-after': '90' }) : ok,
    );
    await world.emit(2);
    await world.pass(hour);
    expect(secondsOf(id)).toEqual([0, 90, 90, 180]);
  });
});

describe('Retry-After', () => {
  test('is kept for what comes next where the delivery is given up', async () => {
    const id = await world.addWebhook({ retry_config: { max_attempts: 1 } });
    world.answerWith(() => answered(429, { 'retry-after': '600' }));
    await world.emit(50);
    await world.idle();
    expect(world.requests).toHaveLength(1);
    await world.pass(hour);
    expect(secondsOf(id)).toEqual([0, 600, 1200, 1800, 2400, 3000, 3600]);
  });
});

describe('a clock that is set back', () => {
  for (const hours of [2, 240]) {
    test(`by ${hours} hours strands nothing that is tried again`, async () => {
      const id = await world.addWebhook();
      world.answerWith(fail);
      await world.emit(2);
      // Some attempts more, and it would be disabled ahead.
      await world.pass(10_000);
      world.setClock(world.now + hours * hour);
      await world.idle();
      const before = world.requests.length;
      world.setClock(world.now - hours * hour);
      await world.idle();
      expect(world.requests.length).toBe(before + 1);
      world.answerWith(() => ok);
      await world.pass(hour);
      expect(await world.waiting(id)).toBe(0);
      expect(await world.webhook(id)).not.toHaveProperty('failing_since');
    });
  }

  test('makes neither the 24 hours of a delivery longer, nor those of its webhook', async () => {
    world.setClock(start + 240 * hour);
    const id = await world.addWebhook();
    world.answerWith(fail);
    await world.emit(2);
    await world.pass(10_000);
    world.setClock(start);
    await world.pass(10_000);
    expect((await world.webhook(id)).failing_since).toBe('2026-03-01T12:00:00.000Z');
    await world.pass(24 * hour);
    expect(await world.deliveries(id)).toMatchObject([{ status: 'failed' }]);
    expect(await world.webhook(id)).toMatchObject({ active: false });
  });

  test('by the little of a correction sends nothing earlier', async () => {
    const id = await world.addWebhook();
    world.answerWith(() => answered(503, { 'retry-after': '3600' }));
    await world.emit();
    await world.idle();
    world.setClock(start - 30_000);
    await world.idle();
    expect(world.sentTo(id)).toHaveLength(1);
  });
});

describe('a webhook that fails', () => {
  test('does not begin to with a 410, which is an answer', async () => {
    const id = await world.addWebhook();
    world.answerWith(() => answered(410));
    await world.emit();
    await world.idle();
    expect(await world.webhook(id)).not.toHaveProperty('failing_since');
    await world.pass(48 * hour);
    world.answerWith(() => answered(503));
    await world.emit();
    await world.idle();
    const webhook = await world.webhook(id);
    expect(webhook).toMatchObject({ active: true, failing_since: '2026-03-03T12:00:00.000Z' });
  });

  test('is disabled at the first failed attempt after 24 hours, with five in between, however far apart', async () => {
    const id = await world.addWebhook({ retry_config: { max_attempts: 1 } });
    world.answerWith(fail);
    for (const hours of [0, 48, 1, 1, 1, 100]) {
      await world.pass(hours * hour);
      await world.emit();
      await world.pass(1_000);
      expect(await world.webhook(id)).toMatchObject({
        active: true,
        failing_since: '2026-03-01T12:00:00.000Z',
      });
    }
    await world.emit();
    await world.pass(1_000);
    expect(await world.webhook(id)).toMatchObject({ active: false });
  });

  test('many times within 24 hours is not disabled, and a success forgets them', async () => {
    const id = await world.addWebhook({ retry_config: { max_attempts: 1 } });
    world.answerWith(fail);
    const fails = async (times: number): Promise<void> => {
      for (let at = 0; at < times; at++) {
        await world.emit();
        await world.pass(1_000);
      }
    };
    await fails(20);
    expect(await world.webhook(id)).toMatchObject({ active: true });
    world.answerWith(() => ok);
    await fails(1);
    world.answerWith(fail);
    await fails(1);
    await world.pass(25 * hour);
    await fails(5);
    expect(await world.webhook(id)).toMatchObject({ active: true });
    await fails(1);
    expect(await world.webhook(id)).toMatchObject({ active: false });
  });

  test('in one delivery after the other is disabled like one that fails in its retries', async () => {
    const id = await world.addWebhook({ retry_config: { max_attempts: 1 } });
    world.answerWith(fail);
    for (let at = 0; at < 24; at++) {
      await world.emit();
      await world.pass(hour);
    }
    expect(await world.webhook(id)).toMatchObject({ active: true });
    await world.emit();
    await world.idle();
    expect(await world.webhook(id)).toMatchObject({ active: false });
  });

  test('says since when, until one succeeds', async () => {
    const id = await world.addWebhook();
    world.answerWith(fail);
    await world.emit();
    await world.pass(5_000);
    expect((await world.webhook(id)).failing_since).toBe('2026-03-01T12:00:00.000Z');
    world.answerWith(() => ok);
    await world.pass(60_000);
    expect(await world.webhook(id)).not.toHaveProperty('failing_since');
  });

  test('is disabled after 24 hours without a success; what waits is kept and goes on in order', async () => {
    const id = await world.addWebhook();
    world.answerWith(() => ({ durationMs: 1, error: 'the connection was refused' }));
    const ids = await world.emit(5);
    await world.pass(30 * hour);
    const disabled = await world.webhook(id);
    expect(disabled).toMatchObject({
      active: false,
      failing_since: '2026-03-01T12:00:00.000Z',
      disabled_at: '2026-03-02T12:00:00.000Z',
      disabled_reason: expect.stringMatching(/24 hours.*the connection was refused/) as string,
    });
    expect(await world.store.laneState(webhookLanes, id)).toMatchObject({ waiting: 4, held: true });
    const entries = [];
    for await (const { doc } of allRows(world.store, auditLog, {})) entries.push(doc);
    expect(entries).toMatchObject([{ action: 'webhook.disable', subject: id, actor: 'system' }]);

    world.answerWith(() => ok);
    const before = world.requests.length;
    await world.pass(hour);
    expect(world.requests).toHaveLength(before);
    await resume(id, world);
    await world.idle();
    expect(world.requests.slice(before).map(({ event }) => event)).toEqual(ids.slice(1));
    expect(await world.webhook(id)).not.toHaveProperty('failing_since');
  });

  test('has another 24 hours once it was enabled again', async () => {
    const id = await world.addWebhook();
    world.answerWith(fail);
    await world.emit(2);
    await world.pass(30 * hour);
    await resume(id, world);
    await world.pass(23 * hour);
    expect(await world.webhook(id)).toMatchObject({ active: true });
    await world.pass(2 * hour);
    expect(await world.webhook(id)).toMatchObject({ active: false });
  });

  test('is told in the log by its host alone', async () => {
    const id = await world.addWebhook();
    world.answerWith(fail);
    const [event] = await world.emit();
    await world.idle();
    expect(world.logged).toMatchObject([
      {
        message: 'delivery failed',
        fields: {
          webhook: id,
          event,
          attempt: 1,
          host: 'receiver-1.example:8443',
          error: 'returned 500',
        },
      },
    ]);
    expect(JSON.stringify(world.logged)).not.toMatch(/s3cret|secret of|hook\?/);
  });

  test('whose secret cannot be opened fails with why, and sends nothing', async () => {
    const id = await world.addWebhook();
    const { secrets } = world.deps;
    const open = secrets.open;
    secrets.open = () => {
      throw new Error('another key');
    };
    await world.emit();
    await world.idle();
    expect(world.requests).toEqual([]);
    expect(await world.deliveries(id)).toMatchObject([
      { status: 'pending', attempts: [{ error: expect.stringContaining('secret') as string }] },
    ]);
    secrets.open = open;
    await world.pass(1_000);
    expect(await world.deliveries(id)).toMatchObject([{ status: 'succeeded' }]);
  });
});

describe('a pause', () => {
  test('keeps what comes, stops the 24 hours, and goes on at once', async () => {
    const id = await world.addWebhook();
    world.answerWith(fail);
    await world.emit();
    await world.pass(10 * hour);
    await pause(id, world);
    const before = world.requests.length;
    await world.emit(3);
    await world.pass(100 * hour);
    expect(world.requests).toHaveLength(before);
    await resume(id, world);
    expect((await world.webhook(id)).failing_since).toBe('2026-03-05T16:00:00.000Z');
    await world.idle();
    expect(world.requests.length).toBe(before + 1);
    await world.pass(13.9 * hour);
    expect(await world.deliveries(id)).toMatchObject([{ status: 'pending' }]);
    await world.pass(0.1 * hour);
    expect(await world.deliveries(id)).toMatchObject([{ status: 'failed' }]);
    expect(await world.webhook(id)).toMatchObject({ active: false });
  });

  test('lets what is on its way end, and sends nothing after it', async () => {
    const id = await world.addWebhook();
    let answer = (): void => {};
    world.answerWith(() => new Promise((resolve) => (answer = () => resolve(ok))));
    await world.emit(2);
    world.startEngine();
    await until(() => world.requests.length === 1);
    await pause(id, world);
    answer();
    await world.idle();
    expect(world.requests).toHaveLength(1);
    expect(await world.deliveries(id)).toMatchObject([{ status: 'succeeded' }]);
    expect(await world.waiting(id)).toBe(1);
  });
});

describe('a stop', () => {
  test('lets what is on its way end, and sends nothing after it', async () => {
    const id = await world.addWebhook();
    let answer = (): void => {};
    world.answerWith(() => new Promise((resolve) => (answer = () => resolve(ok))));
    const [first] = await world.emit(2);
    world.startEngine();
    await until(() => world.requests.length === 1);
    const stopped = world.startEngine().stop(60_000);
    answer();
    await stopped;
    expect(world.requests).toHaveLength(1);
    expect(await world.deliveries(id)).toMatchObject([{ event_id: first, status: 'succeeded' }]);
    expect(await world.waiting(id)).toBe(1);
  });

  test('gives up what takes too long: it is no attempt, and sent again after the next start', async () => {
    const id = await world.addWebhook();
    world.answerWith(
      (_, signal) =>
        new Promise((__, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error)),
        ),
    );
    const ids = await world.emit(2);
    world.startEngine();
    await until(() => world.requests.length === 1);
    world.answerWith(() => ok);
    await world.restart();
    await world.idle();
    expect(world.sentTo(id).map(({ event, attempt }) => [event, attempt])).toEqual([[ids[0], 1], [ids[0], 1], [ids[1], 1]]); // prettier-ignore
    expect(await world.webhook(id)).not.toHaveProperty('failing_since');
  });
});

describe('whatever happens', () => {
  const step = fc.oneof(
    fc.record({ does: fc.constant('emit' as const), count: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ does: fc.constant('pass' as const), seconds: fc.integer({ min: 0, max: 40 }) }),
    fc.record({ does: fc.constantFrom('pause', 'resume', 'restart', 'jump back') }),
  );

  test('each event is tried in its order until it has ended, and none is left out', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 20 }),
        fc.array(fc.constantFrom(200, 200, 200, 500, 503, 410), { minLength: 1 }),
        async (steps, statuses) => {
          const own = await openWorld();
          try {
            const id = await own.addWebhook({ retry_config: { max_attempts: 3 } });
            let at = 0;
            own.answerWith(() => answered(statuses[at++ % statuses.length] ?? 200));
            const ids: string[] = [];
            own.startEngine();
            for (const one of steps) {
              if (one.does === 'emit') ids.push(...(await own.emit(one.count)));
              else if (one.does === 'pass') await own.pass(one.seconds * 1_000);
              else if (one.does === 'pause') await pause(id, own);
              else if (one.does === 'resume') await resume(id, own);
              else if (one.does === 'restart') await own.restart();
              else own.setClock(own.now - 30_000);
            }
            await resume(id, own);
            await own.pass(hour);
            const sent = own.sentTo(id).map(({ event }) => event);
            expect(sent).toEqual([...sent].sort((a, b) => ids.indexOf(a) - ids.indexOf(b)));
            expect([...new Set(sent)]).toEqual(ids);
            const rows = await own.deliveries(id);
            expect(rows).toHaveLength(ids.length);
            for (const { status, attempts } of rows) {
              const last = attempts.at(-1)?.response_status;
              expect([status, last === 200]).toEqual([last === 200 ? 'succeeded' : 'failed', last === 200]); // prettier-ignore
              expect(attempts.map(({ number }) => number)).toEqual(attempts.map((_, index) => index + 1)); // prettier-ignore
              if (status === 'failed') expect(last === 410 || attempts.length === 3).toBe(true);
            }
            expect(await own.waiting(id)).toBe(0);
          } finally {
            await own.close();
          }
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe('what is gone', () => {
  test('is not sent: a webhook that is deleted meanwhile leaves nothing', async () => {
    const id = await world.addWebhook();
    world.answerWith(async () => {
      await world.store.transact(async (tx) => {
        await dropWaiting(tx, id);
        await tx.remove(webhooks, id);
      });
      return fail();
    });
    await world.emit(3);
    await world.pass(hour);
    expect(world.requests).toHaveLength(1);
    expect(await world.deliveries(id)).toEqual([]);
    expect(await world.waiting(id)).toBe(0);
  });

  test('has no result: what was cleared, and put in anew, while it was under way', async () => {
    const id = await world.addWebhook({ retry_config: { max_attempts: 1 } });
    world.answerWith(fail);
    const [first = ''] = await world.emit();
    await world.idle();
    const [failed] = await world.deliveries(id);
    await world.store.transact((tx) => tx.append(webhookLanes, id, failed?.id ?? ''));
    let cleared = false;
    world.answerWith(async () => {
      if (cleared) return ok;
      cleared = true;
      await world.store.transact(async (tx) => {
        await tx.clear(webhookLanes, id);
        await tx.append(webhookLanes, id, first);
      });
      return fail();
    });
    await world.pass(hour);
    expect(await world.deliveries(id)).toMatchObject([
      { status: 'failed', attempts: [{ number: 1 }] },
      { status: 'succeeded', attempts: [{ number: 1 }] },
    ]);
    expect(await world.waiting(id)).toBe(0);
    expect(world.logged.map(({ message }) => message)).toContainEqual(expect.stringContaining('dropped')); // prettier-ignore
  });

  test('is passed over: an event that is no longer kept', async () => {
    const id = await world.addWebhook();
    const [first = '', second = '', third = ''] = await world.emit(3);
    await world.store.transact((tx) => tx.remove(events, second));
    await world.pass(hour);
    expect(world.sentTo(id).map(({ event }) => event)).toEqual([first, third]);
    expect(world.logged).toMatchObject([
      {
        message: expect.stringContaining('dropped') as string,
        fields: { webhook: id, work: second },
      },
    ]);
  });
});

const pause = (id: string, world: DeliveryWorld) =>
  world.store.transact(async (tx) => {
    const before = await world.webhook(id);
    const disabled_at = new Date(world.now).toISOString();
    await tx.replace(webhooks, { ...before, active: false, disabled_at });
    await pauseDeliveries(tx, id);
  });

const resume = (id: string, world: DeliveryWorld) =>
  world.store.transact(async (tx) => {
    const before = await world.webhook(id);
    const since = await resumeDeliveries(tx, before, world.now);
    const gone = ['failing_since', 'disabled_at', 'disabled_reason'];
    const kept = Object.entries(before).filter(([field]) => !gone.includes(field));
    await tx.replace(webhooks, {
      ...(Object.fromEntries(kept) as unknown as StoredWebhook), // but for what is optional
      ...(since === undefined ? {} : { failing_since: since }),
      active: true,
    });
  });

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 2));
}
