import { afterEach, describe, expect, test } from 'vitest';
import type { StoredChannel } from '../../../src/server/report-delivery/channels/channel.ts';
import {
  reportDeliveries,
  reportDeliveryLanes,
} from '../../../src/server/report-delivery/collection.ts';
import type { SendToChannel } from '../../../src/server/report-delivery/deliver.ts';
import { dropDeliveries } from '../../../src/server/report-delivery/service.ts';
import { reports } from '../../../src/server/reports/collection.ts';
import { until } from '../../support/until.ts';
import { openReportWorld } from './report-world.ts';
import type { ReportWorld } from './report-world.ts';

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

async function openWorld(send: SendToChannel): Promise<ReportWorld> {
  const world = await openReportWorld({ send });
  open.push(world);
  return world;
}

const email: StoredChannel = { kind: 'email', recipients: ['ann@one.example'] };
const chat: StoredChannel = { kind: 'chat', channel: '#a' };

const hour = 3_600_000;

describe('tries', () => {
  test('come after 1, 2, 4, 8 and 16 seconds, and on for 24 hours, then it has failed', async () => {
    const times: number[] = [];
    const world = await openWorld(() => {
      times.push(world.now);
      return Promise.resolve({ ok: false, error: 'The server is down' });
    });
    const began = world.now;
    const report = await world.addReport();
    const { id } = await world.queue(report.id, email);
    await world.pass(30 * hour);
    const seconds = times.map((time) => (time - began) / 1_000);
    expect(seconds.slice(0, 6)).toEqual([0, 1, 3, 7, 15, 31]);
    expect(seconds.at(-1)).toBe(24 * 3_600);
    const pauses = times.slice(1).map((time, at) => time - (times[at] ?? 0));
    expect(Math.max(...pauses)).toBeLessThanOrEqual(hour);
    const delivery = await world.delivery(id);
    expect(delivery).toMatchObject({ status: 'failed', attempts: times.length, error: 'The server is down' }); // prettier-ignore
    expect(delivery.next_attempt_at).toBeUndefined();
    expect(world.ended).toEqual([delivery]);
  });

  test('that cannot be told from a fault of the server are made again, and leak nothing', async () => {
    let tries = 0;
    const world = await openWorld(() => {
      tries += 1;
      return tries === 1 ? Promise.reject(new Error('s3cret')) : Promise.resolve({ ok: true });
    });
    const report = await world.addReport();
    const { id } = await world.queue(report.id, email);
    await world.idle();
    expect((await world.delivery(id)).error).not.toContain('s3cret');
    await world.pass(1_000);
    expect(await world.delivery(id)).toMatchObject({ status: 'delivered', attempts: 2 });
  });
});

describe('a try', () => {
  test.each([1, 2])(
    'number %i sends no links to a report that is deleted meanwhile: it has failed for good',
    async (last) => {
      let sent = 0;
      let deleteReport = (): Promise<void> => Promise.resolve();
      const world = await openWorld(async (_, message) => {
        if (message.attempt === last) await deleteReport();
        await message.links();
        sent += 1;
        return { ok: false, error: 'later' };
      });
      const report = await world.addReport({}, { pdf: 'x' });
      deleteReport = () => world.store.transact((tx) => tx.remove(reports, report.id));
      const { id } = await world.queue(report.id, chat);
      await world.pass(1_000);
      expect(sent).toBe(last - 1);
      expect(await world.delivery(id)).toMatchObject({
        status: 'failed',
        attempts: last,
        error: `The report ${report.id} was deleted before it was delivered`,
      });
    },
  );

  test('of a notification changes the ETag of its report, which shows it; that of a schedule does not', async () => {
    const world = await openWorld(() => Promise.resolve({ ok: true }));
    const schedule = await world.addSchedule([email]);
    const revisionOf = async (id: string) => (await world.store.get(reports, id))?.revision ?? 0;
    const [told, scheduled] = [await world.addReport(), await world.addReport()];
    await world.queue(told.id, email);
    await world.queue(scheduled.id, email, schedule.id);
    const before = [await revisionOf(told.id), await revisionOf(scheduled.id)] as const;
    await world.idle();
    expect(await revisionOf(told.id)).toBeGreaterThan(before[0]);
    expect(await revisionOf(scheduled.id)).toBe(before[1]);
  });
});

