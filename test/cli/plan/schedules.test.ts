import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { jsonSchemaOf } from '../../../src/project/write/json-schemas.ts';
import type { TestService } from '../../server/test-service.ts';
import { startTestService } from '../../server/test-service.ts';
import { createMinimalReports } from '../../support/minimal-reports.ts';
import type { Outcome } from '../../support/fake-world.ts';
import { createRepo, policyYaml } from './repo.ts';

let service: TestService;
const secrets = { SIGNING: { value: 'a-signing-secret', hosts: ['127.0.0.1:9'], buckets: [] } };
beforeEach(async () => void (service = await startTestService({ config: { secrets } })));
afterEach(() => service.close());

const fetch = (url: string, init: RequestInit): Promise<Response> =>
  service.app.fetch(new Request(url, init), {}) as Promise<Response>;

const weekly = (fields = '', cron = '0 9 * * 1'): string => `kind: Schedule
name: Weekly
schedule: {cron: "${cron}", timezone: Europe/Berlin}
report_template:
  name: SOC 2
  type: compliance
  framework: soc2
  scope: {date_range_type: last_week}
delivery:
  email: {recipients: [a@example.com]}
  webhook: {url: "http://127.0.0.1:9/in", secret_env: SIGNING}
${fields}`;

function withSchedule() {
  const repo = createRepo('project: acme\npaths: [policies]\n');
  repo.write('policies/weekly.yaml', weekly());
  const run = (...argv: string[]): Promise<Outcome> =>
    repo.govctl(argv, { fetch, env: { GOVCTL_TOKEN: service.key, NO_COLOR: '1' } });
  return { repo, run };
}
const live = async (): Promise<readonly Record<string, unknown>[]> =>
  (await service.send('GET', '/v1/reports/schedules')).json.schedules as never;

