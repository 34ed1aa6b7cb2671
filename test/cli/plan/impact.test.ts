import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { putFocus } from '../../server/cost/put-focus.ts';
import type { TestService } from '../../server/test-service.ts';
import { startTestService } from '../../server/test-service.ts';
import { createRepo } from './repo.ts';
import type { TestRepo } from './repo.ts';

let service: TestService;
let repo: TestRepo;
beforeEach(async () => {
  service = await startTestService();
  repo = createRepo();
});
afterEach(() => service.close());

const govctl = (...argv: string[]) =>
  repo.govctl(argv, {
    fetch: async (url, init) => service.app.fetch(new Request(url, init), {}),
    env: { GOVCTL_TOKEN: service.key },
  });
const yaml = (name: string, condition: string): string =>
  `name: ${name}\nresource_type: AWS::S3::Bucket\nrules:\n  - condition: ${condition}\n    effect: DENY\n    message: Fix it\n`;
const buckets = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    id: `b-${String(at).padStart(3, '0')}`,
    type: 'AWS::S3::Bucket',
    days: at,
  }));

/** 250 buckets, of which a policy denies those under 10 days; the files want it for those over 200, and a new one. */
async function prepare(): Promise<void> {
  repo.write('policies/days.yaml', yaml('days', 'resource.days < 10'));
  await govctl('apply', '--auto-approve');
  await service.send('POST', '/v1/resources', { body: { resources: buckets(250) } });
  repo.write('policies/days.yaml', yaml('days', 'resource.days > 200'));
  repo.write('policies/new.yaml', yaml('new', 'resource.other == 1'));
}

