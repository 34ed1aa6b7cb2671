import { afterEach, beforeEach, expect, it } from 'vitest';
import type { TestService } from '../server/test-service.ts';
import { fieldsOf, policy, startTestService } from '../server/test-service.ts';

let service: TestService;
beforeEach(async () => void (service = await startTestService()));
afterEach(() => service.close());

const rule = (message: string) => ({ condition: 'true', effect: 'DENY', message });

it('a policy whose messages would fill the store with each violation is refused', async () => {
  const rules = Array.from({ length: 17 }, () => rule('x'.repeat(4_096)));
  const got = await service.send('POST', '/v1/policies', { body: policy('p', { rules }) });
  expect([got.status, got.json.error_code, fieldsOf(got)]).toEqual([400, 'POL_001', ['rules']]);
});

it('an answer that would be longer than may be is refused, with the way out', async () => {
  const rules = Array.from({ length: 16 }, () => rule('x'.repeat(4_096)));
  const resources = Array.from({ length: 1_000 }, (_, at) => ({
    id: `r${at}`,
    type: 'AWS::S3::Bucket',
  }));
  const policies = Array.from({ length: 3 }, (_, at) => policy(`p${at}`, { rules }));
  const got = await service.send('POST', '/v1/policies/validate', {
    body: { resources, policies },
  });
  expect(got.json).toMatchObject({
    error: 'malformed_request',
    error_description: expect.stringContaining('64 MiB') as unknown,
  });
});

it('a long answer comes in pieces, and is whole', async () => {
  const rules = [rule('é'.repeat(4_000))];
  const resources = Array.from({ length: 1_000 }, (_, at) => ({
    id: `r${at}`,
    type: 'AWS::S3::Bucket',
  }));
  const got = await service.send('POST', '/v1/policies/validate', {
    body: { resources, policies: [policy('p', { rules })] },
  });
  expect(got.headers.get('content-type')).toBe('application/json');
  expect(got.headers.get('content-length')).toBe(String(Buffer.byteLength(got.text)));
  expect(got.json.summary).toEqual({ evaluated: 1_000, pass: 0, fail: 1_000, error: 0, exempt: 0 });
  const results = got.json.results as { resource: string; rules: { message: string }[] }[];
  expect(results.map(({ resource }) => resource)).toEqual(resources.map(({ id }) => id));
  expect(results.at(-1)?.rules[0]?.message).toHaveLength(4_000);
});

it('a policy of ALLOW rules says the beginning of long conditions only', async () => {
  const condition = Array.from({ length: 2_000 }, (_, at) => `resource.n == ${at}`).join(' || ');
  const got = await service.send('POST', '/v1/policies/validate', {
    body: {
      resources: [{ id: 'r', type: 'AWS::S3::Bucket', n: -1 }],
      policies: [policy('p', { rules: [{ condition, effect: 'ALLOW' }] })],
    },
  });
  const [finding] = got.json.results as { rules: { message: string }[] }[];
  expect(finding?.rules[0]?.message).toMatch(/^no ALLOW rule matched: resource\.n == 0 .*…$/);
  expect(finding?.rules[0]?.message.length).toBeLessThan(5_000);
});
