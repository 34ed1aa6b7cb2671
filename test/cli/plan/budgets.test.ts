import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { jsonSchemaOf } from '../../../src/project/write/json-schemas.ts';
import { startBudgets } from '../../server/budgets/budget-world.ts';
import type { BudgetWorld } from '../../server/budgets/budget-world.ts';
import type { Outcome } from '../../support/fake-world.ts';
import { createRepo, policyYaml } from './repo.ts';

let world: BudgetWorld;
beforeEach(async () => void (world = await startBudgets()));
afterEach(() => world.close());

const fetch = (url: string, init: RequestInit): Promise<Response> =>
  world.app.fetch(new Request(url, init), {}) as Promise<Response>;

const budget = (amount = '10000', fields = ''): string =>
  `kind: Budget\nkey: platform\nname: Platform\namount: ${amount}\ncurrency: USD\nperiod: month\n${fields}`;

const filter = 'filter:\n  provider:\n    - aws\n  tags:\n    team:\n      - platform\n';

function withBudget(token = world.key) {
  const repo = createRepo();
  repo.write('policies/a.yaml', policyYaml('a'));
  repo.write('policies/budget.yaml', budget('10000', filter));
  const run = (...argv: string[]): Promise<Outcome> =>
    repo.govctl(argv, { fetch, env: { GOVCTL_TOKEN: token, NO_COLOR: '1' } });
  return { repo, run };
}
type Rows = readonly (Record<string, unknown> & { readonly id: string })[];
const live = async (): Promise<Rows> =>
  (await world.send('GET', '/v1/budgets')).json.budgets as never;

