import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TestService } from '../test-service.ts';
import { create, idOf, read, startReports } from './report-world.ts';

let service: TestService;
beforeEach(async () => {
  service = await startReports();
});
afterEach(() => service.close());

const now = Date.parse('2026-03-01T12:00:00.000Z');
const at = (ms: number): string => new Date(now + ms).toISOString();

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
    expect(await read(service, id)).toMatchObject({
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
    const { json } = await service.send('GET', '/v1/reports');
    expect(json).toMatchObject({
      reports: [
        {
          id,
          name: 'First quarter',
          type: 'compliance',
          framework: 'soc2',
          status: 'completed',
          generated_at: at(0),
          size: { pages: 3, file_size_mb: 0.001 },
          summary: { compliance_score: 87.5, total_violations: 6, critical_findings: 1 },
        },
      ],
      pagination: { total: 1, limit: 20, offset: 0, has_more: false },
    });
  });
});
