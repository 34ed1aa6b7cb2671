import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { fakeNow } from '../../support/fake-world.ts';
import { createRepo, policyYaml } from './repo.ts';

describe('govctl plan', () => {
  it('says what it would do, and does nothing', async () => {
    const repo = createRepo();
    repo.write('policies/a.yaml', policyYaml('a', 'severity: HIGH\n'));
    const plan = await repo.govctl(['plan']);
    expect(plan).toMatchObject({ exitCode: 0, stderr: '' });
    expect(plan.stdout).toBe(
      [
        'Project acme at https://service.test',
        '',
        '  + create a  policies/a.yaml:1',
        '      HIGH · AWS::S3::Bucket · 1 rule',
        '      + rules: DENY when resource.encryption.enabled == false',
        '',
        'Plan: 1 to create, 0 to update, 0 to delete; 0 unchanged.',
        '',
      ].join('\n'),
    );
    expect(repo.service.requests.every(({ method }) => method === 'GET')).toBe(true);
  });

  it('shows an edit outside git as such, field by field', async () => {
    const repo = createRepo();
    repo.write('policies/a.yaml', policyYaml('a', 'description: Buckets are encrypted.\n'));
    await repo.govctl(['apply', '--auto-approve']);
    const [live] = repo.service.policies.values();
    Object.assign(live ?? {}, { enabled: false, description: 'Off for now\n\u001b[2Jreally' });
    const plan = await repo.govctl(['plan']);
    expect(plan.stdout).toContain('  ! update a  pol_000001  policies/a.yaml:1\n');
    expect(plan.stdout).toContain('      ~ enabled: false → true\n');
    expect(plan.stdout).toContain('        - Off for now\n');
    expect(plan.stdout).toContain('        + Buckets are encrypted.\n');
    expect(plan.stdout).toContain('1 to update (1 edited outside git)');
    expect(plan.stdout).not.toContain('\u001b');
  });

  it('has one stable JSON shape', async () => {
    const repo = createRepo();
    repo.write('policies/a.yaml', policyYaml('a'));
    await repo.govctl(['apply', '--auto-approve']);
    repo.write('policies/a.yaml', policyYaml('a', 'severity: LOW\n'));
    const plan = await repo.govctl(['plan', '-o', 'json', '--detailed-exitcode']);
    expect(plan.exitCode).toBe(2);
    expect(JSON.parse(plan.stdout)).toEqual({
      format_version: 1,
      summary: {
        create: 0,
        update: 1,
        delete: 0,
        unchanged: 0,
        orphaned: 0,
        drifted: 0,
        conflict: 0,
      },
      changes: [
        {
          action: 'update',
          key: 'a',
          name: 'a',
          id: 'pol_000001',
          fields: [{ path: 'severity', before: null, after: 'LOW' }],
          cause: 'git',
          reason: 'file changed',
          place: { file: 'policies/a.yaml', line: 1, column: 1 },
        },
      ],
      orphans: [],
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      project: 'acme',
      base_url: 'https://service.test',
      created_at: '2026-01-15T12:00:00.000Z',
      expires_at: '2026-01-16T12:00:00.000Z',
    });
  });

  it('never deletes without --prune, but shows what has no file', async () => {
    const repo = createRepo();
    repo.write('policies/a.yaml', policyYaml('a'));
    repo.write('policies/b.yaml', policyYaml('b'));
    await repo.govctl(['apply', '--auto-approve']);
    repo.remove('policies/b.yaml');
    const plan = await repo.govctl(['plan']);
    expect(plan.stdout).toContain('? b  pol_000002');
    expect(plan.stdout).toContain('No changes: 1 policy matches its file; 1 without a file.');
    await repo.govctl(['apply', '--auto-approve']);
    expect(repo.service.policies.size).toBe(2);
    const pruned = await repo.govctl(['plan', '--prune', '-o', 'json']);
    expect(JSON.parse(pruned.stdout)).toMatchObject({ summary: { delete: 1, orphaned: 0 } });
    expect(await repo.govctl(['apply', '--prune', '--auto-approve'])).toMatchObject({
      exitCode: 0,
    });
    expect([...repo.service.policies.values()].map(({ name }) => name)).toEqual(['a']);
  });

  it('points into the file that is wrong, and plans nothing', async () => {
    const repo = createRepo();
    repo.write('policies/a.yaml', policyYaml('a', 'severty: HIGH\n'));
    for (const command of ['plan', 'apply', 'diff']) {
      const result = await repo.govctl(
        [command, '--out', 'x'].slice(0, command === 'plan' ? 3 : 1),
      );
      expect(result.exitCode).toBe(3);
      expect(result.stdout).toContain('policies/a.yaml:6:1');
      expect(result.stdout).toContain('severity');
      expect(result.stderr).toContain('nothing was planned');
    }
    const github = await repo.govctl(['plan', '-o', 'github']);
    expect(github.stdout).toMatch(/^::error file=policies\/a\.yaml,line=6/);
  });

  it('says what is wrong in a file even where the service is down', async () => {
    const repo = createRepo();
    repo.write('policies/a.yaml', policyYaml('a', 'severty: HIGH\n'));
    const down = () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
    expect(await repo.govctl(['plan'], { fetch: down })).toMatchObject({ exitCode: 3 });
  });

  it.each([
    ['an unowned one', undefined, 'govctl adopt a'],
    ["another project's", 'other', 'belongs to project "other"'],
  ])('refuses a name that is taken by %s', async (_, owner, said) => {
    const repo = createRepo();
    repo.write('policies/a.yaml', policyYaml('a'));
    repo.write('policies/b.yaml', policyYaml('b'));
    repo.service.put({
      name: 'a',
      resource_type: 'AWS::S3::Bucket',
      rules: [],
      ...(owner ? { tags: [`govctl.owner:${owner}`] } : {}),
    });
    const plan = await repo.govctl(['plan', '--out', 'plan.json']);
    expect(plan.exitCode).toBe(5);
    expect(plan.stdout).toContain('✗ blocked a');
    expect(plan.stdout.replace(/\s+/g, ' ')).toContain(said);
    expect(plan.stderr).not.toContain(said);
    expect((await repo.govctl(['plan', '-q'])).stderr).toContain(said);
    expect(() => statSync(path.join(repo.folder, 'plan.json'))).toThrow();
    expect(await repo.govctl(['apply', '--auto-approve'])).toMatchObject({ exitCode: 5 });
    expect(repo.service.policies.size).toBe(1);
    expect(await repo.govctl(['apply', '--auto-approve', '--exclude', 'a'])).toMatchObject({
      exitCode: 0,
    });
    expect(repo.service.policies.size).toBe(2);
  });

  it('refuses what its guards refuse, with 6', async () => {
    const repo = createRepo();
    expect((await repo.govctl(['plan'])).exitCode).toBe(6);
    for (let index = 0; index < 10; index++) {
      repo.write(`policies/p${index}.yaml`, policyYaml(`p${index}`));
    }
    await repo.govctl(['apply', '--auto-approve']);
    for (let index = 0; index < 4; index++) repo.remove(`policies/p${index}.yaml`);
    const refused = await repo.govctl(['apply', '--prune', '--auto-approve']);
    expect(refused.exitCode).toBe(6);
    expect(refused.stderr).toContain('4 of the 10 policies');
    expect(repo.service.policies.size).toBe(10);
    expect((await repo.govctl(['plan', 'policies/p9.yaml', '--prune'])).exitCode).toBe(6);
    expect((await repo.govctl(['plan', '--target', 'p9', '--prune'])).exitCode).toBe(6);
    const allowed = await repo.govctl(['apply', '--prune', '--auto-approve', '--max-delete', '40']);
    expect(allowed.exitCode).toBe(0);
    expect(repo.service.policies.size).toBe(6);
  });

  it('takes PATH arguments that cover the whole project as the whole', async () => {
    const repo = createRepo();
    repo.write('policies/a.yaml', policyYaml('a'));
    expect(await repo.govctl(['plan', 'policies', '--prune'])).toMatchObject({ exitCode: 0 });
    expect(await repo.govctl(['plan', '.', '--prune'])).toMatchObject({ exitCode: 0 });
  });

  it('plans a part without taking the rest for orphans', async () => {
    const repo = createRepo();
    repo.write('policies/a.yaml', policyYaml('a'));
    repo.write('policies/b.yaml', policyYaml('b'));
    await repo.govctl(['apply', '--auto-approve']);
    const plan = await repo.govctl(['plan', 'policies/a.yaml', '-o', 'json']);
    expect(JSON.parse(plan.stdout)).toMatchObject({
      summary: { unchanged: 1, orphaned: 0 },
      notes: [expect.stringContaining('Only some of the files')],
    });
  });

  it('names the nearest key for an unknown --target', async () => {
    const repo = createRepo();
    repo.write('policies/a.yaml', policyYaml('s3-encryption'));
    const plan = await repo.govctl(['plan', '--target', 's3-encrypton']);
    expect(plan.exitCode).toBe(3);
    expect(plan.stderr).toContain('Did you mean s3-encryption?');
  });

  it('says how to make a rename of what looks like one', async () => {
    const repo = createRepo();
    repo.write('policies/a.yaml', policyYaml('old name'));
    await repo.govctl(['apply', '--yes']);
    repo.write('policies/a.yaml', policyYaml('new name'));
    const said =
      'new-name (policies/a.yaml:1) has the same content as "old name"; set `key: old-name` to make this a rename.';
    expect((await repo.govctl(['plan'])).stdout.replace(/\s+/g, ' ')).toContain(said);
    expect((await repo.govctl(['plan', '--prune'])).stdout.replace(/\s+/g, ' ')).toContain(said);
    repo.write('policies/a.yaml', `key: old-name\n${policyYaml('new name')}`);
    const renamed = await repo.govctl(['plan']);
    expect(renamed.stdout).toContain('1 to update');
    expect(renamed.stdout).not.toContain('same content');
  });

  it('takes a name for a key in --target and --exclude', async () => {
    const repo = createRepo();
    repo.write('policies/a.yaml', policyYaml('Encrypt all buckets'));
    repo.write('policies/b.yaml', policyYaml('b'));
    const only = await repo.govctl(['plan', '--target', 'Encrypt all buckets']);
    expect(only.stdout).toContain('Plan: 1 to create');
    expect(only.stdout).toContain('create encrypt-all-buckets');
    const rest = await repo.govctl(['plan', '--exclude', 'Encrypt all buckets']);
    expect(rest.stdout).toContain('create b ');
    expect(rest.stdout).not.toContain('encrypt-all-buckets');
  });

  it('tells later CI steps the figures, and keeps markdown below what a comment holds', async () => {
    const repo = createRepo();
    for (let index = 0; index < 900; index++) {
      repo.write(
        `policies/p${index}.yaml`,
        policyYaml(`policy-with-a-name-that-is-so-long-that-nine-hundred-fill-a-comment-${index}`),
      );
    }
    repo.write('output', '');
    const plan = await repo.govctl(['plan', '-o', 'markdown'], {
      env: { GITHUB_OUTPUT: path.join(repo.folder, 'output') },
    });
    expect(Buffer.byteLength(plan.stdout)).toBeLessThan(60_000);
    expect(plan.stdout).toMatch(/^## govctl plan: acme\n\nPlan: 900 to create/);
    expect(plan.stdout).toMatch(/\d+ more. Run `govctl plan` to see all\.\n$/);
    expect(readFileSync(path.join(repo.folder, 'output'), 'utf8')).toMatch(
      /^create=900\nupdate=0\ndelete=0\nunchanged=0\norphaned=0\ndrifted=0\nconflict=0\nchanges=true\ndigest=[0-9a-f]{64}\n$/,
    );
  });

  it('leaves out documents that need a govctl server, in one line, and plans the rest', async () => {
    const repo = createRepo();
    repo.write('policies/a.yaml', policyYaml('a'));
    repo.write(
      'policies/waiver.yaml',
      'kind: Exemption\npolicy: a\nresources: [bucket-1]\nreason: Old\nowner: me@example.com\nexpires: 2026-12-31\n',
    );
    const plan = await repo.govctl(['plan']);
    expect(plan, plan.stdout + plan.stderr).toMatchObject({ exitCode: 0 });
    expect(plan.stderr).toContain(
      'This server does not support exemptions; skipped 1 Exemption document, which requires a govctl server.',
    );
    expect(plan.stdout).toContain('Plan: 1 to create');
    expect(await repo.govctl(['apply', '-y'])).toMatchObject({ exitCode: 0 });
  });
});

describe('a saved plan', () => {
  const withPlan = async () => {
    const repo = createRepo();
    repo.write('policies/a.yaml', policyYaml('a'));
    await repo.govctl(['plan', '--out', 'plan.json']);
    const file = path.join(repo.folder, 'plan.json');
    return { repo, file };
  };

  it('is readable by its owner only, and shown without the service', async () => {
    const { repo, file } = await withPlan();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const offline = () => Promise.reject(new Error('show must not ask'));
    const shown = await repo.govctl(['show', 'plan.json'], { fetch: offline });
    expect(shown.exitCode).toBe(0);
    expect(shown.stdout).toContain('+ create a');
    expect(shown.stdout).toMatch(/Valid until\s+2026-01-16\s+12:00\s+UTC/);
  });

  it('is applied as it is, and a second time does nothing twice', async () => {
    const { repo } = await withPlan();
    const first = await repo.govctl(['apply', 'plan.json', '--auto-approve', '-o', 'json']);
    expect(JSON.parse(first.stdout)).toMatchObject({
      format_version: 1,
      summary: { applied: 1, failed: 0, skipped: 0, not_attempted: 0 },
      results: [{ action: 'create', key: 'a', status: 'applied', id: 'pol_000001' }],
      network_ms: expect.any(Number),
    });
    const second = await repo.govctl(['apply', 'plan.json', '--auto-approve', '-o', 'json']);
    expect(JSON.parse(second.stdout)).toMatchObject({ summary: { applied: 0, skipped: 1 } });
    expect(repo.service.policies.size).toBe(1);
  });

  it('is refused when one character of it was changed', async () => {
    const { repo, file } = await withPlan();
    writeFileSync(file, readFileSync(file, 'utf8').replace('"DENY"', '"ALLOW"'));
    for (const argv of [['show'], ['apply', '--auto-approve']]) {
      const result = await repo.govctl([...argv, 'plan.json']);
      expect(result.exitCode).toBe(3);
      expect(result.stderr).toContain('digest');
    }
    expect(repo.service.policies.size).toBe(0);
  });

  it.each([
    ['not JSON', 'name: x\n'],
    ['another JSON', '{"a": 1}'],
    ['a list', '[]'],
    ['a later version', '{"format_version": 2, "digest": "x"}'],
  ])('is not %s', async (_, text) => {
    const repo = createRepo();
    repo.write('plan.json', text);
    const result = await repo.govctl(['apply', 'plan.json', '--auto-approve']);
    expect(result.exitCode).toBe(3);
    expect(result.stderr).toContain('is not a saved plan');
  });

  it('is refused after 24 hours, for another service, and for another project', async () => {
    const { repo } = await withPlan();
    const apply = ['apply', 'plan.json', '--auto-approve'];
    const late = await repo.govctl(apply, { now: () => fakeNow + 24 * 3_600_000 });
    expect(late).toMatchObject({ exitCode: 5, stderr: expect.stringContaining('expired') });
    const elsewhere = await repo.govctl([...apply, '--base-url', 'https://other.test']);
    expect(elsewhere).toMatchObject({
      exitCode: 5,
      stderr: expect.stringContaining('https://other.test'),
    });
    repo.write('govctl.yaml', 'project: other\n');
    expect(await repo.govctl(apply)).toMatchObject({
      exitCode: 5,
      stderr: expect.stringContaining('project "acme"'),
    });
    expect(repo.service.policies.size).toBe(0);
  });

  it('takes no selection any more', async () => {
    const { repo } = await withPlan();
    const result = await repo.govctl(['apply', 'plan.json', '--prune']);
    expect(result).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('--prune') });
  });
});

