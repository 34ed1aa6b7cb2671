import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inventoryOf } from '../../server/inventory-service.ts';
import type { TestService } from '../../server/test-service.ts';
import { startTestService } from '../../server/test-service.ts';
import { runCommandLine } from '../../support/fake-world.ts';

const day = 86_400_000;

let service: TestService;
let inventory: ReturnType<typeof inventoryOf>;
/** Paths that were asked for. */
let asked: string[];
beforeEach(async () => {
  asked = [];
  service = await startTestService();
  inventory = inventoryOf(service);
  const labelled = { compliance_frameworks: ['SOC2:CC6.1', 'PCI-DSS:1.2.1'] };
  await inventory.createPolicy('private', { severity: 'HIGH', ...labelled });
  await inventory.createPolicy('renewed', {
    severity: 'LOW',
    compliance_frameworks: ['SOC2:CC7.1'],
    rules: [{ condition: 'timestamp(resource.ends) < now', effect: 'DENY' }],
  });
  await service.evaluator.run();
  const inDays = (days: number) => new Date(service.deps.clock.now() + days * day).toISOString();
  const put = (at: number, isPublic: boolean, account_id: string) =>
    inventory.put(`bucket-${at}`, { public: isPublic, ends: inDays(at + 10), account_id });
  for (let at = 0; at < 8; at += 1) await put(at, false, '111122223333');
  await service.maintain();
  service.advance(day);
  await put(7, true, '111122223333');
  await put(8, true, '444455556666');
  await service.maintain();
});
afterEach(() => service.close());

const run = (argv: readonly string[] = [], settings: { columns?: number; missing?: RegExp } = {}) =>
  runCommandLine(['overview', ...argv], {
    env: { GOVCTL_BASE_URL: 'https://service.test', GOVCTL_TOKEN: service.key },
    fetch: async (address, init) => {
      asked.push(new URL(address).pathname);
      if (settings.missing?.test(address)) return new Response('{}', { status: 404 });
      return service.app.fetch(new Request(address, init), {});
    },
    now: () => service.deps.clock.now(),
    columns: settings.columns ?? 80,
  });

describe('the overview screen', () => {
  it('shows score and trend, violations, what is about to fail, accounts and frameworks in 80 columns', async () => {
    const { stdout, exitCode } = await run();
    expect(exitCode).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "Governance · 2026-03-02 12:00 UTC · 18 evaluations · https://service.test

        80.56 of 100  not compliant: under 90
        ████████████████████████████████░░░░░░░░
        █▁  -19.44 since 2026-03-01

        Open violations                 About to fail
        CRITICAL  0                     in 9d   LOW  bucket-0  renewed
        HIGH      2  ████████████       in 10d  LOW  bucket-1  renewed
        MEDIUM    0                     in 11d  LOW  bucket-2  renewed
        LOW       0                     in 12d  LOW  bucket-3  renewed
                                        Use \`govctl predict list\` to list all.

        Accounts      score  open       Frameworks  score  failed / with data / all
        111122223333  89.06     1       PCI-DSS     77.78  1 / 1 / 278
        444455556666  12.5      1       SOC2        80.56  1 / 2 / 61

        Last 30 days: 0% of fixes made by remediation, 1 of 8 capabilities used.
      To list these violations, run \`govctl violation list --severity HIGH\`.
      "
    `);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    expect(stdout).not.toContain('\u001b');
  });

  it('has its blocks one after the other in a narrow terminal', async () => {
    const { stdout } = await run([], { columns: 50 });
    expect(stdout).toMatch(/LOW .*\n\n {2}About to fail\n {2}in 9d/);
    for (const line of stdout.split('\n').slice(1)) expect(line.length).toBeLessThanOrEqual(75);
  });

  it('says how many evaluations ended in an error, as they count as not met', async () => {
    expect((await run()).stdout).not.toContain('ended in an error');
    await inventory.put('undecided', { account_id: '444455556666' });
    const { stdout } = await run();
    expect(stdout).toContain(
      '  2 evaluations ended in an error and count as not met: govctl evaluation list\n',
    );
  });

  it('names types that no policy, or only one for a whole provider, is about, as the score says little about them', async () => {
    expect((await run()).stdout).not.toContain('no policy for the type');
    await inventory.createPolicy('no secrets', { resource_type: 'AWS::*' });
    for (const id of ['one', 'two'])
      await inventory.put(id, { type: 'AWS::EC2::NetworkInterface' });
    await service.evaluator.run();
    const { stdout } = await run();
    expect(stdout).toContain('\n  2 resources have no policy for the type or its service:\n    AWS::EC2::NetworkInterface (2)\n'); // prettier-ignore
  });

  it('of a part has its accounts, and no trend or frameworks, which are of everything', async () => {
    const { stdout } = await run(['--account', '444455556666']);
    expect(stdout).toContain('444455556666  12.5      1');
    expect(stdout).not.toContain('111122223333');
    expect(stdout).not.toMatch(/since|Frameworks/);
  });

  it('of a part without resources tells to look at what there is, not to import', async () => {
    const { stdout } = await run(['--environment', 'prd']);
    expect(stdout).toContain('Nothing was evaluated: no policy applies to the selected');
    expect(stdout).toContain('run `govctl resource list`');
  });

  it('leaves out what the server lacks', async () => {
    const { stdout, exitCode } = await run([], { missing: /score-history|frameworks|summary/ });
    expect(exitCode).toBe(0);
    expect(stdout).toContain('of 100');
    expect(stdout).not.toMatch(/since|Frameworks|Accounts/);
  });

  it('in JSON is the answer of the API, and asks for nothing else', async () => {
    const { stdout } = await run(['-o', 'json']);
    const { json } = await service.send('GET', '/v1/governance/overview');
    expect(JSON.parse(stdout)).toEqual({ format_version: 1, ...json });
    expect(asked).toEqual(['/v1/governance/overview']);
  });
});
