import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import path from 'node:path';
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

const exemption = (fields = '', expires = '2099-12-31'): string =>
  `kind: Exemption\npolicy: a\nresources: [bucket-2, bucket-1]\nreason: Moves in March.\nowner: team-storage\nexpires: ${expires}\n${fields}`;

function withExemption() {
  const repo = createRepo('project: acme\npaths: [policies]\n');
  repo.write('policies/a.yaml', policyYaml('a'));
  repo.write('policies/exempt.yaml', exemption('key: legacy\n'));
  const run = (...argv: string[]): Promise<Outcome> =>
    repo.govctl(argv, { fetch, env: { GOVCTL_TOKEN: service.key, NO_COLOR: '1' } });
  return { repo, run };
}
type Rows = readonly (Record<string, unknown> & { readonly id: string })[];
const live = async (): Promise<Rows> =>
  (await service.send('GET', '/v1/exemptions')).json.exemptions as never;

describe('exemptions in git', () => {
  it('are created after their policy, seen as unchanged, changed field by field, and pruned', async () => {
    const { repo, run } = withExemption();
    const planned = await run('plan');
    expect(planned.stdout).toContain('+ create exemption legacy');
    expect(planned.stdout).toContain(
      'a: bucket-1, bucket-2 · until 2099-12-31 · owner team-storage',
    );
    const applied = await run('apply', '-y');
    expect(applied, applied.stdout + applied.stderr).toMatchObject({ exitCode: 0 });
    expect(await live()).toMatchObject([
      { policy: 'a', owner: 'team-storage', tags: expect.arrayContaining(['govctl.owner:acme']) },
    ]);
    expect((await run('plan')).stdout).toContain('No changes: 2 documents match their files');
    expect((await run('drift')).exitCode).toBe(0);
    repo.write(
      'policies/exempt.yaml',
      exemption('key: legacy\ncategory: mitigated\ntags: [q3]\n', '2099-06-30'),
    );
    expect(JSON.parse((await run('plan', '-o', 'json')).stdout)).toMatchObject({
      summary: { update: 1 },
      changes: [
        {
          kind: 'Exemption',
          key: 'legacy',
          fields: [
            { path: 'expires', before: '2099-12-31', after: '2099-06-30' },
            { path: 'category', before: null, after: 'mitigated' },
            { path: 'tags', before: null, after: ['q3'] },
          ],
        },
      ],
    });
    await run('apply', '-y');
    expect((await live())[0]).toMatchObject({ expires: '2099-06-30', category: 'mitigated' });
    repo.write('policies/exempt.yaml', exemption('key: legacy\n'));
    await run('apply', '-y');
    expect((await live())[0]).not.toHaveProperty('category');
    repo.remove('policies/exempt.yaml');
    expect((await run('plan')).stdout).toContain('? exemption legacy');
    expect(await run('apply', '-y', '--prune')).toMatchObject({ exitCode: 0 });
    expect(await live()).toEqual([]);
  });

  it('of two projects whose policies have one key stand beside each other', async () => {
    for (const project of ['acme', 'beta']) {
      const repo = createRepo(`project: ${project}\npaths: [policies]\n`);
      repo.write('policies/a.yaml', policyYaml(`${project} a`, 'key: shared\n'));
      repo.write('policies/exempt.yaml', exemption().replace('policy: a', 'policy: shared'));
      const run = (...argv: string[]): Promise<Outcome> =>
        repo.govctl(argv, { fetch, env: { GOVCTL_TOKEN: service.key, NO_COLOR: '1' } });
      const applied = await run('apply', '-y');
      expect(applied, applied.stdout + applied.stderr).toMatchObject({ exitCode: 0 });
      expect((await run('plan')).stdout).toContain('No changes: 2 documents match their files');
    }
    expect((await live()).map(({ project }) => project).sort()).toEqual(['acme', 'beta']);
  });

  it('go before the policy that they name, when both are pruned', async () => {
    const { repo, run } = withExemption();
    repo.write('policies/b.yaml', policyYaml('b'));
    await run('apply', '-y');
    repo.remove('policies/exempt.yaml');
    repo.remove('policies/a.yaml');
    const pruned = await run('apply', '-y', '--prune', '-o', 'json');
    expect(pruned, pruned.stdout + pruned.stderr).toMatchObject({ exitCode: 0 });
    expect(await live()).toEqual([]);
  });

  it('show what was edited by hand, undo it, and say so to the hand', async () => {
    const { run } = withExemption();
    await run('apply', '-y');
    const [{ id }] = (await live()) as [{ id: string }];
    const edited = await run('exemption', 'update', id, '--owner', 'nobody', '--tag', 'mine');
    expect(edited.stderr).toContain('is managed in git by project "acme"');
    const shown = await run('exemption', 'get', id);
    expect(shown.stdout).toContain('managed by project acme, key legacy');
    expect(shown.stdout).toContain('mine');
    expect(shown.stdout).not.toContain('govctl.owner');
    const drift = await run('drift');
    expect(drift.exitCode).toBe(2);
    expect(drift.stdout).toContain('owner: team-storage → nobody');
    expect((await run('plan')).stdout).toContain('! update exemption legacy');
    await run('apply', '-y');
    expect((await live())[0]).toMatchObject({ owner: 'team-storage' });
    expect((await run('drift')).exitCode).toBe(0);
    const deleted = await run('exemption', 'delete', id, '-y');
    expect(deleted.stderr).toContain('is managed in git by project "acme"');
    expect((await run('drift', '--fail-missing')).exitCode).toBe(2);
  });

  it('are not created once they are over, and stay as they are where they are live', async () => {
    const { repo, run } = withExemption();
    repo.write('policies/exempt.yaml', exemption('key: legacy\n', '2020-01-31'));
    const planned = await run('plan');
    expect(planned.stdout.replace(/\s+/g, ' ')).toContain(
      'Not applied: exemption legacy (policies/exempt.yaml:1), expired at the end of 2020-01-31.',
    );
    expect(planned.stdout).toContain('Plan: 1 to create');
    expect(await run('apply', '-y')).toMatchObject({ exitCode: 0 });
    expect(await live()).toEqual([]);
    expect((await run('drift', '--fail-missing')).exitCode).toBe(0);
    expect((await run('diff')).exitCode).toBe(0);
  });

  it('have a key of policy and resources where they give none, so other resources make another', async () => {
    const { repo, run } = withExemption();
    repo.write('policies/exempt.yaml', exemption());
    await run('apply', '-y');
    repo.write('policies/exempt.yaml', exemption().replace('bucket-2', 'bucket-3'));
    const planned = await run('plan', '--prune');
    expect(planned.stdout).toMatch(/\+ create exemption a-[0-9a-f]{8}/);
    expect(planned.stdout).toMatch(/- delete exemption a-[0-9a-f]{8}/);
    repo.write('policies/exempt.yaml', exemption('name: Old buckets\n'));
    expect((await run('plan')).stdout).toContain('~ update exemption old-buckets');
  });

  it('are taken over by policy and resources, and refused before that', async () => {
    const { repo, run } = withExemption();
    repo.remove('policies/exempt.yaml');
    await run('apply', '-y');
    const body = {
      policy: 'a',
      resources: ['bucket-1', 'bucket-2'],
      reason: 'By hand',
      owner: 'me',
      expires: '2099-12-31',
    };
    expect((await service.send('POST', '/v1/exemptions', { body })).status).toBe(201);
    repo.write('policies/exempt.yaml', exemption('key: legacy\n'));
    const refused = await run('plan');
    expect(refused.exitCode).toBe(5);
    expect(refused.stdout).toContain('a live exemption with this policy and resources');
    expect(refused.stdout).toContain('govctl adopt');
    expect(await run('adopt', 'legacy', '-y')).toMatchObject({ exitCode: 0 });
    expect((await run('plan')).stdout).toContain('reason: By hand → Moves in March.');
    expect(await run('apply', '-y')).toMatchObject({ exitCode: 0 });
    expect((await run('plan')).stdout).toContain('No changes');
  });

  it('are applied from a saved plan, which is refused once they changed', async () => {
    const { run } = withExemption();
    await run('plan', '--out', 'plan.json');
    expect(await run('apply', 'plan.json', '-y')).toMatchObject({ exitCode: 0 });
    expect(await live()).toHaveLength(1);
  });

  it('are written as files by import, with their key', async () => {
    const { repo, run } = withExemption();
    await run('apply', '-y');
    const imported = await run('import', '--out', 'out');
    expect(imported, imported.stderr).toMatchObject({ exitCode: 0 });
    const text = readFileSync(path.join(repo.folder, 'out/exemptions/legacy.yaml'), 'utf8');
    expect(text).toBe(
      'kind: Exemption\nkey: legacy\npolicy: a\nresources:\n  - bucket-1\n  - bucket-2\nreason: Moves in March.\nowner: team-storage\nexpires: 2099-12-31\n',
    );
    repo.write('policies/exempt.yaml', text);
    expect((await run('plan')).stdout).toContain('No changes');
  });

  it('fail alone where the server does not have their policy', async () => {
    const { repo, run } = withExemption();
    repo.write(
      'policies/exempt.yaml',
      exemption('key: legacy\n').replace('policy: a', 'policy: z'),
    );
    const applied = await run('apply', '-y');
    expect(applied.exitCode).toBe(7);
    expect(applied.stdout + applied.stderr).toContain('must be the ID, name or key in git');
  });
});

describe('govctl validate', () => {
  it.each([
    ['expires: 2026-02-31', 'must be a date such as 2026-12-31'],
    ['resources: []', 'resources'],
    ['tags: ["govctl.owner:x"]', 'must not begin with govctl.owner:'],
    ['exipres: 2026-12-31', 'Did you mean expires?'],
  ])('finds what is wrong with %s', async (line, message) => {
    const { repo, run } = withExemption();
    const [field = ''] = line.replace('exipres', 'expires').split(':');
    const rest = exemption()
      .split('\n')
      .filter((each) => !each.startsWith(`${field}:`));
    repo.write('policies/exempt.yaml', `${rest.join('\n')}${line}\n`);
    const outcome = await run('validate');
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stdout).toContain(message);
  });

  it('finds two of one policy and resources, whatever their order', async () => {
    const { repo, run } = withExemption();
    repo.write(
      'policies/second.yaml',
      exemption('key: other\n').replace('[bucket-2, bucket-1]', '[bucket-1, bucket-2]'),
    );
    const outcome = await run('validate');
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stdout).toContain('another exemption has this policy and these resources');
  });

  it('has a schema for editors', () => {
    expect(JSON.stringify(jsonSchemaOf('Exemption'))).toContain('tags');
  });
});
