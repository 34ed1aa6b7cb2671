import { afterEach, describe, expect, it } from 'vitest';
import { defaultRetention } from '../../src/server/config/retention.ts';
import { attributeHistories } from '../../src/server/prediction/collection.ts';
import { allRows, countRows } from '../../src/server/store/all-rows.ts';
import type { CollectionSpec, Document } from '../../src/server/store/store.ts';
import { utilization } from '../../src/server/rightsizing/collection.ts';
import { actions, images } from '../../src/server/remediation/collection.ts';
import { scanSamples } from '../../src/server/scans/samples.ts';
import { importFiles } from './cost-imports/import-files.ts';
import { attach, collected } from './evidence/evidence-world.ts';
import { inventoryOf } from './inventory-service.ts';
import { blobIds, composeTiny, create, idOf, renderText } from './reports/report-world.ts';
import { hourly, machine, machineId, putMachines } from './rightsizing/machines.ts';
import type { TestService } from './test-service.ts';
import { startTestService } from './test-service.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const inMinutes = {
  ...defaultRetention,
  events: 2 * minute,
  deliveries: 2 * minute,
  violations: 2 * minute,
  scans: 2 * minute,
  reports: 2 * minute,
  audit_log: 2 * minute,
  attribute_history: 2 * minute,
  remediations: 2 * minute,
  evidence: 2 * minute,
  metrics: 2 * minute,
};

type Options = NonNullable<Parameters<typeof startTestService>[0]>;
let service: TestService;
let inventory: ReturnType<typeof inventoryOf>;
/** Of a server that stores records for 2 minutes. */
async function start(options: Options = {}): Promise<void> {
  service = await startTestService({
    evidence: true,
    reports: { compose: composeTiny, render: renderText },
    config: { retention: inMinutes },
    ...options,
  });
  inventory = inventoryOf(service);
}
afterEach(() => service.close());

/** Time goes on, and upkeep is done. */
async function pass(ms: number): Promise<void> {
  service.advance(ms);
  await service.maintain();
}
const statusOf = async (path: string): Promise<number> => (await service.send('GET', path)).status;
const count = (spec: CollectionSpec<never>): Promise<number> =>
  countRows(service.deps.store, spec as CollectionSpec<Document>);
async function scan(): Promise<string> {
  const { json } = await inventory.ok('POST', '/v1/scans', { body: {} });
  await service.evaluator.run();
  return String(json.id);
}

