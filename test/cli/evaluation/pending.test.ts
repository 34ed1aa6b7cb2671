import { afterEach, beforeEach, expect, it } from 'vitest';
import { inventoryOf } from '../../server/inventory-service.ts';
import type { TestService } from '../../server/test-service.ts';
import { startTestService } from '../../server/test-service.ts';
import { runCommandLine } from '../../support/fake-world.ts';
import { makeRepo } from '../../support/temp-repo.ts';

let service: TestService;
let inventory: ReturnType<typeof inventoryOf>;
beforeEach(async () => {
  service = await startTestService();
  inventory = inventoryOf(service);
});
afterEach(() => service.close());

const isPublic = { rules: [{ condition: 'resource.public == true', effect: 'DENY' }] };
const warning = 'warning: evaluation is not complete: 2 evaluations of 1 policy are pending\n';

/** @param beforeRequest whatever else happens then */
const run = (argv: readonly string[], beforeRequest?: (path: string) => Promise<void>) =>
  runCommandLine(argv, {
    cwd: makeRepo({ 'export.ndjson': '{"id":"new","type":"AWS::S3::Bucket","public":true}\n' }),
    env: { GOVCTL_BASE_URL: 'https://service.test', GOVCTL_TOKEN: service.key, NO_COLOR: '1' },
    fetch: async (address, init) => {
      await beforeRequest?.(new URL(address).pathname);
      return service.app.fetch(new Request(address, init), {});
    },
    now: () => service.deps.clock.now(),
  });

/** Two resources on which a policy is still to be evaluated. */
async function begin(): Promise<void> {
  for (const id of ['a', 'b']) await inventory.put(id, { public: true });
  await inventory.createPolicy('p', isPublic);
}

it.each([
  'overview',
  'violation list',
  'violation summary',
  'evaluation list',
  'framework list',
  'framework show soc2',
])('%s warns while evaluations are pending, and says so in JSON', async (command) => {
  const argv = command.split(' ');
  await begin();
  const seen = await run(argv);
  expect([seen.exitCode, seen.stderr.endsWith(warning)]).toEqual([0, true]);
  const { stdout } = await run([...argv, '-o', 'json']);
  expect(stdout.replace(/\s/g, '')).toContain('"pending":{"policies":1,"evaluations":2}');
  await service.evaluator.run();
  const after = await run(argv);
  expect(after.stderr).not.toContain('warning');
});

it('the overview says neither that no policy applies nor that all is well while evaluations are pending', async () => {
  await begin();
  expect((await run(['overview'])).stdout).toContain(
    '0 evaluations, 2 pending · https://service.test\n\n  Score  not known yet\n  Evaluations are pending.\n',
  );
  await service.evaluator.run();
  await inventory.createPolicy('passes', { rules: [{ condition: 'resource.public', effect: 'ALLOW' }] }); // prettier-ignore
  expect((await run(['overview'])).stdout).toContain('  0 of 100  so far: evaluations are pending');
  await service.evaluator.run();
  expect((await run(['overview'])).stdout).toContain('  not compliant: under 90');
});

it('an import says what its service has left to evaluate, and with --wait waits for it', async () => {
  await begin();
  const imported = ['resource', 'import', 'export.ndjson'];
  const { exitCode, stderr } = await run(imported);
  expect([exitCode, stderr]).toEqual([0, warning.replace('2 eval', '3 eval')]);
  const waited = await run([...imported, '--wait'], async (path) => {
    if (path === '/v1/evaluations') await service.evaluator.run();
  });
  expect([waited.exitCode, waited.stdout, waited.stderr]).toEqual([
    0,
    'Imported 0 created, 0 updated and 1 unchanged\n',
    '',
  ]);
  expect(await inventory.violations()).toHaveLength(3);
});

it('an import ends with 8 where evaluations are still pending at the timeout', async () => {
  await begin();
  const { exitCode, stdout, stderr } = await run([
    'resource',
    'import',
    'export.ndjson',
    '--wait',
    '--timeout',
    '1',
    '-o',
    'json',
  ]);
  expect([exitCode, stderr]).toEqual([8, warning.replace('2 eval', '3 eval')]);
  expect(JSON.parse(stdout)).toMatchObject({
    created: 1,
    pending: { policies: 1, evaluations: 3 },
  });
});
