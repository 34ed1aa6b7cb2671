import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFakeWorld, runCommandLine } from '../../support/fake-world.ts';
import { createRepo, policyYaml } from './repo.ts';

describe('govctl apply', () => {
  it('asks on a terminal, and takes no for an answer', async () => {
    const repo = createRepo();
    repo.write('policies/a.yaml', policyYaml('a'));
    const world = { tty: true, env: { NO_COLOR: '1' } };
    const no = await repo.govctl(['apply'], { ...world, answers: [false] });
    expect(no).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('Not approved') });
    expect(repo.service.policies.size).toBe(0);
    const yes = await repo.govctl(['apply'], { ...world, answers: [true] });
    expect(yes.exitCode).toBe(0);
    expect(yes.stdout).toContain('✓ created a  pol_000001');
    expect(yes.stdout).toMatch(/Apply: 1 applied in \d+ ms\.\n$/);
  });

  it('does nothing off a terminal without approval', async () => {
    const repo = createRepo();
    repo.write('policies/a.yaml', policyYaml('a'));
    const result = await repo.govctl(['apply']);
    expect(result).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('--auto-approve'),
    });
    expect(result.stdout).toContain('+ create a');
    expect(repo.service.policies.size).toBe(0);
  });

  it('says with --quiet what failed and what it comes to', async () => {
    const repo = createRepo();
    repo.write('policies/a.yaml', policyYaml('a'));
    const plan = await repo.govctl(['plan', '-q']);
    expect(plan.stdout).toBe('Plan: 1 to create, 0 to update, 0 to delete; 0 unchanged.\n');
    const apply = await repo.govctl(['apply', '-q', '--yes']);
    expect(apply.stdout).toMatch(/^\s*Apply: 1 applied in \d+ ms\.\n$/);
  });

  it('asks nothing where there is nothing to do', async () => {
    const repo = createRepo();
    repo.write('policies/a.yaml', policyYaml('a'));
    await repo.govctl(['apply', '--auto-approve']);
    const again = await repo.govctl(['apply']);
    expect(again).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Nothing to do.') });
  });

  it('keeps stdout one JSON document', async () => {
    const repo = createRepo();
    repo.write('policies/a.yaml', policyYaml('a'));
    const result = await repo.govctl(['apply', '--auto-approve', '-o', 'json']);
    expect(JSON.parse(result.stdout)).toMatchObject({ summary: { applied: 1 } });
    expect(result.stderr).toBe('Plan: 1 to create, 0 to update, 0 to delete; 0 unchanged.\n');
    const refused = await repo.govctl(['apply', '-o', 'json']);
    expect(JSON.parse(refused.stdout)).toMatchObject({ summary: { applied: 0 }, results: [] });
  });

  it('shows a failed change with its reason, and exits with 7 when a part was applied', async () => {
    const repo = createRepo();
    repo.write('policies/a.yaml', policyYaml('a'));
    repo.write('policies/b.yaml', policyYaml('b'));
    const refusing = async (url: string, init: Parameters<typeof repo.service.fetch>[1]) =>
      init.method === 'POST' && init.body?.includes('"name":"b"')
        ? Response.json(
            { error: 'invalid_policy', error_description: 'no b here' },
            { status: 400 },
          )
        : repo.service.fetch(url, init);
    const result = await repo.govctl(['apply', '--auto-approve'], { fetch: refusing });
    expect(result.exitCode).toBe(7);
    expect(result.stdout).toContain('✗ create failed b\n      no b here');
    expect(result.stderr).toContain('Run `govctl apply` again to continue');
    expect(await repo.govctl(['apply', '--auto-approve'])).toMatchObject({ exitCode: 0 });
    expect(repo.service.policies.size).toBe(2);
  });

  it('takes a plain file for a saved plan and says so when it is not there', async () => {
    const repo = createRepo();
    const result = await repo.govctl(['apply', 'plan.json']);
    expect(result).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('no such file'),
    });
  });
});

