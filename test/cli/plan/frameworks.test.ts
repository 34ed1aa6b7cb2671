import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { jsonSchemaOf } from '../../../src/project/write/json-schemas.ts';
import type { TestService } from '../../server/test-service.ts';
import { startTestService } from '../../server/test-service.ts';
import type { Outcome } from '../../support/fake-world.ts';
import { createRepo, policyYaml } from './repo.ts';

let service: TestService;
beforeEach(async () => void (service = await startTestService()));
afterEach(() => service.close());

const fetch = (url: string, init: RequestInit): Promise<Response> =>
  service.app.fetch(new Request(url, init), {}) as Promise<Response>;

const framework = (fields = '', title = 'Everything has an owner'): string =>
  `kind: Framework\nid: finops\nname: Cloud spending\ncontrols:\n  - id: C1\n    title: Spend is allocated\n  - id: C1.1\n    title: ${title}\n    parent: C1\n${fields}`;

function withFramework(config?: string) {
  const repo = createRepo(config);
  repo.write('policies/a.yaml', policyYaml('a', 'compliance_frameworks: ["FINOPS:C1.1"]\n'));
  repo.write('policies/finops.yaml', framework());
  const run = (...argv: string[]): Promise<Outcome> =>
    repo.govctl(argv, { fetch, env: { GOVCTL_TOKEN: service.key, NO_COLOR: '1' } });
  return { repo, run };
}
type Rows = readonly (Record<string, unknown> & { readonly id: string })[];
const live = async (): Promise<Rows> =>
  (await service.send('GET', '/v1/compliance/framework-definitions')).json.frameworks as never;

describe('frameworks in git', () => {
  it('are created, seen as unchanged, changed control by control, and pruned', async () => {
    const { repo, run } = withFramework();
    const planned = await run('plan');
    expect(planned.stdout).toContain('+ create framework finops  policies/finops.yaml:1');
    expect(planned.stdout).toContain('2 controls');
    const applied = await run('apply', '-y');
    expect(applied, applied.stdout + applied.stderr).toMatchObject({ exitCode: 0 });
    expect(await live()).toMatchObject([
      { id: 'finops', tags: expect.arrayContaining(['govctl.owner:acme']) as unknown },
    ]);
    expect((await run('plan')).stdout).toContain('No changes: 2 documents match their files');
    expect((await run('drift')).exitCode).toBe(0);
    repo.write(
      'policies/finops.yaml',
      framework('  - id: C2\n    title: Rates\nversion: "2"\n', 'Every resource has an owner'),
    );
    expect(JSON.parse((await run('plan', '-o', 'json')).stdout)).toMatchObject({
      summary: { update: 1 },
      changes: [
        {
          kind: 'Framework',
          key: 'finops',
          fields: [
            { path: 'version', before: null, after: '2' },
            {
              path: 'controls.C1.1.title',
              before: 'Everything has an owner',
              after: 'Every resource has an owner',
            },
            { path: 'controls.C2', before: null, after: { id: 'C2', title: 'Rates' } },
          ],
        },
      ],
    });
    expect(await run('apply', '-y')).toMatchObject({ exitCode: 0 });
    repo.write('policies/finops.yaml', framework());
    await run('apply', '-y');
    expect((await live())[0]).not.toHaveProperty('version');
    expect((await live())[0]?.controls).toHaveLength(2);
    expect((await run('framework', 'show', 'FINOPS')).stdout).toContain('Everything has an owner');
    repo.remove('policies/finops.yaml');
    expect((await run('plan')).stdout).toContain('? framework finops');
    expect(await run('apply', '-y', '--prune')).toMatchObject({ exitCode: 0 });
    expect(await live()).toEqual([]);
  });

  it('show what was edited by hand, and undo it', async () => {
    const { run } = withFramework();
    await run('apply', '-y');
    const [{ tags }] = (await live()) as unknown as [{ tags: string[] }];
    const body = { name: 'By hand', tags, controls: [{ id: 'C1', title: 'Spend is allocated' }] };
    await service.send('PUT', '/v1/compliance/frameworks/finops', { body });
    const drift = await run('drift');
    expect(drift.exitCode).toBe(2);
    expect(drift.stdout).toContain('name: Cloud spending → By hand');
    expect(drift.stdout).toContain('controls.C1.1');
    expect((await run('plan')).stdout).toContain('! update framework finops');
    expect(await run('apply', '-y')).toMatchObject({ exitCode: 0 });
    expect((await run('drift')).exitCode).toBe(0);
  });

  it('lay texts over a built-in framework, by any of its names, and take them off again', async () => {
    const { repo, run } = withFramework();
    const texts = `kind: Framework\nid: pci-dss\nname: Our copy\ncontrols:\n  - id: 8.3.1\n    title: Our own words\n`;
    repo.write('policies/finops.yaml', texts);
    const planned = await run('plan');
    expect(planned.stdout).toContain('+ create framework pci');
    expect(planned.stdout).toContain('1 control · titles for PCI-DSS, a built-in framework');
    expect(await run('apply', '-y')).toMatchObject({ exitCode: 0 });
    expect((await run('plan')).stdout).toContain('No changes');
    expect((await run('framework', 'show', 'pci', '8.3.1')).stdout).toContain('Our own words');
    repo.remove('policies/finops.yaml');
    await run('apply', '-y', '--prune');
    expect((await run('framework', 'show', 'pci', '8.3.1')).stdout).not.toContain('Our own words');
  });

  it("are refused where one of the ID is nobody's, until it is adopted", async () => {
    const { run } = withFramework();
    const body = { name: 'By hand', controls: [{ id: 'C1', title: 'Spend' }] };
    await service.send('PUT', '/v1/compliance/frameworks/finops', { body });
    const refused = await run('plan');
    expect(refused.exitCode).toBe(5);
    expect(refused.stdout).toContain('a live framework with this id (finops)');
    expect(await run('adopt', 'finops', '-y')).toMatchObject({ exitCode: 0 });
    expect((await run('plan')).stdout).toContain('~ update framework finops');
    expect(await run('apply', '-y')).toMatchObject({ exitCode: 0 });
  });

  it('are written as files by import', async () => {
    const { repo, run } = withFramework();
    await run('apply', '-y');
    await run('import', '--out', 'out');
    const text = readFileSync(path.join(repo.folder, 'out/frameworks/finops.yaml'), 'utf8');
    expect(text).toBe(framework());
  });

  it('are left out, in one line, where a server has none', async () => {
    const { repo } = withFramework();
    const elsewhere = await repo.govctl(['apply', '-y']);
    expect(elsewhere, elsewhere.stderr).toMatchObject({ exitCode: 0 });
    expect(elsewhere.stderr).toContain(
      'This server does not support frameworks; skipped 1 Framework document, which requires a govctl server.',
    );
  });
});

