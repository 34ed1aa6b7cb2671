import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { runCommandLine } from '../support/fake-world.ts';
import type { FakeWorldSettings, Outcome } from '../support/fake-world.ts';
import { createMinimalReports } from '../support/minimal-reports.ts';
import { createMinimalService } from '../support/minimal-service.ts';
import { makeRepo } from '../support/temp-repo.ts';

const run = (
  argv: readonly string[],
  { env, ...settings }: FakeWorldSettings & { cwd: string },
): Promise<Outcome> =>
  runCommandLine(argv, {
    ...settings,
    env: { GOVCTL_BASE_URL: 'https://s.test', GOVCTL_TOKEN: 'any', NO_COLOR: '1', ...env },
  });

describe('a folder of a cloned repo that is made to look like a bare repository of git', () => {
  const git = (cwd: string, ...words: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.test', ...words], {
      cwd,
      encoding: 'utf8',
    });

  it('has no program of its configuration started by `plan --out`', async () => {
    const started = path.join(makeRepo(), 'started');
    const origin = makeRepo({
      'infra/govctl.yaml': 'project: acme\npaths: [policies]\n',
      'infra/policies/a.yaml':
        'name: a\nresource_type: AWS::S3::Bucket\nrules:\n  - condition: "true"\n    effect: DENY\n',
      'infra/HEAD': 'ref: refs/heads/main\n',
      'infra/config': `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = "touch ${started}; false"\n`,
      'infra/objects/.keep': '',
      'infra/refs/.keep': '',
    });
    git(origin, 'init', '--quiet');
    git(origin, 'add', '--all');
    git(origin, 'commit', '--quiet', '--message', 'a repo');
    const cwd = path.join(makeRepo(), 'clone');
    git(origin, 'clone', '--quiet', '.', cwd);
    const { fetch } = createMinimalService();
    const outcome = await run(['plan', '--out', 'plan.json'], {
      cwd: path.join(cwd, 'infra'),
      fetch,
    });
    expect([outcome.exitCode, existsSync(started)]).toEqual([0, false]);
    expect(JSON.parse(readFileSync(path.join(cwd, 'infra/plan.json'), 'utf8'))).not.toHaveProperty(
      'git',
    );
    // Where nothing pretends to be a repository, the commit is in the plan, as ever.
    const plain = path.join(cwd, 'plain');
    execFileSync('cp', ['-r', path.join(cwd, 'infra'), plain]);
    for (const name of ['HEAD', 'config', 'objects', 'refs'])
      execFileSync('rm', ['-r', path.join(plain, name)]);
    await run(['plan', '--out', 'plan.json'], { cwd: plain, fetch });
    expect(JSON.parse(readFileSync(path.join(plain, 'plan.json'), 'utf8'))).toMatchObject({
      git: { sha: git(cwd, 'rev-parse', 'HEAD').trim(), dirty: true },
    });
  });
});

// Windows looks for any program in the current folder first; elsewhere a `.` in PATH does the same.
describe.skipIf(process.platform === 'win32')('a cloned repo with a git of its own', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('does not have it started by `plan --out` and `doctor`', async () => {
    const cwd = makeRepo({
      'govctl.yaml': 'project: acme\npaths: [policies]\n',
      'policies/a.yaml':
        'name: a\nresource_type: AWS::S3::Bucket\nrules:\n  - condition: "true"\n    effect: DENY\n',
    });
    const started = path.join(cwd, 'started');
    writeFileSync(path.join(cwd, 'git'), `#!/bin/sh\ntouch ${started}\n`);
    chmodSync(path.join(cwd, 'git'), 0o755);
    const PATH = `.:${process.env.PATH ?? ''}`;
    vi.stubEnv('PATH', PATH);
    // A program's own folder is the process's, which a fake world does not change.
    const before = process.cwd();
    process.chdir(cwd);
    try {
      const { fetch } = createMinimalService();
      const planned = await run(['plan', '--out', 'plan.json'], { cwd, fetch });
      await run(['doctor'], { cwd, fetch, env: { PATH } });
      expect([planned.exitCode, existsSync(started)]).toEqual([0, false]);
    } finally {
      process.chdir(before);
    }
  });
});

describe('a server that names formats of its own', () => {
  it.skipIf(process.platform !== 'linux')(
    'has no file of a type that systems run opened by `report open`',
    async () => {
      const cwd = makeRepo();
      const opened = path.join(cwd, 'opened');
      writeFileSync(path.join(cwd, 'xdg-open'), `#!/bin/sh\necho "$1" > ${opened}\n`);
      chmodSync(path.join(cwd, 'xdg-open'), 0o755);
      const env = { PATH: `${cwd}:${process.env.PATH ?? ''}` };
      for (const format of ['desktop', 'exe', 'terminal', 'hta', '../x.command', 'constructor']) {
        const service = createMinimalReports({ extends: ['hash'] });
        service.put({ name: 'R', formats: [{ format }] });
        const outcome = await run(['report', 'open', 'R'], {
          cwd,
          env,
          fetch: service.fetch,
          tty: true,
        });
        expect([format, outcome.exitCode, outcome.stdout]).toEqual([format, 1, '']);
        expect(outcome.stderr).toContain('govctl report download');
        expect(service.requests.filter(({ path: asked }) => asked.includes('/download'))).toEqual(
          [],
        );
      }
      expect(existsSync(opened)).toBe(false);
    },
  );
});