describe('govctl drift', () => {
  it('finds what was edited outside git, and not what changed in git', async () => {
    const repo = createRepo();
    repo.write('policies/a.yaml', policyYaml('a'));
    repo.write('policies/b.yaml', policyYaml('b'));
    await repo.govctl(['apply', '--auto-approve']);
    repo.write('policies/b.yaml', policyYaml('b', 'severity: LOW\n'));
    expect(await repo.govctl(['drift'])).toMatchObject({ exitCode: 0 });
    const [live] = repo.service.policies.values();
    if (live) live.severity = 'CRITICAL';
    const drift = await repo.govctl(['drift']);
    expect(drift.exitCode).toBe(2);
    expect(drift.stdout).toContain('! a  pol_000001  policies/a.yaml:1');
    expect(drift.stdout).toContain('+ severity: CRITICAL');
    const json = await repo.govctl(['drift', '-o', 'json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      summary: { owned: 2, drifted: 1, missing: 0 },
      missing: [],
      drifted: [{ key: 'a', fields: [{ path: 'severity', before: null, after: 'CRITICAL' }] }],
    });
    for (const format of ['github', 'markdown', 'sarif']) {
      expect((await repo.govctl(['drift', '-o', format])).stdout).toContain('edited outside git');
    }
  });

  it('shows a policy that was deleted outside git, and counts it with --fail-missing', async () => {
    const repo = createRepo();
    repo.write('policies/a.yaml', policyYaml('a'));
    repo.write('policies/b.yaml', policyYaml('b'));
    await repo.govctl(['apply', '--auto-approve']);
    const id = [...repo.service.policies.values()].find(({ name }) => name === 'b')?.id ?? '';
    repo.service.policies.delete(id);
    const drift = await repo.govctl(['drift']);
    expect(drift.exitCode).toBe(0);
    expect((await repo.govctl(['drift', '--fail-missing'])).exitCode).toBe(2);
    expect(drift.stdout).toContain(
      '  - b  policies/b.yaml:1\n      missing from the service: not applied yet, or deleted outside git\n',
    );
    expect(drift.stdout.replace(/\s+/g, ' ')).toContain(
      'No drift: 1 policy of project acme unchanged since the last apply; 1 policy in the files is missing from the service.',
    );
    const json = await repo.govctl(['drift', '-o', 'json']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      summary: { owned: 1, drifted: 0, missing: 1 },
      missing: [{ key: 'b', name: 'b', place: { file: 'policies/b.yaml', line: 1 } }],
    });
    for (const format of ['github', 'markdown', 'sarif', 'junit']) {
      const { stdout } = await repo.govctl(['drift', '--fail-missing', '-o', format]);
      expect(stdout).toContain('deleted outside git');
    }
  });

  it('does not call a policy missing whose name is live, whoever owns it', async () => {
    const repo = createRepo();
    repo.write('policies/a.yaml', policyYaml('a'));
    repo.service.put({ name: 'a', resource_type: 'A::B', rules: [] });
    expect(await repo.govctl(['drift'])).toMatchObject({ exitCode: 0 });
  });
});

describe('govctl import and adopt', () => {
  const withUnowned = () => {
    const repo = createRepo();
    repo.service.put({
      name: 'Encrypt buckets',
      resource_type: 'AWS::S3::Bucket',
      description: 'Line one\nline two',
      rules: [
        { condition: 'resource.encryption.enabled == false', effect: 'DENY', message: 'a: b' },
      ],
      tags: ['team:x'],
    });
    repo.service.put({
      name: 'foreign',
      resource_type: 'A::B',
      rules: [],
      tags: ['govctl.owner:other', 'govctl.key:foreign@000000000000'],
    });
    return repo;
  };

  it('bring an existing service under git without changing what its policies say', async () => {
    const repo = withUnowned();
    const before = structuredClone([...repo.service.policies.values()]);
    const imported = await repo.govctl(['import']);
    expect(imported, imported.stderr).toMatchObject({ exitCode: 0 });
    expect(readdirSync(path.join(repo.folder, 'policies'))).toEqual(['encrypt-buckets.yaml']);
    expect(await repo.govctl(['validate'])).toMatchObject({ exitCode: 0 });
    expect(await repo.govctl(['plan'])).toMatchObject({ exitCode: 5 });

    const adopted = await repo.govctl(['adopt', '--all-matching', '--auto-approve']);
    expect(adopted, adopted.stderr).toMatchObject({ exitCode: 0 });
    expect(adopted.stdout).toContain('✓ adopted ');
    expect(await repo.govctl(['plan', '--detailed-exitcode'])).toMatchObject({ exitCode: 0 });
    const [mine, foreign] = [...repo.service.policies.values()];
    expect(mine?.tags?.slice(0, 2)).toEqual(['team:x', 'govctl.owner:acme']);
    expect({ ...mine, tags: before[0]?.tags, updated_at: before[0]?.updated_at }).toEqual(
      before[0],
    );
    expect(foreign).toEqual(before[1]);

    const again = await repo.govctl(['import', '--force']);
    expect(again.exitCode).toBe(0);
    const text = readFileSync(path.join(repo.folder, 'policies/encrypt-buckets.yaml'), 'utf8');
    expect(text).not.toContain('govctl.');
  });

  it('adopt by name what the file wants different, which then shows as a change from git', async () => {
    const repo = withUnowned();
    repo.write(
      'policies/a.yaml',
      policyYaml('Encrypt buckets').replace('name: Encrypt', 'key: mine\nname: Encrypt'),
    );
    expect(await repo.govctl(['adopt', 'Encrypt buckets', '--auto-approve'])).toMatchObject({
      exitCode: 0,
    });
    const plan = await repo.govctl(['plan', '-o', 'json']);
    expect(JSON.parse(plan.stdout)).toMatchObject({ changes: [{ key: 'mine', cause: 'git' }] });
  });

  it.each([
    ['another project', 'foreign', 5, 'belongs to project "other"'],
    ['nobody', 'Encrypt bucket', 3, 'did you mean "Encrypt buckets"?'],
    ['no file', 'Encrypt buckets', 3, 'no file has a policy named'],
  ])('adopt nothing that belongs to %s', async (_, name, exitCode, said) => {
    const repo = withUnowned();
    repo.write('policies/other.yaml', policyYaml('something-else'));
    const result = await repo.govctl(['adopt', name, '--auto-approve']);
    expect(result).toMatchObject({ exitCode, stderr: expect.stringContaining(said) });
    expect(repo.service.requests.every(({ method }) => method === 'GET')).toBe(true);
  });

  it('import replaces no file unless it is told to', async () => {
    const repo = withUnowned();
    mkdirSync(path.join(repo.folder, 'out'));
    const file = path.join(repo.folder, 'out/encrypt-buckets.yaml');
    writeFileSync(file, '# mine\n');
    expect(await repo.govctl(['import', '--out', 'out'])).toMatchObject({ exitCode: 3 });
    expect(readFileSync(file, 'utf8')).toBe('# mine\n');
    expect(await repo.govctl(['import', '--out', 'out', '--force'])).toMatchObject({ exitCode: 0 });
    expect(readFileSync(file, 'utf8')).toContain('name: Encrypt buckets');
  });

  it('import never leaves the folder, whatever a policy is called', async () => {
    const repo = createRepo();
    repo.service.put({
      name: 'x',
      resource_type: 'A::B',
      rules: [],
      tags: ['govctl.owner:acme', 'govctl.key:../../escaped@000000000000'],
    });
    const result = await repo.govctl(['import', '--out', 'out']);
    expect(result.exitCode).toBe(0);
    expect(readdirSync(path.join(repo.folder, 'out'))).toEqual(['x.yaml']);
  });
});

