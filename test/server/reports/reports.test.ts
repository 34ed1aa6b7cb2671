import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { auditLog } from '../../../src/server/audit/collection.ts';
import { allRows } from '../../../src/server/store/all-rows.ts';
import type { TestService } from '../test-service.ts';
import { anOrder, blobIds, create, idOf, read, startReports } from './report-world.ts';

let service: TestService;
beforeEach(async () => {
  service = await startReports();
});
afterEach(() => service.close());

const now = Date.parse('2026-03-01T12:00:00.000Z');
const at = (ms: number): string => new Date(now + ms).toISOString();

const listed = async (query = ''): Promise<readonly Record<string, unknown>[]> =>
  (await service.send('GET', `/v1/reports${query}`)).json.reports as Record<string, unknown>[];
const namesOf = async (query: string): Promise<string[]> =>
  (await listed(query)).map(({ name }) => String(name));

describe('asking for a report', () => {
  test('answers where it stands and when it will be there', async () => {
    const got = await create(service, { framework: 'SOC2', description: 'For the auditor' });
    expect(got.status).toBe(201);
    const id = idOf(got);
    expect(id).toMatch(/^rpt_/);
    expect(got.json).toEqual({
      id,
      name: 'First quarter',
      type: 'compliance',
      framework: 'SOC2',
      status: 'pending',
      estimated_completion: at(3_000),
      estimated_duration: '3s',
      queue_position: 1,
      monitoring: { progress_url: `https://govctl.test/v1/reports/${id}` },
    });
    expect(got.headers.get('location')).toBe(`/v1/reports/${id}`);
  });

  test('makes it, and shows it as the contract does', async () => {
    const id = idOf(await create(service, { framework: 'soc2' }));
    await service.reportWork.idle();
    const detail = await read(service, id);
    expect(detail).toMatchObject({
      id,
      name: 'First quarter',
      type: 'compliance',
      framework: 'soc2',
      status: 'completed',
      generated_at: at(0),
      content: {
        pages: 3,
        sections: [
          { name: 'Summary', pages: 1 },
          { name: 'Findings', pages: 2 },
        ],
      },
      formats: [
        { format: 'pdf', url: `https://govctl.test/v1/reports/${id}/download/pdf`, size_mb: 0.001 },
      ],
      summary: { overall_compliance_score: 87.5, total_violations: 6, critical: 1, high: 2 },
      metadata: { source_scan_id: 'scan_1', policies: 4, resources: 5 },
      sharing: { links: [] },
    });
    expect(detail).not.toHaveProperty('progress');
    expect(detail).not.toHaveProperty('queue_position');
    expect(await listed()).toEqual([
      {
        id,
        name: 'First quarter',
        type: 'compliance',
        framework: 'soc2',
        status: 'completed',
        generated_at: at(0),
        size: { pages: 3, file_size_mb: 0.001 },
        summary: { compliance_score: 87.5, total_violations: 6, critical_findings: 1 },
        created_at: at(0),
      },
    ]);
  });

  test('happens once for each Idempotency-Key', async () => {
    const post = () =>
      service.send('POST', '/v1/reports', {
        body: anOrder(),
        headers: { 'idempotency-key': 'k1' },
      });
    const [first, second] = [await post(), await post()];
    expect(second.json).toEqual(first.json);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(await listed()).toHaveLength(1);
  });

  test('is in the audit log, and so is deleting it', async () => {
    const id = idOf(await create(service));
    await service.send('DELETE', `/v1/reports/${id}`);
    const entries: string[] = [];
    const where = { subject: { any: [id] } };
    for await (const { doc } of allRows(service.deps.store, auditLog, where)) {
      entries.push(doc.action);
    }
    expect(entries).toEqual(['report.create', 'report.delete']);
  });

  test('takes compliance:write; reading takes governance:read', async () => {
    const key = await service.keyWith('governance:read');
    expect((await service.send('POST', '/v1/reports', { body: anOrder(), key })).status).toBe(403);
    expect((await service.send('GET', '/v1/reports', { key })).status).toBe(200);
  });

  test('never shows the password, nor keeps it readable', async () => {
    const password = 'correct horse battery';
    const options = { security: { password, watermark: 'Draft', sign: false } };
    const created = await create(service, { format_options: options });
    const id = idOf(created);
    const detail = await read(service, id);
    expect(detail).toMatchObject({
      protected: true,
      format_options: { security: { watermark: 'Draft', sign: false } },
    });
    const texts = [created.text, JSON.stringify(detail), JSON.stringify(service.logged)];
    for (const text of texts) {
      expect(text).not.toContain(password);
      expect(text).not.toContain('password');
    }
  });

  test('expects it to take as long as such reports took lately', async () => {
    const { deps } = service;
    await deps.store.transact(async (tx) => {
      const { recordDuration } = await import('../../../src/server/reports/generation/estimate.ts');
      for (const ms of [90_000, 95_000, 400_000]) await recordDuration(tx, 'compliance-1-pdf', ms);
    });
    const { json } = await create(service);
    expect(json).toMatchObject({
      estimated_duration: '1m35s',
      estimated_completion: at(95_000),
    });
    for (const other of [{ type: 'risk' }, { format_options: { formats: ['csv'] } }]) {
      expect((await create(service, other)).json.estimated_duration).toBe('3s');
    }
  });
});

