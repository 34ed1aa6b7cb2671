import { expect, test } from 'vitest';
import { policy, startTestService } from '../server/test-service.ts';

test('a validation of many types by policies for all types takes a turn of the event loop for each type, so others are answered', async () => {
  const service = await startTestService();
  try {
    for (let i = 0; i < 20; i += 1) {
      const created = await service.send('POST', '/v1/policies', {
        body: policy(`p${i}`, { resource_type: '*' }),
      });
      expect(created.status).toBe(201);
    }
    const types = 300;
    const resources = Array.from({ length: types }, (_, i) => ({
      id: `r${i}`,
      type: `A::B::${i}`,
    }));
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const got = await service.send('POST', '/v1/policies/validate', {
      body: { mode: 'failures', resources },
    });
    isDone = true;
    expect(got.status).toBe(200);
    expect(got.json.summary).toMatchObject({ evaluated: 20 * types });
    // Reading the policies of a type is one, and finding those it concerns another.
    expect(turns).toBeGreaterThanOrEqual(2 * types);
  } finally {
    await service.close();
  }
});