describe('a command that is interrupted', () => {
  it('says that nothing was changed where it only read', async () => {
    const repo = createRepo();
    repo.write('policies/a.yaml', policyYaml('a'));
    const controller = new AbortController();
    for (const argv of [['plan'], ['policy', 'delete', 'a', '--yes']]) {
      const outcome = await repo.govctl(argv, {
        signal: controller.signal,
        fetch: async () => {
          controller.abort();
          throw new Error('aborted');
        },
      });
      expect(outcome.exitCode).toBe(130);
      expect(outcome.stderr).toBe('error: Interrupted; nothing was changed\n');
    }
  });

  it('lists ten of what it did not attempt, and counts the rest', async () => {
    const repo = createRepo();
    for (let n = 0; n < 40; n++) repo.write(`policies/${n}.yaml`, policyYaml(`p${n}`));
    const controller = new AbortController();
    const outcome = await repo.govctl(['apply', '--auto-approve', '--concurrency', '1'], {
      signal: controller.signal,
      fetch: async (url, init) => {
        const answer = await repo.service.fetch(url, init);
        if (init.method === 'POST') controller.abort();
        return answer;
      },
    });
    expect(outcome.exitCode).toBe(130);
    expect(outcome.stdout.match(/create not attempted/g)).toHaveLength(10);
    expect(outcome.stdout).toContain('29 more not attempted; run `govctl apply` again to continue');
  });

  it('finishes what it began, says what is left, and exits with 130', async () => {
    const repo = createRepo();
    for (const name of 'abcdefghijkl') repo.write(`policies/${name}.yaml`, policyYaml(name));
    const controller = new AbortController();
    const world = createFakeWorld({
      cwd: repo.folder,
      signal: controller.signal,
      env: { GOVCTL_BASE_URL: 'https://service.test', GOVCTL_TOKEN: 'test', GOVCTL_KEYRING: 'off' },
      fetch: async (url, init) => {
        const answer = await repo.service.fetch(url, init);
        if (init.method === 'POST') controller.abort();
        return answer;
      },
    });
    const result = await runCommandLine(['apply', '--auto-approve'], world);
    expect(result.exitCode).toBe(130);
    expect(result.stderr).toContain('running requests finished');
    expect(repo.service.policies.size).toBeGreaterThan(0);
    expect(repo.service.policies.size).toBeLessThan(12);
  });
});