describe('budgets in git', () => {
  it('are created, seen as unchanged, changed field by field, and pruned', async () => {
    const { repo, run } = withBudget();
    const planned = await run('plan');
    expect(planned.stdout).toContain('+ create budget platform  policies/budget.yaml:1');
    expect(planned.stdout).toContain(
      '10000 USD per month · provider aws · tag team platform\n      80%, 100%, forecast 100%',
    );
    const applied = await run('apply', '-y');
    expect(applied, applied.stdout + applied.stderr).toMatchObject({ exitCode: 0 });
    expect(await live()).toMatchObject([
      { name: 'Platform', tags: expect.arrayContaining(['govctl.owner:acme']) as unknown },
    ]);
    expect((await run('plan')).stdout).toContain('No changes: 2 documents match their files');
    expect((await run('drift')).exitCode).toBe(0);
    const thresholds = 'thresholds: [{percent: 90}]\n';
    repo.write('policies/budget.yaml', budget('"12000.50"', `${filter}${thresholds}`));
    expect(JSON.parse((await run('plan', '-o', 'json')).stdout)).toMatchObject({
      summary: { update: 1 },
      changes: [
        {
          kind: 'Budget',
          key: 'platform',
          fields: [
            { path: 'amount', before: '10000', after: '12000.5' },
            { path: 'thresholds', before: null, after: [{ percent: 90, on: 'actual' }] },
          ],
        },
      ],
    });
    expect(await run('apply', '-y')).toMatchObject({ exitCode: 0 });
    expect((await live())[0]).toMatchObject({ amount: '12000.5', thresholds: [{ percent: 90 }] });
    repo.write('policies/budget.yaml', budget());
    expect((await run('plan')).stdout).toContain('filter');
    await run('apply', '-y');
    expect((await live())[0]).not.toHaveProperty('filter');
    expect((await live())[0]?.thresholds).toHaveLength(3);
    repo.remove('policies/budget.yaml');
    expect((await run('plan')).stdout).toContain('? budget platform');
    expect(await run('apply', '-y', '--prune')).toMatchObject({ exitCode: 0 });
    expect(await live()).toEqual([]);
  });

  it('say what a new amount means for the current period', async () => {
    const { repo, run } = withBudget();
    repo.write('policies/budget.yaml', budget('10000'));
    await run('apply', '-y');
    await world.spend({ day: '2026-03-01', billed: '8100.55' });
    repo.write('policies/budget.yaml', budget('9000'));
    expect((await run('plan')).stdout).toContain(
      'Budget platform: 90% of the new amount is spent in 2026-03.',
    );
  });

  it('change names with each other', async () => {
    const { repo, run } = withBudget();
    const named = (key: string, name: string) =>
      repo.write(
        `policies/${key}.yaml`,
        budget().replace('platform', key).replace('Platform', name),
      );
    repo.remove('policies/budget.yaml');
    named('one', 'One');
    named('two', 'Two');
    await run('apply', '-y');
    named('one', 'Two');
    named('two', 'One');
    const applied = await run('apply', '-y');
    expect(applied, applied.stdout + applied.stderr).toMatchObject({ exitCode: 0 });
    expect((await run('plan')).stdout).toContain('No changes');
  });

  it('show what was edited by hand, and undo it', async () => {
    const { run } = withBudget();
    await run('apply', '-y');
    const [{ id }] = (await live()) as unknown as [{ id: string }];
    await world.change(id, { amount: 20_000, filter: { provider: ['aws', 'azure'] } });
    const drift = await run('drift');
    expect(drift.exitCode).toBe(2);
    expect(drift.stdout).toContain('amount: 10000 → 20000');
    expect(drift.stdout).toContain('filter.tags');
    expect((await run('plan')).stdout).toContain('! update budget platform');
    expect(await run('apply', '-y')).toMatchObject({ exitCode: 0 });
    expect((await run('drift')).exitCode).toBe(0);
  });

  it("are refused where one of the name is nobody's, until it is adopted", async () => {
    const { run } = withBudget();
    await world.budget({ name: 'Platform' });
    const refused = await run('plan');
    expect(refused.exitCode).toBe(5);
    expect(refused.stdout).toContain('a live budget with this name');
    expect(await run('adopt', 'Platform', '-y')).toMatchObject({ exitCode: 0 });
    expect((await run('plan')).stdout).toContain('~ update budget platform');
    expect(await run('apply', '-y')).toMatchObject({ exitCode: 0 });
  });

  it('are written as files by import, without what is the default', async () => {
    const { repo, run } = withBudget();
    await run('apply', '-y');
    await run('import', '--out', 'out');
    const text = readFileSync(path.join(repo.folder, 'out/budgets/platform.yaml'), 'utf8');
    expect(text).toBe(budget('"10000"', filter));
  });

  it('are left out, in one line, where a server has none', async () => {
    const { repo } = withBudget();
    const elsewhere = await repo.govctl(['apply', '-y']);
    expect(elsewhere, elsewhere.stderr).toMatchObject({ exitCode: 0 });
    expect(elsewhere.stderr).toContain(
      'This server does not support budgets; skipped 1 Budget document, which requires a govctl server.',
    );
  });

  it('are not looked at with a key that may not see them, unless the files have some', async () => {
    const { repo, run } = withBudget(await world.keyWith('governance:read', 'compliance:write'));
    const refused = await run('plan');
    expect(refused.exitCode).toBe(4);
    expect(refused.stderr).toContain('This requires the scope cost:read');
    expect(refused.stderr).toContain('It is for the budget in policies/budget.yaml:1');
    repo.remove('policies/budget.yaml');
    for (const command of [['plan'], ['apply', '-y'], ['drift'], ['import', '--out', 'out']]) {
      const outcome = await run(...command);
      expect([command, outcome.exitCode, outcome.stderr]).toEqual([
        command,
        expect.any(Number),
        '',
      ]);
    }
  });

  it('need cost:admin to be applied', async () => {
    const scopes = ['governance:read', 'compliance:write', 'cost:read'];
    const { run } = withBudget(await world.keyWith(...scopes));
    const outcome = await run('apply', '-y');
    expect(outcome.stdout + outcome.stderr).toContain('This requires the scope cost:admin');
    expect(await live()).toEqual([]);
  });
});

describe('govctl validate', () => {
  it.each([
    ['amount: 10000', 'amount: 0', 'must be more than 0', '4:9'],
    ['currency: USD', 'currency: dollars', 'must be a currency code such as USD', '5:11'],
    ['period: month', 'period: week', '"week"', '6:9'],
    ['provider:', 'provder:', 'Did you mean provider?', '8:3'],
    ['amount: 10000\n', '', 'the required field "amount" is missing', '1:1'],
  ])('finds what is wrong with %j as %j', async (from, to, message, place) => {
    const { repo, run } = withBudget();
    repo.write('policies/budget.yaml', budget('10000', filter).replace(from, to));
    const outcome = await run('validate');
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stdout).toContain(message);
    expect(outcome.stdout).toContain(`budget.yaml:${place}`);
  });

  it('counts budgets, and finds two of one name', async () => {
    const { repo, run } = withBudget();
    expect((await run('validate')).stdout).toContain(
      '2 documents (1 policy, 1 budget) in 2 files are valid',
    );
    repo.write('policies/more.yaml', budget().replace('key: platform', 'key: other'));
    expect((await run('validate')).stdout).toContain('another budget is named "Platform"');
  });

  it('has a schema of budgets for editors', () => {
    expect(jsonSchemaOf('Budget')).toMatchObject({
      required: ['kind', 'name', 'amount', 'currency'],
    });
  });
});