describe('the list', () => {
  test('filters by type, status, schedule and, however it is spelled, framework', async () => {
    await create(service, { name: 'a', framework: 'PCI' });
    await create(service, { name: 'b', framework: 'soc2', type: 'audit' });
    await create(service, { name: 'c', type: 'risk', delivery: { scheduled_at: at(3_600_000) } });
    await service.reportWork.idle();
    expect(await namesOf('?framework=pci-dss')).toEqual(['a']);
    expect(await namesOf('?framework=SOC2,hipaa')).toEqual(['b']);
    expect(await namesOf('?type=audit,risk&sort_by=name&order=asc')).toEqual(['b', 'c']);
    expect(await namesOf('?status=pending')).toEqual(['c']);
    expect(await namesOf('?status=completed&sort_by=name&order=desc')).toEqual(['b', 'a']);
    expect(await namesOf('?schedule_id=sch_1')).toEqual([]);
  });

  test('refuses a type or a status that is none, and names the nearest', async () => {
    for (const [query, nearest] of [
      ['?type=audits', 'audit'],
      ['?status=complete', 'completed'],
    ] as const) {
      const got = await service.send('GET', `/v1/reports${query}`);
      expect(got.status).toBe(400);
      expect(got.text).toContain(`did you mean ${nearest}?`);
    }
  });
});

describe('a report that is not there', () => {
  test('is a 404 that says why that may be', async () => {
    for (const method of ['GET', 'DELETE']) {
      const got = await service.send(method, '/v1/reports/rpt_none');
      expect(got.status).toBe(404);
      expect(got.json).toMatchObject({
        error: 'report_not_found',
        error_code: 'RPT_002',
        report_id: 'rpt_none',
        possible_causes: [expect.any(String), expect.any(String)],
        timestamp: at(0),
      });
    }
  });
});

test.each(['__proto__', 'constructor', '..%2F..%2Fetc', 'x'.repeat(2_000)])(
  'the id %s is of no report',
  async (id) => {
    const got = await service.send('GET', `/v1/reports/${id}`);
    expect(got.status).toBe(404);
    expect(String(got.json.report_id).length).toBeLessThan(101);
  },
);

describe('deleting', () => {
  test('takes the files along', async () => {
    const options = { formats: ['pdf', 'csv'] };
    const id = idOf(await create(service, { format_options: options }));
    await service.reportWork.idle();
    expect(await blobIds(service)).toHaveLength(4);
    expect((await service.send('DELETE', `/v1/reports/${id}`)).status).toBe(204);
    expect((await service.send('GET', `/v1/reports/${id}`)).status).toBe(404);
    expect(await blobIds(service)).toEqual([]);
  });

  test('is refused where it was changed meanwhile', async () => {
    const id = idOf(await create(service));
    const { headers } = await service.send('GET', `/v1/reports/${id}`);
    await service.reportWork.idle();
    const stale = { 'if-match': headers.get('etag') ?? '' };
    const got = await service.send('DELETE', `/v1/reports/${id}`, { headers: stale });
    expect(got.status).toBe(412);
  });
});
