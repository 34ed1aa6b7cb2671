import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestService } from '../server/test-service.ts';
import type { TestService } from '../server/test-service.ts';

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
});
afterEach(() => service.close());

const tagged = (id: string, count: number) => ({
  id,
  type: 'Custom::Thing',
  tags: Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 'v'])),
});

const importOf = (all: readonly object[]) =>
  service.send('POST', '/v1/resources/import', {
    text: all.map((one) => JSON.stringify(one)).join('\n'),
    headers: { 'content-type': 'application/x-ndjson' },
  });

describe('very many tags', () => {
  it('of one resource are refused, wherever it comes from', async () => {
    const put = await service.send('PUT', '/v1/resources/r', { body: tagged('r', 1_001) });
    expect(put.status).toBe(400);
    expect(JSON.stringify(put.json)).toContain('has more than 1,000 tags');
    const upsert = await service.send('POST', '/v1/resources', {
      body: { resources: [tagged('r', 1_000), tagged('s', 1_001)] },
    });
    expect(upsert.status).toBe(400);
    expect(JSON.stringify(upsert.json)).toContain('resources[1]');
    const imported = await importOf([tagged('r', 1_001), tagged('s', 1_000)]);
    expect(imported.json).toMatchObject({
      created: 1,
      rejected_lines: [
        { line: 1, reason: expect.stringContaining('has more than 1,000 tags') as string },
      ],
    });
  });

  it('of a request that stores all or nothing are refused; an import stores them in batches', async () => {
    const all = Array.from({ length: 21 }, (_, at) => tagged(`r${at}`, 1_000));
    const upsert = await service.send('POST', '/v1/resources', { body: { resources: all } });
    expect(upsert.status).toBe(400);
    expect(JSON.stringify(upsert.json)).toContain('have more than 20,000 tags in total');
    expect((await importOf(all)).json).toMatchObject({ created: 21, rejected: 0 });
  });
});
