import { afterEach, beforeEach, expect, it } from 'vitest';
import { policy, startTestService } from '../server/test-service.ts';
import type { TestService } from '../server/test-service.ts';

let service: TestService;
beforeEach(async () => void (service = await startTestService()));
afterEach(() => service.close());

const type = 'AWS::S3::Bucket';
const open = async () => {
  const { json } = await service.send('GET', '/v1/violations?status=OPEN&limit=1');
  return (json.pagination as { total: number }).total;
};

it('resources that violate very many policies at once are stored, and the rest of their violations soon after', async () => {
  for (let n = 0; n < 15; n += 1) {
    const rules = [{ condition: `resource.name != "n${n}"`, effect: 'DENY' }];
    const body = policy(`p${n}`, { resource_type: type, rules });
    expect((await service.send('POST', '/v1/policies', { body })).status).toBe(201);
  }
  const resources = Array.from({ length: 200 }, (_, n) => ({ id: `r${n}`, type, name: 'other' }));
  const got = await service.send('POST', '/v1/resources', { body: { resources } });
  expect([got.status, got.json.created]).toEqual([200, 200]);
  // One transaction takes so many; no more are written while nobody is answered.
  expect(await open()).toBeGreaterThan(500);
  expect(await open()).toBeLessThanOrEqual(1_000);
  await service.evaluator.run();
  expect(await open()).toBe(3_000);
});
