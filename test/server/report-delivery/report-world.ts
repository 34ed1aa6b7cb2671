import { createHash } from 'node:crypto';
import type { ReportFormat } from '../../../src/contract/reports.ts';
import { parseRanges } from '../../../src/server/http/address.ts';
import type { BoundSecret, ServerConfig } from '../../../src/server/config/config.ts';
import type { Deps, Log } from '../../../src/server/deps.ts';
import { timestamp } from '../../../src/server/deps.ts';
import { createIds } from '../../../src/server/ids.ts';
import { createLaneRunner } from '../../../src/server/lanes/runner.ts';
import type { LaneRunner } from '../../../src/server/lanes/runner.ts';
import { createSender } from '../../../src/server/outbound/send.ts';
import type { Sender } from '../../../src/server/outbound/send.ts';
import { systemResolve } from '../../../src/server/outbound/resolve.ts';
import type { Resolve } from '../../../src/server/outbound/resolve.ts';
import { createChannels } from '../../../src/server/report-delivery/channels/channels.ts';
import type {
  StoredChannel,
  Surroundings,
} from '../../../src/server/report-delivery/channels/channel.ts';
import {
  knownHosts,
  reportDeliveries,
  reportDeliveryLanes,
} from '../../../src/server/report-delivery/collection.ts';
import type { StoredReportDelivery } from '../../../src/server/report-delivery/collection.ts';
import type { SendToChannel } from '../../../src/server/report-delivery/deliver.ts';
import { startReportDeliveries } from '../../../src/server/report-delivery/deliveries.ts';
import { queueReportDelivery } from '../../../src/server/report-delivery/service.ts';
import { reports } from '../../../src/server/reports/collection.ts';
import type { StoredFile, StoredReport } from '../../../src/server/reports/collection.ts';
import { runs, schedules } from '../../../src/server/schedules/collection.ts';
import type { StoredSchedule } from '../../../src/server/schedules/collection.ts';
import { openLowdbStore } from '../../../src/server/store/lowdb/open.ts';
import { tempFolder } from '../store/lowdb/temp-folder.ts';

const start = Date.parse('2026-03-01T12:00:00.000Z');

/** A secret of the operator's, for these hosts. */
export const bound = (value: string, ...hosts: string[]): BoundSecret => ({
  value,
  hosts,
  buckets: [],
});

export type ReportWorld = Awaited<ReturnType<typeof openReportWorld>>;

export interface WorldOptions {
  readonly config?: ServerConfig;
  /** Default: only this machine reaches the server. */
  readonly local?: boolean;
  readonly resolve?: Resolve;
  /** Takes the place of all channels. */
  readonly send?: SendToChannel;
}

