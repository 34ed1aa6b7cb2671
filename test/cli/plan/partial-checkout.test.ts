import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRepo, policyYaml } from './repo.ts';

describe('--prune where files of the project are in git, but not in the directory', () => {
  async function setUp(config?: string) {
    const repo = createRepo(config);
    repo.write('policies/one.yaml', policyYaml('one'));
    repo.write('policies/two.yaml', policyYaml('two'));
    const git = (...argv: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...argv], {
        cwd: repo.folder,
        stdio: 'ignore',
      });
    git('init', '--quiet');
    git('add', 'govctl.yaml', 'policies');
    git('commit', '--quiet', '-m', 'first');
    const govctl = (...argv: string[]) => repo.govctl(argv, { env: { PATH: process.env.PATH } });
    expect(await govctl('apply', '-y', '--allow-outside')).toMatchObject({ exitCode: 0 });
    return { repo, git, govctl };
  }

  it('is refused in a sparse checkout, and deletes what git no longer has', async () => {
    const { repo, git, govctl } = await setUp();
    git('sparse-checkout', 'set', '--no-cone', '/*', '!/policies/two.yaml');
    const { exitCode, stderr } = await govctl('apply', '--prune', '-y');
    expect([exitCode, stderr.replaceAll(/\s+/g, ' ')]).toEqual([
      6,
      expect.stringContaining('--prune cannot be used: git did not check out policies/two.yaml'),
    ]);
    expect(repo.service.policies.size).toBe(2);
    git('sparse-checkout', 'disable');
    git('rm', '--quiet', 'policies/two.yaml');
    expect(await govctl('apply', '--prune', '-y')).toMatchObject({ exitCode: 0 });
    expect(repo.service.policies.size).toBe(1);
  });

  it('is refused in a sparse checkout beside a directory outside of the repo', async () => {
    const outside = createRepo();
    const { git, govctl } = await setUp(
      `project: acme\npaths: [policies, ${JSON.stringify(outside.folder)}]\n`,
    );
    git('sparse-checkout', 'set', '--no-cone', '/*', '!/policies/two.yaml');
    expect(await govctl('plan', '--prune', '--allow-outside')).toMatchObject({ exitCode: 6 });
  });

  it('is not refused because of a file that git is told to skip, but that is there', async () => {
    const { repo, git, govctl } = await setUp();
    git('update-index', '--skip-worktree', 'policies/one.yaml');
    git('rm', '--quiet', 'policies/two.yaml');
    expect(await govctl('apply', '--prune', '-y')).toMatchObject({ exitCode: 0 });
    expect(repo.service.policies.size).toBe(1);
  });

  it('is refused where a submodule was not fetched', async () => {
    const { repo, git, govctl } = await setUp();
    repo.remove('policies/two.yaml');
    const sha = '0123456789012345678901234567890123456789';
    git('update-index', '--add', '--cacheinfo', `160000,${sha},policies/shared`);
    mkdirSync(path.join(repo.folder, 'policies/shared'));
    const { exitCode, stderr } = await govctl('plan', '--prune');
    expect([exitCode, stderr]).toEqual([6, expect.stringContaining('policies/shared')]);
    repo.write('policies/shared/three.yaml', policyYaml('three'));
    expect((await govctl('plan', '--prune')).stdout).toContain('1 to delete');
  });

  // Other systems have no such names.
  it.runIf(process.platform === 'linux')(
    'is refused where the name of a directory is no text, so that its files cannot be read',
    async () => {
      const { repo, govctl } = await setUp();
      const bytes = Buffer.concat([Buffer.from(`${repo.folder}/policies/`), Buffer.from([0xff])]);
      mkdirSync(bytes);
      renameSync(path.join(repo.folder, 'policies/two.yaml'), Buffer.concat([bytes, Buffer.from('/two.yaml')])); // prettier-ignore
      const { exitCode } = await govctl('apply', '--prune', '-y');
      expect([exitCode, repo.service.policies.size]).toEqual([3, 2]);
    },
  );

  it('is refused where a link to a directory is broken', async () => {
    const { repo, govctl } = await setUp();
    symlinkSync('../shared', path.join(repo.folder, 'policies/lib'));
    repo.write('shared/three.yaml', policyYaml('three'));
    expect(await govctl('apply', '-y')).toMatchObject({ exitCode: 0 });
    rmSync(path.join(repo.folder, 'shared'), { recursive: true });
    const { exitCode, stdout } = await govctl('apply', '--prune', '-y');
    expect([exitCode, stdout]).toEqual([3, expect.stringContaining('policies/lib')]);
    expect(repo.service.policies.size).toBe(3);
  });
});