describe('schedules in git', () => {
  it('are created, seen as unchanged, changed field by field, and pruned', async () => {
    const { repo, run } = withSchedule();
    const planned = await run('plan');
    expect(planned.stdout).toContain('+ create schedule weekly');
    expect(planned.stdout).toContain(
      '0 9 * * 1 Europe/Berlin · compliance soc2 · to email a@example.com',
    );
    const applied = await run('apply', '-y');
    expect(applied, applied.stdout + applied.stderr).toMatchObject({ exitCode: 0 });
    expect(await live()).toMatchObject([
      { name: 'Weekly', enabled: true, tags: expect.arrayContaining(['govctl.owner:acme']) },
    ]);
    expect((await run('plan')).stdout).toContain('No changes');
    expect((await run('drift')).exitCode).toBe(0);
    repo.write('policies/weekly.yaml', weekly('enabled: false\n', '0 8 * * 1'));
    const changed = await run('plan', '-o', 'json');
    expect(JSON.parse(changed.stdout)).toMatchObject({
      summary: { update: 1 },
      changes: [
        {
          kind: 'Schedule',
          key: 'weekly',
          fields: [
            { path: 'schedule.cron', before: '0 9 * * 1', after: '0 8 * * 1' },
            { path: 'enabled', before: true, after: false },
          ],
        },
      ],
    });
    await run('apply', '-y');
    expect((await live())[0]).toMatchObject({ enabled: false, schedule: { cron: '0 8 * * 1' } });
    repo.write('policies/weekly.yaml', policyYaml('left'));
    expect((await run('plan')).stdout).toContain('? schedule weekly');
    expect(await run('apply', '-y', '--prune')).toMatchObject({ exitCode: 0 });
    expect(await live()).toEqual([]);
  });

  it('show what was edited by hand, and undo it', async () => {
    const { run } = withSchedule();
    await run('apply', '-y');
    const edited = await run('schedule', 'update', 'weekly', '--email', 'b@example.com');
    expect(edited.stderr).toContain('is managed in git by project "acme"');
    const drift = await run('drift');
    expect(drift.exitCode).toBe(2);
    expect(drift.stdout).toContain('delivery.email.recipients');
    await run('apply', '-y');
    expect((await live())[0]).toMatchObject({
      delivery: { email: { recipients: ['a@example.com'] } },
    });
    expect((await run('drift')).exitCode).toBe(0);
  });

  it('are taken over by name, and leave a secret that is not theirs in place', async () => {
    const { repo, run } = withSchedule();
    repo.write('policies/weekly.yaml', weekly().replace(', secret_env: SIGNING', ''));
    const body = {
      name: 'Weekly',
      schedule: { cron: '0 9 * * 1', timezone: 'Europe/Berlin' },
      report_template: {
        name: 'Other',
        type: 'compliance',
        format_options: { security: { password: 'a long password' } },
      },
      delivery: { webhook: { url: 'http://127.0.0.1:9/in', secret: 'a long secret' } },
    };
    expect((await service.send('POST', '/v1/reports/schedules', { body })).status).toBe(201);
    expect((await run('plan')).exitCode).toBe(5);
    expect(await run('adopt', '--all-matching', '-y')).toMatchObject({ exitCode: 0 });
    const applied = await run('apply', '-y');
    expect(applied, applied.stdout + applied.stderr).toMatchObject({ exitCode: 0 });
    expect((await live())[0]).toMatchObject({
      report_template: { name: 'SOC 2', format_options: { security: { protected: true } } },
      delivery: { webhook: { secret_hint: 'cret' } },
    });
    expect((await run('plan')).stdout).toContain('No changes');
  });

  it('are applied from a saved plan, which holds no secret', async () => {
    const { run } = withSchedule();
    await run('plan', '--out', 'plan.json');
    expect(await run('apply', 'plan.json', '-y')).toMatchObject({ exitCode: 0 });
    expect(await live()).toHaveLength(1);
  });

  it('are skipped on a server that does not list them, said in one line', async () => {
    const { repo } = withSchedule();
    const plain = createMinimalReports();
    const elsewhere = (...argv: string[]): Promise<Outcome> =>
      repo.govctl(argv, {
        fetch: (url, init) =>
          new URL(url).pathname.startsWith('/v1/reports')
            ? plain.fetch(url, init)
            : repo.service.fetch(url, init),
      });
    repo.write('policies/a.yaml', policyYaml('a'));
    for (const command of ['plan', 'apply']) {
      const { exitCode, stdout, stderr } = await elsewhere(command, ...(command === 'apply' ? ['-y'] : [])); // prettier-ignore
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining('a')]);
      expect(stderr).toContain(
        'This server does not list schedules; skipped 1 Schedule document, which requires a govctl server.',
      );
    }
    repo.write('policies/weekly.yaml', policyYaml('b'));
    expect(await elsewhere('apply', '-y')).toMatchObject({ exitCode: 0, stderr: '' });
  });
});

describe('govctl validate', () => {
  it.each([
    ['schedule: {cron: "0 9 * *"}', 'must be a cron expression of five fields', '3:18'],
    ['schedule: {cron: "0 0 31 2 *"}', 'schedule.cron', '3:18'],
    ['schedule: {cron: "* * * * *", timezone: Berln}', 'schedule.timezone', '3:41'],
  ])('finds what is wrong with %s', async (line, message, place) => {
    const { repo, run } = withSchedule();
    repo.write(
      'policies/weekly.yaml',
      weekly().replace('schedule: {cron: "0 9 * * 1", timezone: Europe/Berlin}', line),
    );
    const outcome = await run('validate');
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stdout).toContain(message);
    expect(outcome.stdout).toContain(`weekly.yaml:${place}`);
  });

  it('counts schedules, refuses secrets, and finds two of one name', async () => {
    const { repo, run } = withSchedule();
    expect((await run('validate')).stdout).toContain('1 schedule in 1 file is valid');
    repo.write('policies/second.yaml', weekly().replace('secret_env: SIGNING', 'secret: abcdefgh'));
    const refused = await run('validate');
    expect(refused.stdout).toContain('must not be stored in git');
    expect(refused.stdout).toContain('another schedule is named "Weekly"');
    expect(refused.stdout).not.toContain('abcdefgh');
  });

  it('has a schema for editors', () => {
    expect(JSON.stringify(jsonSchemaOf('Schedule'))).toContain('secret_env');
  });
});