describe('govctl diff', () => {
  it('shows live and git as text and exits with its verdict', async () => {
    const repo = createRepo();
    repo.write('policies/a.yaml', policyYaml('a'));
    expect((await repo.govctl(['diff'])).exitCode).toBe(2);
    await repo.govctl(['apply', '--auto-approve']);
    expect(await repo.govctl(['diff'])).toMatchObject({ exitCode: 0 });
    repo.write('policies/a.yaml', policyYaml('a', 'severity: LOW\n'));
    const diff = await repo.govctl(['diff']);
    expect(diff.exitCode).toBe(2);
    expect(diff.stdout).toContain('--- a  live pol_000001\n+++ a  policies/a.yaml\n');
    expect(diff.stdout).toContain('\n+severity: LOW\n');
    expect(diff.stdout).not.toContain('govctl.owner');
  });

  it('does not call ownership tags a difference', async () => {
    const repo = createRepo();
    repo.write('policies/a.yaml', policyYaml('a'));
    await repo.govctl(['apply', '--auto-approve']);
    const [live] = repo.service.policies.values();
    if (live) live.tags = ['govctl.owner:acme', 'govctl.key:old@000000000000'];
    expect(await repo.govctl(['diff'])).toMatchObject({ exitCode: 0 });
    expect(await repo.govctl(['plan', '--detailed-exitcode'])).toMatchObject({ exitCode: 2 });
  });
});