describe('a lane', () => {
  test('keeps the order of its channel, and one that hangs or fails stops no other', async () => {
    const sent: string[] = [];
    let down = true;
    const world = await openWorld((channel, { report }, { signal }) => {
      if (channel.kind === 'chat') {
        return new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('stopped')));
        });
      }
      sent.push(report.id);
      return Promise.resolve(down ? { ok: false, error: 'down' } : { ok: true });
    });
    const one = await world.addSchedule([email, chat]);
    const two = await world.addSchedule([email]);
    const [first, second] = [await world.addReport(), await world.addReport()];
    await world.queue(first.id, chat, one.id);
    await world.queue(first.id, email, one.id);
    await world.queue(second.id, email, one.id);
    await world.queue(second.id, email, two.id);
    world.startRunner();
    await until(() => sent.length === 2);
    expect(sent.sort()).toEqual([first.id, second.id].sort());
    // The chat is still on its way; the clock is moved all the same.
    expect((await world.store.laneState(reportDeliveryLanes, `${one.id}/email`)).waiting).toBe(2);
    down = false;
    await world.restart();
    const before = sent.length;
    world.setClock(world.now + 1_000);
    world.startRunner().poke();
    await until(() => sent.length === before + 3);
    const later = sent.slice(before);
    expect(later.indexOf(first.id)).toBeLessThan(later.lastIndexOf(second.id));
  });

  test('outlives a stop in the middle: what was on its way is sent after the next start', async () => {
    let begun = 0;
    let hang = true;
    const world = await openWorld((_, __, { signal }) => {
      begun += 1;
      if (!hang) return Promise.resolve({ ok: true });
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('stopped')));
      });
    });
    const report = await world.addReport();
    const { id } = await world.queue(report.id, email);
    world.startRunner();
    await until(() => begun === 1);
    hang = false;
    await world.restart();
    await world.idle();
    expect(await world.delivery(id)).toMatchObject({ status: 'delivered', attempts: 1 });
    expect(begun).toBe(2);
  });

  test('goes with its schedule, even while it is sent from', async () => {
    const finish: (() => void)[] = [];
    const world = await openWorld(
      () => new Promise((resolve) => void finish.push(() => resolve({ ok: true }))),
    );
    const schedule = await world.addSchedule([email]);
    const report = await world.addReport();
    const { id } = await world.queue(report.id, email, schedule.id);
    await world.queue(report.id, email, schedule.id);
    const kept = await world.queue(report.id, email);
    world.startRunner();
    await until(() => finish.length === 2);
    await world.store.transact((tx) => dropDeliveries(tx, schedule.id));
    await world.store.transact((tx) => dropDeliveries(tx, report.id));
    for (const one of finish) one();
    await world.idle();
    expect(world.ended).toEqual([]);
    expect(await world.store.get(reportDeliveries, id)).toBeUndefined();
    expect(await world.store.get(reportDeliveries, kept.id)).toBeUndefined();
    expect(await world.store.laneWork(reportDeliveryLanes, { limit: 10 })).toEqual([]);
  });

  test('ends a delivery whose report was deleted', async () => {
    const world = await openWorld(() => Promise.resolve({ ok: true }));
    const report = await world.addReport();
    const { id } = await world.queue(report.id, email);
    await world.store.transact((tx) => tx.remove(reports, report.id));
    await world.idle();
    expect(await world.delivery(id)).toMatchObject({ status: 'failed', attempts: 1 });
  });
});
