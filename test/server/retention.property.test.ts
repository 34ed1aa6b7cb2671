import fc from 'fast-check';
import { expect, it } from 'vitest';
import { scoreDaysKept } from '../../src/contract/governance.ts';
import { defaultRetention } from '../../src/server/config/retention.ts';
import type { Retention, RetentionKey } from '../../src/server/config/retention.ts';
import type { CollectionSpec, Document } from '../../src/server/store/store.ts';
import { webhookLanes } from '../../src/server/webhooks/collection.ts';
import { eventOf } from '../../src/server/webhooks/delivery/work.ts';
import { collections, modules } from '../../src/server/wiring/modules.ts';
import { importFiles } from './cost-imports/import-files.ts';
import { attach, collect } from './evidence/evidence-world.ts';
import { inventoryOf } from './inventory-service.ts';
import { blobIds, composeTiny, create, idOf, renderText } from './reports/report-world.ts';
import { hourly, machine, machineId, putMachines } from './rightsizing/machines.ts';
import { startTestService } from './test-service.ts';
import type { TestService } from './test-service.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

type Row = Document & Readonly<Record<string, unknown>>;
type Rows = ReadonlyMap<string, ReadonlyMap<string, Row>>;

/** All that is stored, by collection and ID. */
async function readAll({ deps: { store } }: TestService): Promise<Rows> {
  const all = new Map<string, ReadonlyMap<string, Row>>();
  for (const spec of collections as readonly CollectionSpec<Document>[]) {
    const [orderBy] = Object.keys(spec.order ?? {});
    if (orderBy === undefined) continue;
    const page = await store.page(spec, { orderBy, direction: 'asc', limit: 100_000 });
    all.set(spec.name, new Map(page.rows.map(({ doc }) => [doc.id, doc as Row])));
  }
  return all;
}

/** The events that wait for a webhook, in order. */
async function readWaiting({ deps: { store } }: TestService): Promise<readonly string[]> {
  const works = await store.laneWork(webhookLanes, { limit: 100_000 });
  const ids = await Promise.all(works.map((work) => eventOf(store, work)));
  return ids.map(String);
}

interface Moment {
  readonly before: Rows;
  /** Events that wait after upkeep. */
  readonly waiting: ReadonlySet<string>;
  readonly now: number;
  readonly kept: Retention;
}

const rowsOf = (rows: Rows, collection: string): readonly Row[] => [
  ...(rows.get(collection)?.values() ?? []),
];
const timeOf = (at: unknown): number => (typeof at === 'number' ? at : Date.parse(String(at)));

/**
 * What the documentation says of each kind of record, told once more: whether upkeep must remove a row. Kinds that are not
 * named here must stay, unless they say themselves when they expire.
 */
