import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { inventoryOf } from '../../server/inventory-service.ts';
import type { TestService } from '../../server/test-service.ts';
import { startTestService } from '../../server/test-service.ts';
import { runCommandLine } from '../../support/fake-world.ts';

const hour = 3_600_000;

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
  onTestFinished(() => service.close());
});
const run = (...argv: string[]) =>
  runCommandLine(['predict', ...argv], {
    fetch: async (address, init) => service.app.fetch(new Request(address, init), {}),
    now: () => service.deps.clock.now(),
    env: { GOVCTL_BASE_URL: 'https://service.test', GOVCTL_TOKEN: service.key },
  });

it.each([
  [22, '(in less than a day)'],
  [30, '(in 1 day)'],
  [50, '(in 2 days)'],
])('explains what fails in %i hours', async (hours, text) => {
  const inventory = inventoryOf(service);
  await inventory.createPolicy('renewed', {
    rules: [{ condition: 'timestamp(resource.ends) < now', effect: 'DENY' }],
  });
  await service.evaluator.run();
  const ends = new Date(service.deps.clock.now() + hours * hour).toISOString();
  await inventory.put('certificate', { ends });
  const { stdout } = await run('list', '-o', 'json');
  const { predictive_alerts: found } = JSON.parse(stdout) as {
    predictive_alerts: { id: string }[];
  };
  expect((await run('explain', found[0]?.id ?? '')).stdout).toContain(text);
});

it.each(['400', '0', 'x'])('names the flag that is wrong: --days %s', async (days) => {
  const { stderr, exitCode } = await run('list', '--days', days);
  expect(stderr).toContain(`--days ${days}: must be a number of days`);
  expect(stderr).toContain('Use a whole number from 1 to 365.');
  expect(exitCode).toBe(3);
});