describe('govctl validate', () => {
  it.each([
    ['id: fin ops', 'lowercase letters', '2:5'],
    ['id: soc2', 'controls[0].id must be a control of SOC2, but is "C1"', '5:9'],
  ])('finds what is wrong with %s', async (line, message, place) => {
    const { repo, run } = withFramework();
    repo.write('policies/finops.yaml', framework().replace('id: finops', line));
    const outcome = await run('validate');
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stdout).toContain(message);
    expect(outcome.stdout).toContain(`finops.yaml:${place}`);
  });

  it.each([
    ['an unknown parent', 'parent: C1', 'parent: C9', 'must be the ID of another control'],
    ['a circle', 'parent: C1', 'parent: c1.1', 'C1.1 → C1.1'],
    ['an id twice', 'id: C1.1', 'id: c1', 'must be unique, but controls[0] also has the ID "c1"'],
    ['an unknown field', 'parent: C1', 'parnt: C1', 'Did you mean parent?'],
    ['a missing title', '    title: Spend is allocated\n', '', 'title'],
  ])('finds %s among the controls', async (_, from, to, message) => {
    const { repo, run } = withFramework();
    repo.write('policies/finops.yaml', framework().replace(from, to));
    const outcome = await run('validate');
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stdout).toContain(message);
  });

  it('knows the controls of the files, warns of others, and finds two of one ID', async () => {
    const { repo, run } = withFramework();
    const known = await run('validate', '--strict');
    expect(known.stdout).toContain('2 documents (1 policy, 1 framework) in 2 files are valid');
    repo.write('policies/a.yaml', policyYaml('a', 'compliance_frameworks: ["FinOps:C1.2"]\n'));
    const warned = await run('validate');
    expect(warned).toMatchObject({ exitCode: 0 });
    expect(warned.stdout).toContain('finops has no control "C1.2"');
    expect(warned.stdout).toContain('Did you mean finops:C1');
    repo.write('policies/more.yaml', framework());
    expect((await run('validate')).stdout).toContain('another framework has the ID "finops"');
  });

  it('does not take a framework of the files for a misspelled one', async () => {
    const { repo, run } = withFramework();
    repo.write('policies/a.yaml', policyYaml('a', 'compliance_frameworks: [HIPPA]\n'));
    expect((await run('validate')).stdout).toContain('no built-in framework named "HIPPA"');
    repo.write('policies/finops.yaml', framework().replace('id: finops', 'id: hippa'));
    expect(await run('validate', '--strict')).toMatchObject({ exitCode: 0 });
  });

  it('counts their coverage, and has a schema for editors', async () => {
    const { run } = withFramework();
    expect((await run('framework', 'coverage')).stdout).toMatch(/finops\s+1\s+2\s+1 \(50%\)/);
    expect(JSON.stringify(jsonSchemaOf('Framework'))).toContain('parent');
  });
});