const isDue: Readonly<Record<string, (row: Row, moment: Moment) => boolean>> = {
  violations: ({ status, resolved_at: at }, { now, kept }) =>
    status === 'RESOLVED' && timeOf(at) < now - kept.violations,
  scans: ({ id, status, completed_at: at }, { before, now, kept }) => {
    if (status === 'pending' || status === 'running') return false;
    if (timeOf(at) >= now - kept.scans) return false;
    const whole = rowsOf(before, 'scans').filter(
      (one) => one['status'] === 'completed' && !one['resource_types'] && !one['policy_ids'],
    );
    const newest = whole.sort((a, b) => {
      const later = timeOf(b['completed_at']) - timeOf(a['completed_at']);
      return later === 0 ? (a.id < b.id ? 1 : -1) : later;
    })[0];
    const building = rowsOf(before, 'evidence_bundles').some(
      (one) => one['status'] === 'building' && (one['cut'] as { scan_id: string }).scan_id === id,
    );
    return id !== newest?.id && !building;
  },
  scan_samples: ({ scan_id: scan }, moment) => isGone('scans', String(scan), moment),
  reports: ({ status, generated_at, updated_at }, { now, kept }) => {
    if (status !== 'completed' && status !== 'failed') return false;
    return timeOf(status === 'failed' ? updated_at : generated_at) < now - kept.reports;
  },
  report_links: ({ report_id: report, expires_at: at }, moment) =>
    timeOf(at) <= moment.now || isGone('reports', String(report), moment),
  report_downloads: ({ report_id: report }, moment) => isGone('reports', String(report), moment),
  remediations: (row, { now, kept }) =>
    !isUnderWay(row) && timeOf(row['updated_at']) < now - kept.remediations,
  remediation_actions: ({ remediation_id: id }, moment) =>
    isGone('remediations', String(id), moment),
  remediation_images: ({ id, at }, moment) => {
    const of = id.slice(0, id.indexOf(':'));
    const remediation = moment.before.get('remediations')?.get(of);
    if (remediation && isUnderWay(remediation)) return false;
    const isOld = timeOf(at) < moment.now - Math.min(90 * day, moment.kept.remediations);
    return isOld || isGone('remediations', of, moment);
  },
  evidence_bundles: ({ status, completed_at, created_at }, { now, kept }) =>
    status !== 'building' && timeOf(completed_at ?? created_at) < now - kept.evidence,
  manual_evidence: ({ expires }, { before, now, kept }) => {
    const isBuilding = rowsOf(before, 'evidence_bundles').some(
      (one) => one['status'] === 'building',
    );
    return !isBuilding && Date.parse(`${String(expires)}T23:59:59.999Z`) <= now - kept.evidence;
  },
  attribute_histories: ({ series }, { now, kept }) =>
    pointsOf(series).every(([at]) => at < now - kept.attribute_history),
  cost_periods: ({ period }, { now, kept }) => {
    const [year, month] = String(period).split('-').map(Number);
    return Date.UTC(year ?? 0, month ?? 0, 1) <= now - kept.cost;
  },
  utilization: ({ until }, { now, kept }) => timeOf(until) <= now - kept.metrics,
  score_days: ({ at }, { now }) => timeOf(at) < now - scoreDaysKept * day,
  cost_imports: ({ expires }, { now }) => expires !== undefined && timeOf(expires) <= now,
  events: ({ id, created }, { waiting, now, kept }) =>
    timeOf(created) < now - kept.events && !waiting.has(id),
  deliveries: ({ status, updated_at: at }, { now, kept }) =>
    status !== 'pending' && timeOf(at) < now - kept.deliveries,
};

const isGone = (collection: string, id: string, moment: Moment): boolean => {
  const row = moment.before.get(collection)?.get(id);
  return !row || isDue[collection]?.(row, moment) === true;
};

function isUnderWay({ status, counts }: Row): boolean {
  const { planned, attempting, unverified } = counts as Record<string, number>;
  if (['planned', 'approved', 'running'].includes(String(status))) return true;
  return (planned ?? 0) + (attempting ?? 0) + (unverified ?? 0) > 0;
}

const pointsOf = (series: unknown): readonly (readonly [number, unknown])[] =>
  (series as { points: [number, unknown][] }[]).flatMap(({ points }) => points);

/** Upkeep is done: exactly what is due has gone. */
async function maintainAndCheck(service: TestService, kept: Retention): Promise<void> {
  await settle(service);
  const before = await readAll(service);
  const waitedBefore = await readWaiting(service);
  await service.maintain();
  expect(service.logged.filter(({ level }) => level === 'error')).toEqual([]);
  const after = await readAll(service);
  const waited = await readWaiting(service);
  const now = service.deps.clock.now();
  const moment: Moment = { before, waiting: new Set(waited), now, kept };
  const wrong: string[] = [];
  for (const [collection, rows] of before) {
    if (collection === 'audit_log') continue;
    for (const [id, row] of rows) {
      const gone = after.get(collection)?.has(id) !== true;
      const expires = Number(row['expires_at'] ?? Infinity);
      const rule = isDue[collection];
      const due = rule ? rule(row, moment) : gone && expires <= now;
      if (gone !== due)
        wrong.push(`${collection} ${id} ${gone ? 'was removed' : 'is still there'}`);
    }
  }
  expect(wrong).toEqual([]);
  checkAudit(before, after, now - kept.audit_log, Math.min(day, kept.audit_log / 10));
  for (const { id, series } of rowsOf(before, 'attribute_histories')) {
    const left = after.get('attribute_histories')?.get(id);
    const young = pointsOf(series).filter(([at]) => at >= now - kept.attribute_history);
    expect(left ? pointsOf(left['series']) : []).toEqual(young);
  }
  // What is dropped of a queue is old, and what waits is there.
  const young = ({ created }: Row): boolean => timeOf(created) >= now - kept.events;
  const events = before.get('events');
  const dropped = waitedBefore.filter((id) => !moment.waiting.has(id));
  expect(dropped.filter((id) => young(events?.get(id) ?? { id, created: 0 }))).toEqual([]);
  expect(waited.filter((id) => after.get('events')?.has(id) !== true)).toEqual([]);
  expect([...(await blobIds(service))].sort()).toEqual(filesOf(after).sort());
}

