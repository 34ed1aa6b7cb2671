import { createLaneRunner } from '../../../src/server/lanes/runner.ts';
import type { LaneRunner } from '../../../src/server/lanes/runner.ts';
import type { SendResult } from '../../../src/server/report-delivery/channels/channel.ts';
import { reportDeliveryLanes } from '../../../src/server/report-delivery/collection.ts';
import { startReportDeliveries } from '../../../src/server/report-delivery/deliveries.ts';
import { reportLanes } from '../../../src/server/reports/collection.ts';
import { scheduleLanes } from '../../../src/server/schedules/collection.ts';
import { startScheduleFires } from '../../../src/server/schedules/fire.ts';
import { deliveryEnded, scheduleReportEnded } from '../../../src/server/schedules/run.ts';
import { composeTiny, renderText } from '../reports/report-world.ts';
import type { ReportOptions } from '../reports/report-world.ts';
import type { Got, Sent, TestService } from '../test-service.ts';
import { startTestService } from '../test-service.ts';

export type Json = Record<string, unknown>;

export const aSchedule = (fields: Json = {}) => ({
  name: 'Weekly',
  schedule: { cron: '0 9 * * *', timezone: 'Europe/Berlin' },
  report_template: { name: 'Compliance {{date}}', type: 'compliance' },
  ...fields,
});

export interface ScheduleWorldOptions extends ReportOptions {
  /** What comes of every try to deliver; without it, deliveries wait. */
  readonly deliver?: () => Promise<SendResult>;
  /** Reports are asked for, but not made. */
  readonly withoutReports?: boolean;
}

/** The service with schedules that fire, on a clock that goes where it is told to. */
export async function startSchedules(options: ScheduleWorldOptions = {}) {
  const { withoutReports = false, deliver, ...others } = options;
  const service: TestService = await startTestService({
    ...others,
    ...(withoutReports
      ? {}
      : {
          reports: {
            compose: composeTiny,
            render: renderText,
            ended: (tx, report) => scheduleReportEnded(service.deps, tx, report),
            ...others.reports,
          },
        }),
  });
  const { deps } = service;
  const runners: LaneRunner[] = [startScheduleFires(deps, createLaneRunner)];
  if (deliver) {
    const deliveries = startReportDeliveries(deps, {
      createRunner: createLaneRunner,
      send: deliver,
      makeLink: () => Promise.reject(new Error('no link is made here')),
      ended: (tx, delivery) => deliveryEnded(deps, tx, delivery),
    });
    runners.push(deliveries);
  }
  const families = [
    scheduleLanes,
    ...(withoutReports ? [] : [reportLanes]),
    ...(deliver ? [reportDeliveryLanes] : []),
  ];

  async function nextDue(): Promise<number> {
    const all = await Promise.all(families.map((lanes) => deps.store.nextDue(lanes)));
    return Math.min(...all.map((due) => due ?? Infinity));
  }

  /** Does what is due now, and what comes of it. */
  async function settle(): Promise<void> {
    do {
      for (const runner of runners) await runner.idle();
      if (!withoutReports) await service.reportWork.idle();
    } while ((await nextDue()) <= deps.clock.now());
  }

  async function ok(method: string, path: string, sent: Sent = {}): Promise<Got> {
    const got = await service.send(method, path, sent);
    if (got.status >= 300) throw new Error(`${method} ${path}: ${got.status} ${got.text}`);
    return got;
  }

  return {
    service,
    ok,
    settle,
    create: async (fields?: Json): Promise<string> =>
      String((await ok('POST', '/v1/reports/schedules', { body: aSchedule(fields) })).json.id),
    read: async (id: string): Promise<Json> =>
      (await ok('GET', `/v1/reports/schedules/${id}`)).json,
    update: async (id: string, body: Json): Promise<Json> =>
      (await ok('PUT', `/v1/reports/schedules/${id}`, { body })).json,
    /** The newest first. */
    runsOf: async (id: string): Promise<Json[]> =>
      (await ok('GET', `/v1/reports/schedules/${id}/runs?limit=100`)).json.runs as Json[],
    reportsOf: async (id: string): Promise<Json[]> =>
      (await ok('GET', `/v1/reports?limit=100&schedule_id=${id}`)).json.reports as Json[],
    now: (): string => new Date(deps.clock.now()).toISOString(),
    /** Moves the clock at once, forwards or backwards; what was due on the way is late. */
    async jumpTo(moment: string): Promise<void> {
      service.advance(Date.parse(moment) - deps.clock.now());
      await settle();
    },
    /** Moves the clock by way of everything that is due until then. */
    async goTo(moment: string): Promise<void> {
      const target = Date.parse(moment);
      await settle();
      for (let due = await nextDue(); due <= target; due = await nextDue()) {
        service.advance(Math.max(0, due - deps.clock.now()));
        await settle();
      }
      service.advance(target - deps.clock.now());
      await settle();
    },
    async close(): Promise<void> {
      for (const runner of runners) await runner.stop(1_000);
      await service.close();
    },
  };
}

export type ScheduleWorld = Awaited<ReturnType<typeof startSchedules>>;