describe('govctl plan --impact', () => {
  it('says which resources of the inventory would newly fail, pass or be undecided, and changes nothing', async () => {
    await prepare();
    const before = await service.send('GET', '/v1/audit-log');
    const outcome = await govctl('plan', '--impact', '-o', 'json');
    expect(outcome.exitCode).toBe(0);
    const { impact } = JSON.parse(outcome.stdout) as { impact: object };
    expect(impact).toMatchObject({
      summary: { resources: 250, newly_failing: 49, newly_passing: 10, newly_undecided: 250 },
      changes: [
        {
          key: 'days',
          action: 'update',
          newly_failing: { total: 49 },
          newly_passing: { total: 10, resources: expect.arrayContaining([]) as unknown },
          newly_undecided: { total: 0, resources: [] },
        },
        { key: 'new', action: 'create', newly_undecided: { total: 250 } },
      ],
    });
    const human = await govctl('plan', '--impact');
    expect(human.stdout).toContain(
      '✗ days: 49 newly failing: b-201, b-202, b-203, b-204, b-205, 44 more',
    );
    expect(human.stdout).toContain('✓ days: 10 no longer failing: b-000');
    expect((await service.send('GET', '/v1/audit-log')).text).toBe(before.text);
  });

  it('says what the newly failing resources cost, each counted once, to who may see it', async () => {
    await prepare();
    repo.write('policies/same.yaml', yaml('same', 'resource.days > 200'));
    await putFocus(
      service,
      `ProviderName,BillingAccountId,ServiceName,BillingCurrency,BilledCost,ChargePeriodStart,BillingPeriodStart,ResourceId
AWS,1,S3,USD,1000.5,2026-02-20,2026-02-01,b-201
AWS,1,S3,USD,234,2026-02-20,2026-02-01,b-202
AWS,1,S3,USD,99,2026-02-20,2026-02-01,b-001
`,
    );
    const line =
      '  Monthly cost of newly failing resources: 1,234.50 USD, 47 of 49 without cost data\n';
    expect((await govctl('plan', '--impact')).stdout).toContain(line);
    const { impact } = JSON.parse((await govctl('plan', '--impact', '-o', 'json')).stdout) as {
      impact: object;
    };
    expect(impact).toMatchObject({
      newly_failing_cost: {
        resources: 49,
        without_cost: 47,
        monthly_costs: [{ currency: 'USD', monthly_cost: '1234.5' }],
      },
    });
    const key = await service.keyWith('governance:read');
    const plain = await repo.govctl(['plan', '--impact'], {
      fetch: async (url, init) => service.app.fetch(new Request(url, init), {}),
      env: { GOVCTL_TOKEN: key },
    });
    expect(plain.stdout).toContain('49 newly fail');
    expect(plain.stdout).not.toContain('cost');
  });

  it('says nothing of cost where no charges are known', async () => {
    await prepare();
    expect((await govctl('plan', '--impact')).stdout).not.toContain('ost of');
  });

  it('leaves out what an exemption of the plan spares', async () => {
    repo.write('policies/days.yaml', yaml('few days', 'resource.days < 3'));
    await service.send('POST', '/v1/resources', { body: { resources: buckets(4) } });
    const exempt = (policy: string, id: string, expires: string): string =>
      `kind: Exemption\npolicy: ${policy}\nresources: [${id}]\nreason: r\nowner: o\nexpires: ${expires}\n`;
    const texts = [exempt('few-days', 'b-000', '2099-12-31'), exempt('few days', 'b-00*', '2020-01-01')]; // prettier-ignore
    repo.write('policies/exempt.yaml', texts.join('---\n'));
    expect((await govctl('plan', '--impact')).stdout).toContain('2 newly failing: b-001, b-002\n');
    repo.write('resources.json', JSON.stringify({ resources: buckets(4) }));
    const fromFile = await govctl('plan', '--impact-from', 'resources.json');
    expect(fromFile.stdout).toContain('2 newly failing: b-001, b-002\n');
  });

  describe('of exemptions', () => {
    const file = (policy: string, resources: string, expires = '2099-12-31'): string =>
      `kind: Exemption\nkey: e\npolicy: ${policy}\nresources: [${resources}]\nreason: r\nowner: o\nexpires: ${expires}\n`;
    const both = async (...flags: string[]): Promise<string[]> => {
      repo.write('resources.json', JSON.stringify({ resources: buckets(4) }));
      const outcomes = [
        await govctl('plan', ...flags, '--impact'),
        await govctl('plan', ...flags, '--impact-from', 'resources.json'),
      ];
      return outcomes.map(
        ({ stdout }) => stdout.slice(stdout.indexOf('Impact on')).split('\n\n')[0]!,
      );
    };
    /** Four buckets that all fail the live policy `few days`, and an exemption of it. */
    async function prepareExempt(exemption?: string): Promise<void> {
      repo.write('policies/days.yaml', yaml('few days', 'resource.days < 10'));
      if (exemption !== undefined) repo.write('policies/exempt.yaml', exemption);
      await govctl('apply', '--auto-approve');
      await service.send('POST', '/v1/resources', { body: { resources: buckets(4) } });
    }
    const twice = (line: string) => [1, 2].map(() => expect.stringContaining(`\n  ${line}`));

    it('says which resources no longer fail with a new one, whatever it names the policy by', async () => {
      await prepareExempt();
      const { policies } = (await service.send('GET', '/v1/policies')).json as {
        policies: { id: string }[];
      };
      for (const name of ['few-days', 'few days', policies[0]!.id]) {
        repo.write('policies/exempt.yaml', file(name, "'b-00*'"));
        expect(await both()).toEqual(
          twice('✓ few-days: 4 no longer failing: b-000, b-001, b-002, b-003'),
        );
      }
    });

    it('says which resources fail again without one, with other resources, and after its last day', async () => {
      await prepareExempt(file('few-days', 'b-000, b-001'));
      repo.write('policies/exempt.yaml', file('few-days', 'b-001, b-002'));
      for (const text of await both()) {
        expect(text).toContain('✗ few-days: 1 newly failing: b-000\n');
        expect(text).toContain('✓ few-days: 1 no longer failing: b-002');
      }
      repo.write('policies/exempt.yaml', file('few-days', 'b-000, b-001', '2020-01-01'));
      expect(await both()).toEqual(twice('✗ few-days: 2 newly failing: b-000, b-001'));
      repo.remove('policies/exempt.yaml');
      expect((await both()).join()).toBe(
        'Impact on no resources: no changes.,Impact on 4 resources: no changes.',
      );
      expect(await both('--prune')).toEqual(twice('✗ few-days: 2 newly failing: b-000, b-001'));
    });

    it('counts those of a policy that changes, too, and says so in JSON and markdown', async () => {
      await prepareExempt(file('few-days', "'*'"));
      repo.write('policies/days.yaml', `${yaml('few days', 'resource.days < 10')}severity: LOW\n`);
      repo.write('policies/other.yaml', yaml('other', 'resource.days > 10'));
      expect(await both()).toEqual(Array(2).fill('Impact on 4 resources: no changes.'));
      repo.remove('policies/exempt.yaml');
      const expected = '✗ few-days: 4 newly failing: b-000, b-001, b-002, b-003';
      expect(await both('--prune')).toEqual(twice(expected));
      const markdown = await govctl('plan', '--prune', '--impact', '-o', 'markdown');
      expect(markdown.stdout).toContain('few-days: 4 newly failing');
    });

    it('names the policy, without an action, if only exemptions of it change', async () => {
      await prepareExempt(file('few-days', "'*'"));
      repo.remove('policies/exempt.yaml');
      const { stdout } = await govctl('plan', '--prune', '--impact', '-o', 'json');
      const { impact } = JSON.parse(stdout) as { impact: { changes: object[] } };
      expect(impact).toMatchObject({
        summary: { resources: 4, newly_failing: 4, newly_passing: 0, newly_undecided: 0 },
        changes: [{ key: 'few-days', newly_failing: { total: 4 } }],
      });
      expect(impact.changes[0]).not.toHaveProperty('action');
    });

    it('has no change where another exemption covers the resources', async () => {
      await prepareExempt(file('few-days', "'*'"));
      await service.send('POST', '/v1/exemptions', {
        body: { policy: 'few days', resources: ['b-00*'], reason: 'r', owner: 'o', expires: '2099-01-01' }, // prettier-ignore
      });
      repo.remove('policies/exempt.yaml');
      expect(await both('--prune')).toEqual(Array(2).fill('Impact on 4 resources: no changes.'));
    });

    it('asks about no policy of another project with the same key', async () => {
      await prepareExempt();
      const other = { ...{ name: 'theirs', resource_type: 'AWS::S3::Bucket' }, rules: [{ condition: 'true', effect: 'DENY' }], tags: ['govctl.owner:other', 'govctl.key:few-days@0123456789ab'] }; // prettier-ignore
      await service.send('POST', '/v1/policies', { body: other });
      repo.write('policies/exempt.yaml', file('few-days', 'b-000'));
      const { stdout } = await govctl('plan', '--impact', '-o', 'json');
      expect(JSON.parse(stdout)).toMatchObject({ impact: { summary: { newly_passing: 1 } } });
    });
  });

  it('sees every attribute of a resource, whatever its name, and resources as large as they may be', async () => {
    repo.write('policies/p.yaml', yaml('p', 'resource.tags.exists(key, key == "__proto__")'));
    const filler = 'x'.repeat(1_000_000);
    for (const id of ['a', 'b', 'c', 'd']) {
      const text = `{"id":"${id}","type":"AWS::S3::Bucket","tags":{"__proto__":"x"},"filler":"${filler}"}`;
      await service.send('PUT', `/v1/resources/${id}`, { text });
    }
    const outcome = await govctl('plan', '--impact');
    expect(outcome.stdout).toContain('✗ p: 4 newly failing: a, b, c, d\n');
  });

  it('counts the resources that a pattern of types matches, each once', async () => {
    const resources = [
      { id: 'a', type: 'AWS::S3::Bucket', days: 1 },
      { id: 'b', type: 'AWS::EC2::Instance', days: 1 },
      { id: 'c', type: 'GCP::Storage::Bucket', days: 1 },
    ];
    await service.send('POST', '/v1/resources', { body: { resources } });
    repo.write('policies/days.yaml', yaml('days', 'resource.days < 10').replace('S3::Bucket', '*'));
    repo.write('policies/same.yaml', yaml('same', 'resource.days > 10'));
    const { stdout } = await govctl('plan', '--impact');
    expect(stdout).toContain('Impact on 2 resources');
    expect(stdout).toContain('✗ days: 2 newly failing: a, b\n');
  });

  it('evaluates over a file instead, without an inventory', async () => {
    repo.write('policies/days.yaml', yaml('days', 'resource.days > 200'));
    repo.write('buckets.json', JSON.stringify(buckets(205)));
    const outcome = await repo.govctl(['plan', '--impact-from', 'buckets.json']);
    expect(outcome.exitCode).toBe(0);
    expect(outcome.stdout).toContain('Impact on 205 resources:');
    expect(outcome.stdout).toContain('✗ days: 4 newly failing: b-201, b-202, b-203, b-204\n');
    repo.write('broken.json', '{"a": ');
    const broken = await repo.govctl(['plan', '--impact-from', 'broken.json']);
    expect([broken.exitCode, broken.stderr]).toEqual([3, expect.stringContaining('broken.json:1')]);
  });

  it('takes an attribute of the wrong type in a file for unknown, as a check does', async () => {
    repo.write('policies/open.yaml', yaml('open', 'resource.versioning.enabled == false'));
    const one = { id: 'a', type: 'AWS::S3::Bucket', versioning: { enabled: 'false' } };
    repo.write('buckets.json', JSON.stringify([one]));
    const { stdout } = await repo.govctl(['plan', '--impact-from', 'buckets.json', '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({ impact: { summary: { newly_undecided: 1 } } });
  });

  it('says what of the file it does not cover, and ends with 3 where that could not be read', async () => {
    repo.write('policies/days.yaml', yaml('days', 'resource.days > 200'));
    const template = `Transform: Mine
Conditions: { Never: !Equals [a, b] }
Resources:
  One: { Type: AWS::S3::Bucket }
  Out: { Type: AWS::S3::Bucket, Condition: Never }
`;
    repo.write('t.yaml', template);
    const outcome = await repo.govctl(['plan', '--impact-from', 't.yaml', '-o', 'json']);
    expect(outcome.exitCode).toBe(0);
    expect(JSON.parse(outcome.stdout)).toMatchObject({
      impact: {
        summary: { resources: 1 },
        left_out: [{ resource: 'Out', condition: 'Never', file: 't.yaml', line: 5 }],
        warnings: [{ file: 't.yaml', line: 1 }],
      },
    });
    expect(outcome.stderr).toContain('t.yaml:1:1: the template uses the macro Mine');
    expect(outcome.stderr).toContain(
      '1 resource excluded because its condition is false: Out (Never).',
    );
    repo.write('u.yaml', template.replace(/ {2}Out: .*\n/, '  Out: { Kind: none }\n'));
    const broken = await repo.govctl(['plan', '--impact-from', 'u.yaml', '-o', 'json']);
    expect(broken.exitCode).toBe(3);
    expect(JSON.parse(broken.stdout)).toMatchObject({
      impact: { summary: { resources: 1 }, unreadable: [{ file: 'u.yaml', line: 5 }] },
    });
    expect(broken.stderr).toContain('The impact is incomplete');
  });

  it('names the way out where the server has no inventory', async () => {
    repo.write('policies/days.yaml', yaml('days', 'resource.days > 200'));
    const outcome = await repo.govctl(['plan', '--impact']);
    expect(outcome.exitCode).toBe(1);
    expect(outcome.stderr).toContain('--impact-from FILE');
  });

  it('asks nothing more of a service without --impact', async () => {
    await prepare();
    const asked = service.events.length;
    const outcome = await govctl('plan', '-o', 'json');
    expect(JSON.parse(outcome.stdout)).not.toHaveProperty('impact');
    expect(service.events.slice(asked).map(({ route }) => route)).toEqual([
      '/v1/policies',
      '/v1/reports/schedules',
      '/v1/exemptions',
      '/v1/compliance/framework-definitions',
      '/v1/webhooks',
      '/v1/budgets',
    ]);
  });
});
