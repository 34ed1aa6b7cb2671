import { afterEach, beforeEach, expect, it } from 'vitest';
import { createMinimalService } from '../../support/minimal-service.ts';
import { runCommandLine } from '../../support/fake-world.ts';
import type { TestService } from '../../server/test-service.ts';
import { policy, startTestService } from '../../server/test-service.ts';

let service: TestService;
beforeEach(async () => {
  service = await startTestService();
  const send = async (method: string, path: string, body: object) => {
    const got = await service.send(method, path, { body });
    expect(got.status, got.text).toBeLessThan(300);
  };
  const labels = (...compliance_frameworks: string[]) => ({ compliance_frameworks });
  await send('POST', '/v1/policies', policy('private', labels('SOC2:CC6.1', 'SOC2:CC6.6')));
  await send('POST', '/v1/policies', policy('never', { ...labels('SOC2:CC6.1'), rules: [{ condition: 'resource.public == 1', effect: 'DENY' }] })); // prettier-ignore
  await send('PUT', '/v1/resources/a', { id: 'a', type: 'AWS::S3::Bucket', public: true });
  await send('PUT', '/v1/resources/b', { id: 'b', type: 'AWS::S3::Bucket', public: false });
});
afterEach(() => service.close());

const run = (...argv: string[]) => runIn({}, ...argv);
const runIn = (settings: { tty?: boolean; columns?: number }, ...argv: string[]) =>
  runCommandLine(['framework', ...argv], {
    ...settings,
    env: { GOVCTL_BASE_URL: 'http://service.test', GOVCTL_TOKEN: service.key },
    fetch: async (url, init) => service.app.fetch(new Request(url, init), {}),
  });

it('lists how the frameworks stand', async () => {
  const { stdout } = await run('list');
  expect(stdout).toMatchInlineSnapshot(`
    "FRAMEWORK    VERSION                        STATUS         SCORE  PASSED  CONTROLS  POLICIES
    hipaa        45 CFR 164 subpart C           not_evaluated      -  0 of 0        83         0
    iso27001     2022, Annex A                  not_evaluated      -  0 of 0        93         0
    nist-800-53  rev5, moderate baseline        not_evaluated      -  0 of 0       287         0
    pci          4.0.1                          not_evaluated      -  0 of 0       278         0
    soc2         2017, points of focus of 2022  NON_COMPLIANT     75  0 of 2        61         2
    "
  `);
  for (const argv of [['list'], ['show', 'soc2', '--all'], ['show', 'soc2', 'CC6.1']]) {
    const narrow = await runIn({ tty: true, columns: 80 }, ...argv, '--no-color');
    for (const line of narrow.stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  }
});

it('shows the controls with policies, and where to go on', async () => {
  const { stdout } = await run('show', 'soc2');
  expect(stdout).toMatchInlineSnapshot(`
    "SOC2 (2017, points of focus of 2022)  NON_COMPLIANT, score 75
      0 of 2 controls with data passed, of 61 controls
      4 evaluations by 2 policies

    CONTROL  STATUS  POLICIES  OPEN  TITLE
    CC6.1    FAILED         2     1  Restrict logical access to systems and data
    CC6.6    FAILED         1     1  Protect system boundaries from external threats

    59 more without a policy (to list all, run \`govctl framework show soc2 --all\`)

    For details, run \`govctl framework show soc2 CC6.1\`.
    "
  `);
  const all = await run('show', 'soc2', '--all');
  expect(all.stdout).toContain('\nP8.1 ');
  expect((await run('show', 'hipaa')).stdout).toMatchInlineSnapshot(`
    "HIPAA (45 CFR 164 subpart C)  not_evaluated
      83 controls; no mapped policy has been evaluated

    83 more without a policy (to list all, run \`govctl framework show hipaa --all\`)
    "
  `);
});

it('shows the policies of a control, and leads to their violations', async () => {
  const { stdout } = await run('show', 'SOC-2', 'cc6.1');
  expect(stdout).toMatchInlineSnapshot(`
    "SOC2:CC6.1
      title     Restrict logical access to systems and data
      status    FAILED
      score     75
      policies  2

    POLICY   SEVERITY  PASS  FAIL  ERROR  EXEMPT  OPEN
    private  MEDIUM       1     1      0       0     1
    never    MEDIUM       2     0      0       0     0

    To list violations, run \`govctl violation list --policy private\`.
    "
  `);
});

it('names the control of a framework of one’s own as labels do, and its policy as a shell takes it', async () => {
  const own = { name: 'Our rules', controls: [{ id: 'C1', title: 'Closed' }, { id: 'C2', title: 'Kept' }] }; // prettier-ignore
  await service.send('PUT', '/v1/compliance/frameworks/ours', { body: own });
  const named = async (name: string, label: string) => {
    const body = policy(name, { compliance_frameworks: [label] });
    return (await service.send('POST', '/v1/policies', { body })).json.id as string;
  };
  await named("it's closed", 'OURS:C1');
  const listed = await named('closed, kept', 'OURS:C2');
  await service.send('PUT', '/v1/resources/c', { body: { id: 'c', type: 'AWS::S3::Bucket', public: true } }); // prettier-ignore
  const { stdout } = await run('show', 'ours', 'C1');
  expect(stdout).toMatch(/^ours:C1\n/);
  expect(stdout).toContain(
    "To list violations, run `govctl violation list --policy 'it'\\''s closed'`.\n",
  );
  // The flag takes a comma for a list.
  expect((await run('show', 'ours', 'C2')).stdout).toContain(
    `To list violations, run \`govctl violation list --policy ${listed}\`.\n`,
  );
});

it('gives the answer of the service in JSON', async () => {
  const { stdout } = await run('show', 'soc2', '--status', 'FAILED', '-o', 'json');
  expect(JSON.parse(stdout)).toMatchObject({
    id: 'soc2',
    controls: [{ id: 'CC6.1', policies: [{ name: 'private', open: 1 }, {}] }, { id: 'CC6.6' }],
  });
});

it.each([
  ['sock2', undefined, 'There is no framework "sock2"', 'Did you mean soc2?'],
  ['soc2', 'CC6.10', 'SOC2 (2017, points of focus of 2022) has no control', 'Did you mean CC6.1?'],
])('names what is nearest to %s %s, and ends with 1', async (id, control, ...texts) => {
  const { exitCode, stderr } = await run('show', id, ...(control === undefined ? [] : [control]));
  expect(exitCode).toBe(1);
  for (const text of texts) expect(stderr).toContain(text);
});

it('says that another server has no such thing', async () => {
  const minimal = createMinimalService();
  const { exitCode, stderr } = await runCommandLine(['framework', 'show', 'soc2'], {
    env: { GOVCTL_BASE_URL: 'http://service.test', GOVCTL_TOKEN: 'token' },
    fetch: minimal.fetch,
  });
  expect(exitCode).toBe(1);
  expect(stderr).toContain('does not support frameworks');
});
