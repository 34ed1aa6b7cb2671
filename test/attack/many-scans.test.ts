import { expect, it } from 'vitest';
import { inventoryOf } from '../server/inventory-service.ts';
import { startTestService } from '../server/test-service.ts';

it('a caller has at most 20 scans that wait, so that they keep nobody from having policies evaluated; others may scan', async () => {
  const service = await startTestService();
  try {
    const inventory = inventoryOf(service);
    const key = await service.keyWith('compliance:write');
    const scan = (by = key) => service.send('POST', '/v1/scans', { body: {}, key: by });
    for (let at = 0; at < 20; at++) expect((await scan()).status).toBe(201);
    const refused = await scan();
    expect([refused.status, refused.json.error]).toEqual([503, 'unavailable']);
    expect(refused.headers.get('retry-after')).toBe('30');
    expect((await scan(service.key)).status).toBe(201);
    await service.evaluator.run();
    expect((await scan()).status).toBe(201);
    expect((await inventory.ok('GET', '/v1/scans')).json.pagination).toMatchObject({ total: 22 });
  } finally {
    await service.close();
  }
});