describe('in the configured time', () => {
  it('violations go after they were resolved, and open and exempt ones stay', async () => {
    await start();
    await inventory.createPolicy('p');
    await inventory.exempt({ resources: ['excused'], expires: '2027-03-31' });
    for (const id of ['fixed', 'open', 'excused', 'again']) {
      await inventory.put(id, { public: true });
    }
    await service.evaluator.run();
    await inventory.put('fixed', { public: false });
    await inventory.put('again', { public: false });
    await service.evaluator.run();
    const before = await inventory.violations();
    expect(before.map(({ status }) => status).sort()).toEqual([
      'EXEMPT',
      'OPEN',
      'RESOLVED',
      'RESOLVED',
    ]);
    await pass(minute);
    // It is open again before its time.
    await inventory.put('again', { public: true });
    await service.evaluator.run();
    await pass(minute + 1);
    const left = await inventory.violations();
    expect(left.map(({ resource_id }) => resource_id).sort()).toEqual(['again', 'excused', 'open']);
    // It is found anew, and not by what is gone.
    await inventory.put('fixed', { public: true });
    await service.evaluator.run();
    const gone = before.find(({ resource_id }) => resource_id === 'fixed');
    const found = (await inventory.violations()).find(({ resource_id }) => resource_id === 'fixed');
    expect([found?.status, found?.id === gone?.id]).toEqual(['OPEN', false]);
    await pass(400 * day);
    expect((await inventory.violations('status=OPEN')).length).toBe(3);
  });

  it('scans go with their samples, but for the newest of the whole inventory and those under way', async () => {
    await start();
    await inventory.createPolicy('p');
    await inventory.put('fine', { public: false });
    await service.evaluator.run();
    const [first, newest] = [await scan(), await scan()];
    const part = await inventory.ok('POST', '/v1/scans', {
      body: { resource_types: ['AWS::S3::Bucket'] },
    });
    await service.evaluator.run();
    const waiting = await inventory.ok('POST', '/v1/scans', { body: {} });
    expect(await count(scanSamples as never)).toBe(3);
    await pass(2 * minute);
    expect(await statusOf(`/v1/scans/${first}`)).toBe(200);
    await pass(1);
    const left = [first, newest, String(part.json.id), String(waiting.json.id)];
    expect(await Promise.all(left.map((id) => statusOf(`/v1/scans/${id}`)))).toEqual([
      404, 200, 404, 200,
    ]);
    const samples = [];
    for await (const { doc } of allRows(service.deps.store, scanSamples, {})) {
      samples.push(doc.scan_id);
    }
    expect(samples).toEqual([newest]);
    await service.evaluator.run();
    await pass(1);
    expect(await statusOf(`/v1/scans/${newest}`)).toBe(404);
  });

  it('reports go with their files, links and access log, but for those that are not made yet', async () => {
    await start();
    const later = idOf(
      await create(service, { delivery: { scheduled_at: '2026-03-01T13:00:00.000Z' } }),
    );
    const id = idOf(await create(service));
    await service.reportWork.idle();
    await service.send('POST', `/v1/reports/${id}/download-link`, { body: { format: 'pdf' } });
    await service.send('GET', `/v1/reports/${id}/download/pdf`);
    await service.send('GET', `/v1/reports/${id}/download/csv`);
    expect((await blobIds(service)).length).toBeGreaterThan(3);
    await pass(2 * minute + 1);
    expect(await statusOf(`/v1/reports/${id}`)).toBe(404);
    expect(await statusOf(`/v1/reports/${later}`)).toBe(200);
    expect(await blobIds(service)).toEqual([]);
    await pass(day);
    expect(await statusOf(`/v1/reports/${later}`)).toBe(200);
  });

  it('remediations go after their end, with their actions and images', async () => {
    await start({ config: { retention: inMinutes, remediation: { approval: 'approval' } } });
    const path = '/v1/compliance/remediate';
    const body = { policy_id: 'versioning', dry_run: false };
    await inventory.createPolicy('versioning', {
      rules: [{ condition: 'resource.versioning.enabled == false', effect: 'DENY' }],
      remediation_action: 'patch:{"versioning":{"enabled":true}}',
    });
    await inventory.put('a', { versioning: { enabled: false } });
    const { id, digest } = (await inventory.ok('POST', path, { body })).json;
    await pass(10 * minute);
    expect(await statusOf(`${path}/${String(id)}`)).toBe(200);
    await inventory.ok('POST', `${path}/${String(id)}/approve`, { body: { digest } });
    await service.remediate();
    expect(await count(images as never)).toBe(1);
    await pass(2 * minute);
    expect((await inventory.ok('GET', `${path}/${String(id)}`)).json.status).toBe('completed');
    await pass(1);
    expect(await statusOf(`${path}/${String(id)}`)).toBe(404);
    expect([await count(actions as never), await count(images as never)]).toEqual([0, 0]);
  });

  it('evidence goes with its files, and attached evidence once it has expired', async () => {
    await start();
    await inventory.createPolicy('p', { compliance_frameworks: ['SOC2:CC6.1'] });
    await inventory.put('open', { public: true });
    await scan();
    const id = await collected(service);
    const manual = idOf(await attach(service, { expires: '2026-03-01' }));
    expect(await blobIds(service)).toHaveLength(1);
    await pass(2 * minute + 1);
    const paths = ['/v1/compliance/evidence', '/v1/compliance/evidence/manual'];
    expect(await statusOf(`${paths[0] ?? ''}/${id}`)).toBe(404);
    expect(await blobIds(service)).toEqual([]);
    const attached = async () =>
      ((await inventory.ok('GET', paths[1] ?? '')).json.manual as { id: string }[]).map(
        (one) => one.id,
      );
    expect(await attached()).toEqual([manual]);
    await pass(12 * 60 * minute);
    expect(await attached()).toEqual([]);
  });

  it('the values of an attribute go, and the history of a resource without any', async () => {
    await start();
    await inventory.createPolicy('p', {
      rules: [{ condition: 'resource.backup.days < 7', effect: 'DENY' }],
    });
    await service.evaluator.run();
    const backup = async (days: number): Promise<void> => {
      await inventory.put('db', { backup: { days } });
      await service.evaluator.run();
      service.advance(minute);
    };
    for (const days of [30, 29, 28]) await backup(days);
    const values = async () =>
      (await service.deps.store.get(attributeHistories, 'db'))?.doc.series.map(({ points }) =>
        points.map(([, value]) => value),
      );
    expect(await values()).toEqual([[30, 29, 28]]);
    await service.maintain();
    expect(await values()).toEqual([[29, 28]]);
    await pass(2 * minute);
    expect(await values()).toBeUndefined();
  });

  it('the audit log goes from its oldest entry on, and says up to which', async () => {
    await start();
    await inventory.createPolicy('a');
    service.advance(2 * minute);
    await inventory.createPolicy('b');
    await pass(minute);
    const { audit_log: entries } = (await inventory.ok('GET', '/v1/audit-log')).json;
    expect((entries as { action: string }[]).map(({ action }) => action)).toContain(
      'policy.create',
    );
    const { json } = await inventory.ok('GET', '/v1/audit-log/head');
    expect((json.anchor as { reason: string }).reason).toBe('retention');
    expect((entries as { sequence: number }[]).map(({ sequence }) => sequence)).not.toContain(1);
  });

  it('charges and utilization go with their files', async () => {
    await start({ config: { retention: { ...inMinutes, cost: day } } });
    const header =
      'ProviderName,BillingAccountId,ServiceName,BillingCurrency,BilledCost,ChargePeriodStart,BillingPeriodStart\n';
    const rows = [
      'AWS,1,S3,USD,0.1,2026-02-02,2026-02-01\n',
      'AWS,1,S3,USD,1,2026-03-01,2026-03-01\n',
    ];
    await importFiles(service, [{ name: 'a.csv', bytes: header + rows.join('') }]);
    await putMachines(service, machine(machineId, 'm5.large'));
    const points = hourly(machineId, 'cpu', '2026-03-01T11:59:00.000Z', [50]);
    const sent = await service.send('POST', '/v1/metrics', {
      text: points.map((point) => JSON.stringify(point)).join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    });
    expect(sent.json).toMatchObject({ points: 1, left_out: { too_old: 0 } });
    const charges = async (): Promise<readonly string[]> =>
      (await blobIds(service)).filter((id) => !id.startsWith('utl_'));
    const before = await charges();
    await pass(day);
    expect((await charges()).length).toBe(before.length - 1);
    expect(await count(utilization as never)).toBe(1);
    await pass(7 * day + 2 * minute);
    expect(await count(utilization as never)).toBe(0);
    await pass(31 * day);
    expect(await blobIds(service)).toEqual([]);
  });
});