/** Of the audit log a whole beginning goes, and some of what is due may wait until more is. */
function checkAudit(before: Rows, after: Rows, since: number, mayWait: number): void {
  const sequencesOf = (rows: Rows, from = -Infinity): readonly number[] =>
    rowsOf(rows, 'audit_log')
      .filter(({ at }) => timeOf(at) >= from)
      .map(({ sequence }) => Number(sequence));
  const left = new Set(sequencesOf(after));
  expect(sequencesOf(before, since).filter((sequence) => !left.has(sequence))).toEqual([]);
  const [first = Infinity] = [...left].sort((a, b) => a - b);
  expect(sequencesOf(before).filter((one) => one >= first && !left.has(one))).toEqual([]);
  for (const { at } of rowsOf(after, 'audit_log')) {
    expect(timeOf(at)).toBeGreaterThanOrEqual(since - mayWait);
  }
}

/** The files that rows name. */
const filesOf = (rows: Rows): string[] =>
  modules
    .flatMap((module): readonly (typeof module.collections)[number][] => module.collections)
    .flatMap(({ spec, files }) =>
      rowsOf(rows, spec.name)
        .flatMap((row) => files?.(row) ?? [])
        .map(({ blob }) => blob),
    );

/** Nothing that works in the background has anything left to do just now. */
async function settle(service: TestService): Promise<void> {
  await service.deliveries?.idle();
  await service.reportWork.idle();
  await service.evidenceWork.idle();
  await service.costImportWork.idle();
}

const header =
  'ProviderName,BillingAccountId,ServiceName,BillingCurrency,BilledCost,ChargePeriodStart,BillingPeriodStart\n';

type World = { readonly service: TestService; readonly inventory: ReturnType<typeof inventoryOf> };

/** What may happen. Requests that are refused change nothing, so that any order is fine. */
const happenings: Readonly<Record<string, (world: World, n: number) => Promise<unknown>>> = {
  change: async ({ inventory, service }, n) => {
    const fields = {
      public: n % 2 === 0,
      backup: { days: n % 40 },
      versioning: { enabled: n % 3 === 0 },
    };
    await inventory.put(`bucket-${n % 4}`, fields);
    await service.evaluator.run();
  },
  remove: ({ service }, n) => service.send('DELETE', `/v1/resources/bucket-${n % 4}`),
  scan: ({ service }, n) =>
    service.send('POST', '/v1/scans', {
      body: n % 3 === 0 ? { resource_types: ['AWS::S3::Bucket'] } : {},
    }),
  evaluate: ({ service }) => service.evaluator.run(),
  report: async ({ service }, n) => {
    const at = new Date(service.deps.clock.now() + (n % 5) * minute).toISOString();
    const got = await create(service, n % 2 === 0 ? {} : { delivery: { scheduled_at: at } });
    await service.reportWork.idle();
    if (n % 2 !== 0) return;
    const path = `/v1/reports/${idOf(got)}`;
    const body = { format: 'pdf', expires_in: 60 * (1 + (n % 9)) };
    await service.send('POST', `${path}/download-link`, { body });
    await service.send('GET', `${path}/download/pdf`);
  },
  remediate: ({ service }) =>
    service.send('POST', '/v1/compliance/remediate', {
      body: { filter: { resource_type: ['AWS::S3::Bucket'] }, dry_run: false },
    }),
  approve: async ({ service }, n) => {
    const { remediations } = (await service.send('GET', '/v1/compliance/remediate?status=planned'))
      .json as { remediations: { id: string; digest: string }[] };
    const [one] = remediations;
    if (!one) return;
    const path = `/v1/compliance/remediate/${one.id}`;
    await service.send('POST', `${path}/approve`, { body: { digest: one.digest } });
    if (n % 3 === 0) await service.send('POST', `${path}/cancel`);
  },
  carryOut: async ({ service }) => {
    await service.remediate();
    await service.evaluator.run();
  },
  collect: ({ service }) => collect(service),
  attach: ({ service }, n) => attach(service, { expires: `2026-03-0${1 + (n % 4)}` }),
  tell: ({ service }, n) =>
    service.send('POST', '/v1/events', {
      body: { type: n % 2 === 0 ? 'scan.failed' : 'user.login' },
    }),
  tellAgain: ({ service }) =>
    service.send('POST', '/v1/events/replay', { body: { since: '2026-03-01T12:00:00.000Z' } }),
  charge: ({ service }, n) =>
    importFiles(service, [
      {
        name: 'a.csv',
        bytes: `${header}AWS,1,S3,USD,1,2026-0${1 + (n % 3)}-02,2026-0${1 + (n % 3)}-01\n`,
      },
    ]),
  measure: ({ service }, n) => {
    const from = new Date(service.deps.clock.now() - (n % 3) * 7 * day - 60 * minute).toISOString();
    const points = hourly(machineId, 'cpu', from, [n]);
    return service.send('POST', '/v1/metrics', {
      text: points.map((point) => JSON.stringify(point)).join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    });
  },
};

