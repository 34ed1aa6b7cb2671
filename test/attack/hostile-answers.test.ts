// Answers of a hostile server that are wrong in millions of places: the first one is enough.
import { expect, it } from 'vitest';
import { runCommandLine } from '../support/fake-world.ts';

const ones = `[${'1,'.repeat(4_999_999)}1]`;

it.each([
  ['policy list', `{"policies":${ones}}`],
  ['policy list', ones],
  ['policy get 7', `{"id":"7","name":"p","rules":${ones}}`],
  ['report list', `{"reports":${ones}}`],
  ['event list', `{"events":${ones}}`],
  ['webhook deliveries 7', `{"deliveries":${ones}}`],
  ['evidence list soc2', `{"evidence":${ones},"pagination":{}}`],
  ['evidence list --bundles', `{"bundles":${ones},"pagination":{}}`],
  ['evidence export soc2', `{"bundles":${ones},"pagination":{}}`],
  ['predict list', `{"predictive_alerts":${ones}}`],
])('`%s` refuses an answer of five million wrong items', async (words, body) => {
  const { exitCode, stderr } = await runCommandLine(words.split(' '), {
    env: { GOVCTL_BASE_URL: 'https://s.test', GOVCTL_TOKEN: 'any', NO_COLOR: '1' },
    fetch: () => Promise.resolve(new Response(body)),
  });
  expect(stderr).toMatch(/returned 200|no policy/);
  expect(exitCode).toBe(1);
});

it('an error with 100,000 details of a megabyte is shown in part', async () => {
  const details = Array.from({ length: 100_000 }, (_, nth) => ({
    field: `f${nth}`,
    message: nth === 0 ? 'y'.repeat(1_000_000) : 'wrong',
  }));
  const body = { error: 'invalid_policy', message: 'm'.repeat(1_000_000), details };
  const { exitCode, stderr } = await runCommandLine(['policy', 'list'], {
    env: { GOVCTL_BASE_URL: 'https://s.test', GOVCTL_TOKEN: 'any', NO_COLOR: '1' },
    fetch: () => Promise.resolve(new Response(JSON.stringify(body), { status: 400 })),
  });
  expect(exitCode).toBe(3);
  expect(stderr).toContain('f99');
  expect(stderr.length).toBeLessThan(20_000);
});
