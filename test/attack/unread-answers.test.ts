import { afterEach, beforeEach, expect, it } from 'vitest';
import { policy, startTestService } from '../server/test-service.ts';
import type { TestService } from '../server/test-service.ts';

let service: TestService;
beforeEach(async () => void (service = await startTestService()));
afterEach(() => service.close());

const rules = [{ condition: 'true', effect: 'DENY', message: 'x'.repeat(4_000) }];
const resources = Array.from({ length: 500 }, (_, at) => ({
  id: `r${at}`,
  type: 'AWS::S3::Bucket',
}));
const body = JSON.stringify({ resources, policies: [policy('p', { rules })] });

/** Asks for 2 MiB of results, and reads none of them. */
const ask = async (key: string): Promise<Response> =>
  service.app.fetch(
    new Request('http://service.test/v1/policies/validate', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body,
    }),
    {},
  );

it('long results that a caller does not read are two at a time, and others get theirs', async () => {
  const [key, other] = [await service.keyWith('governance:read'), service.key];
  const [first, second] = [await ask(key), await ask(key)];
  let isAnswered = false;
  const third = ask(key).finally(() => (isAnswered = true));
  // Evaluated later than the third.
  const [theirs, more] = [await ask(other), await ask(other)];
  expect([first, second, theirs, more].map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(isAnswered).toBe(false);
  await first.body?.cancel();
  const answered = await third;
  expect(answered.status).toBe(200);
  const { summary } = (await answered.json()) as { summary: { fail: number } };
  expect(summary.fail).toBe(500);
  for (const left of [second, theirs, more]) await left.body?.cancel();
  // All places are free again.
  const again = await Promise.all([ask(key), ask(key)]);
  for (const { status, body: results } of again) {
    expect(status).toBe(200);
    await results?.cancel();
  }
});