/** The delivery of reports on a real store, sending to whatever the test runs, with a clock that stands still. */
export async function openReportWorld(options: WorldOptions = {}) {
  const folder = await tempFolder();
  const store = await openLowdbStore({
    dir: folder.path,
    collections: [reports, schedules, runs, reportDeliveries, knownHosts],
    lanes: [reportDeliveryLanes],
  });
  let now = start;
  let drawn = 0;
  const clock = { now: () => now, monotonic: () => performance.now() };
  const logged: { fields: Readonly<Record<string, unknown>>; message: string }[] = [];
  const note: Log['info'] = (fields, message) => void logged.push({ fields, message });
  const deps: Deps = {
    store,
    clock,
    ids: createIds(clock, (bytes) => Buffer.alloc(bytes, (drawn += 1))),
    // The middle of every spread.
    random: (bytes) => Buffer.alloc(bytes, 0).fill(0x80, bytes - 1),
    log: { debug: note, info: note, warn: note, error: note },
    secrets: {
      seal: (secret, owner) => `sealed ${owner} ${secret}`,
      open(text, owner) {
        if (!text.startsWith(`sealed ${owner} `)) throw new Error('sealed for another');
        return text.slice(`sealed ${owner} `.length);
      },
      fingerprint: (text) => text,
    },
    version: '1.2.3',
  };
  const local = options.local ?? true;
  const surroundings: Surroundings = {
    targets: {
      rules: { local, allowed: parseRanges([]) },
      resolve: options.resolve ?? systemResolve,
    },
    config: options.config ?? {},
  };
  const senders: Sender[] = [
    createSender(surroundings.targets, clock),
    createSender(
      { rules: { local: true, allowed: parseRanges([]) }, resolve: systemResolve },
      clock,
    ),
  ];
  const [sender, anywhere] = senders;
  if (!sender || !anywhere) throw new Error('two were made');
  const ended: StoredReportDelivery[] = [];
  let runner: LaneRunner | undefined;
  const startRunner = (): LaneRunner =>
    (runner ??= startReportDeliveries(deps, {
      createRunner: createLaneRunner,
      send:
        options.send ??
        createChannels(deps, { surroundings, send: sender.send, sendAnywhere: anywhere.send }),
      makeLink: (_, { id }, format, seconds) =>
        Promise.resolve({
          url: `https://governance.example/v1/reports/${id}/${format}?signature=a&b`,
          expires_at: timestamp(now + seconds * 1_000),
        }),
      ended: (_, delivery) => Promise.resolve(void ended.push(delivery)),
    }));

  return {
    deps,
    store,
    logged,
    ended,
    surroundings,
    get now() {
      return now;
    },
    startRunner,
    setClock: (ms: number) => void (now = ms),
    /** Until nothing is due. */
    idle: () => startRunner().idle(),
    /** As a server's stop and next start. */
    async restart(withinMs = 0): Promise<void> {
      await runner?.stop(withinMs);
      runner = undefined;
      startRunner();
    },
    /** Time goes by, and what falls due meanwhile is done at its time. */
    async pass(ms: number): Promise<void> {
      const until = now + ms;
      for (;;) {
        await startRunner().idle();
        const due = await store.nextDue(reportDeliveryLanes);
        if (due === undefined || due > until) break;
        now = Math.max(now, due);
      }
      now = until;
    },
    async addReport(
      fields: Partial<StoredReport> = {},
      files: Readonly<Partial<Record<ReportFormat, string | Uint8Array>>> = {},
    ): Promise<StoredReport> {
      const id = deps.ids.next('rpt');
      const stored: StoredFile[] = [];
      for (const format of Object.keys(files) as ReportFormat[]) {
        stored.push(await writeFile(deps, id, format, files[format] ?? ''));
      }
      const at = timestamp(now);
      const report: StoredReport = {
        id,
        name: 'Weekly review',
        type: 'compliance',
        framework: 'soc2',
        scope: {},
        formats: ['pdf'],
        include_executive_summary: true,
        include_detailed_findings: true,
        status: 'completed',
        attempts: 1,
        created_at: at,
        created_by: 'user_x',
        updated_at: at,
        generated_at: at,
        result: {
          period: 'from Monday up to Monday',
          notices: ['The score is of <now>'],
          summary: {
            compliance_score: 87.5,
            total_violations: 12,
            critical: 1,
            high: 3,
            medium: 5,
            low: 3,
          },
          policies: 3,
          resources: 40,
          sections: [],
          model: [],
          files: stored,
        },
        ...fields,
      };
      await store.transact((tx) => tx.insert(reports, report));
      return report;
    },
    async addSchedule(
      channels: readonly StoredChannel[],
      fields: Partial<StoredSchedule> = {},
    ): Promise<StoredSchedule> {
      const at = timestamp(now);
      const schedule: StoredSchedule = {
        id: deps.ids.next('sch'),
        name: 'Every Monday',
        schedule: { cron: '0 9 * * 1', timezone: 'Europe/Berlin' },
        report_template: { name: 'Weekly review', type: 'compliance' },
        enabled: true,
        channels,
        created_at: at,
        updated_at: at,
        created_by: 'user_x',
        ...fields,
      };
      await store.transact((tx) => tx.insert(schedules, schedule));
      return schedule;
    },
    queue: (reportId: string, channel: StoredChannel, scheduleId?: string) =>
      store.transact((tx) =>
        queueReportDelivery(deps, tx, {
          reportId,
          channel,
          ...(scheduleId === undefined ? {} : { scheduleId }),
        }),
      ),
    async delivery(id: string): Promise<StoredReportDelivery> {
      const found = await store.get(reportDeliveries, id);
      if (!found) throw new Error(`no delivery ${id}`);
      return found.doc;
    },
    async close(): Promise<void> {
      await runner?.stop(0);
      for (const one of senders) await one.close();
      await store.close();
      await folder.remove();
    },
  };
}

const extensions = { pdf: 'pdf', excel: 'xlsx', csv: 'csv', json: 'json', html: 'html' } as const;

async function writeFile(
  { store }: Deps,
  reportId: string,
  format: ReportFormat,
  content: string | Uint8Array,
): Promise<StoredFile> {
  const bytes = Buffer.from(content);
  const blob = `${reportId}.${format}`;
  const writer = await store.blobs.create(blob);
  // In several chunks, as large ones come.
  const half = Math.ceil(bytes.length / 2);
  await writer.write(bytes.subarray(0, half));
  await writer.write(bytes.subarray(half));
  const { size, sha256 } = await writer.finish();
  if (sha256 !== createHash('sha256').update(bytes).digest('hex')) throw new Error('other bytes');
  return {
    format,
    filename: `report.${extensions[format]}`,
    media_type: format === 'pdf' ? 'application/pdf' : 'application/octet-stream',
    blob,
    size,
    sha256,
  };
}
