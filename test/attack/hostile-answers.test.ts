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
  ['predict list', `{"predictive_alerts":${ones}}`],
])('`%s` refuses an answer of five million wrong items', async (words, body) => {
  const { exitCode, stderr } = await runCommandLine(words.split(' '), {
    env: { GOVCTL_BASE_URL: 'https://s.test', GOVCTL_TOKEN: 'any', NO_COLOR: '1' },
    fetch: () => Promise.resolve(new Response(body)),
  });
  expect(stderr).toMatch(/was answered with 200|no policy/);
  expect(exitCode).toBe(1);
});