const happening = fc.record({
  what: fc.constantFrom(...Object.keys(happenings)),
  n: fc.nat(1_000),
  passes: fc.oneof(
    { weight: 8, arbitrary: fc.nat(4).map((n) => n * minute + n) },
    { weight: 1, arbitrary: fc.constantFrom(0, day, 40 * day) },
  ),
  maintained: fc.boolean(),
});

const retention = fc.record(
  Object.fromEntries(
    Object.keys(defaultRetention).map((key) => [
      key,
      fc.constantFrom(minute, 2 * minute, 5 * minute, 60 * minute, 31 * day),
    ]),
  ) as Record<RetentionKey, fc.Arbitrary<number>>,
);

/** A story that has every kind of record: 9 and 13 change the same bucket. */
const everything = [9, 13, 2].flatMap((n) =>
  [
    'change',
    'scan',
    'evaluate',
    'report',
    'remediate',
    'approve',
    'carryOut',
    'collect',
    'attach',
    'tell',
    'tellAgain',
    'charge',
    'measure',
  ].map((what) => ({ what, n, passes: minute, maintained: true })),
);
const aMonth = Object.fromEntries(
  Object.keys(defaultRetention).map((key) => [key, 31 * day]),
) as Record<RetentionKey, number>;

it('upkeep removes what is due, and nothing else, whatever has happened and however long each kind is stored', async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(
      retention,
      fc.boolean(),
      fc.array(happening, { minLength: 15, maxLength: 35, size: 'max' }),
      async (kept, builds, story) => {
        let attempt = 0;
        const service = await startTestService({
          // Bundles that are never built are needed for good.
          evidence: builds,
          reports: { compose: composeTiny, render: renderText },
          config: { retention: kept, remediation: { approval: 'approval' } },
          receive: () =>
            Promise.resolve({ status: (attempt += 1) % 3 === 0 ? 200 : 500, durationMs: 1 }),
          resolve: () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]),
        });
        try {
          const world = { service, inventory: inventoryOf(service) };
          await prepare(world);
          for (const { what, n, passes, maintained } of [
            ...story,
            { what: 'evaluate', n: 0, passes: 400 * day, maintained: true },
          ]) {
            await happenings[what]?.(world, n);
            service.advance(passes);
            service.deliveries?.poke();
            if (maintained) await maintainAndCheck(service, kept);
            for (const [name, rows] of await readAll(service)) if (rows.size > 0) seen.add(name);
          }
        } finally {
          await service.close();
        }
      },
    ),
    {
      numRuns: Number(process.env['GOVCTL_PROPERTY_RUNS'] ?? 8),
      examples: [[aMonth, true, everything]],
    },
  );
  // A kind that no story has shows nothing.
  expect(Object.keys(isDue).filter((name) => !seen.has(name))).toEqual([]);
});

/** Policies that stories violate, receivers of events, and a machine. */
async function prepare({ service, inventory }: World): Promise<void> {
  await inventory.createPolicy('public', { compliance_frameworks: ['SOC2:CC6.1'] });
  await inventory.createPolicy('backup', {
    rules: [{ condition: 'resource.backup.days < 7', effect: 'DENY' }],
  });
  await inventory.createPolicy('versioning', {
    rules: [{ condition: 'resource.versioning.enabled == false', effect: 'DENY' }],
    remediation_action: 'patch:{"versioning":{"enabled":true}}',
  });
  for (const active of [true, false]) {
    await inventory.ok('POST', '/v1/webhooks', {
      body: {
        url: 'http://localhost:1/hook',
        events: ['scan.failed'],
        secret: 's'.repeat(32),
        active,
      },
    });
  }
  await putMachines(service, machine(machineId, 'm5.large'));
  await service.evaluator.run();
}
