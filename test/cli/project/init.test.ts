import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { repositoryAt } from '../../../src/cli/project/repository.ts';
import { createFakeWorld, runCommandLine } from '../../support/fake-world.ts';
import { createMinimalService } from '../../support/minimal-service.ts';
import { makeRepo } from '../../support/temp-repo.ts';

describe('govctl init', () => {
  it('lays out a repo that validates and is formatted', async () => {
    const cwd = makeRepo();
    const made = await runCommandLine(['init', 'repo', '--project', 'acme'], { cwd });
    expect(made.exitCode).toBe(0);
    expect(made.stdout).toContain('created  policies/storage/s3-versioning.yaml');
    expect(made.stdout).toContain('cd repo');
    const repo = path.join(cwd, 'repo');
    expect(parse(readFileSync(path.join(repo, 'govctl.yaml'), 'utf8'))).toMatchObject({
      project: 'acme',
    });
    const valid = await runCommandLine(['validate', '--strict'], { cwd: repo });
    expect([valid.exitCode, valid.stdout]).toEqual([
      0,
      expect.stringContaining('1 policy in 2 files is valid'),
    ]);
    expect((await runCommandLine(['fmt', '--check'], { cwd: repo })).exitCode).toBe(0);
    const workflow = parse(
      readFileSync(path.join(repo, '.github/workflows/governance.yml'), 'utf8'),
    ) as { jobs: object };
    expect(Object.keys(workflow.jobs)).toEqual(['install', 'check', 'plan', 'apply', 'drift']);
    expect(readFileSync(path.join(repo, '.gitignore'), 'utf8')).toBe(
      '.govctl/\nplan.json\n*.plan.json\n',
    );
  });

  it('writes a workflow that deletes nothing by itself', async () => {
    const cwd = makeRepo();
    await runCommandLine(['init'], { cwd });
    const workflow = readFileSync(path.join(cwd, '.github/workflows/governance.yml'), 'utf8');
    expect(workflow).not.toMatch(/^ .*--prune/m);
    expect(workflow).toMatch(/^# .*--prune/m);
  });

  describe('asks the service whether CI jobs may log in without a secret', () => {
    const baseUrl = 'https://governance.example.com';
    const exchange = 'urn:ietf:params:oauth:grant-type:token-exchange';
    const grants = (...all: string[]) => Response.json({ grant_types_supported: all });
    async function init(answer: () => Response | Promise<Response>, remote?: string) {
      const cwd = makeRepo();
      if (remote !== undefined) {
        execFileSync('git', ['init', '--quiet', '--initial-branch', 'main'], { cwd });
        execFileSync('git', ['remote', 'add', 'origin', remote], { cwd });
      }
      const asked: unknown[] = [];
      const { exitCode, stdout } = await runCommandLine(['init', '--base-url', baseUrl], {
        cwd,
        env: { GOVCTL_TOKEN: 'gk_secret', PATH: process.env.PATH },
        fetch: async (url, { headers }) => {
          asked.push([url, headers.authorization]);
          return answer();
        },
      });
      expect(exitCode).toBe(0);
      const files = ['.github/workflows/governance.yml', '.gitlab-ci.yml'];
      const file = files.map((one) => path.join(cwd, one)).find((one) => existsSync(one));
      return { asked, stdout, text: readFileSync(file!, 'utf8') };
    }

    it('and has them do so where it offers that, with the commands that an admin runs', async () => {
      const { asked, stdout, text } = await init(() => grants('authorization_code', exchange));
      expect(asked).toEqual([[`${baseUrl}/.well-known/oauth-authorization-server`, undefined]]);
      const { jobs } = parse(text) as { jobs: Record<string, Record<string, unknown>> };
      for (const name of ['plan', 'apply']) {
        expect(jobs[name]).toMatchObject({
          permissions: { contents: 'read', 'id-token': 'write' },
        });
        const runs = (jobs[name]?.steps as { run?: string }[]).flatMap(({ run = [] }) => run);
        expect(runs[1]).toBe('govctl auth login --oidc');
        expect(runs[0]).toContain('--ignore-scripts');
      }
      expect(jobs.check?.permissions).not.toHaveProperty('id-token');
      expect(text).not.toContain('GOVCTL_TOKEN');
      for (const command of [
        'govctl trust create OWNER/NAME --ref refs/heads/main --scope governance:read,compliance:write',
        "govctl trust create OWNER/NAME --ref 'refs/pull/*' --event pull_request --scope governance:read",
      ]) {
        expect(text).toContain(`#   ${command}\n`);
        expect(stdout).toContain(command);
      }
      expect(stdout).toContain('Replace OWNER/NAME: ');
    });

    it('and names the repository of the git remote in these commands', async () => {
      const { stdout, text } = await init(() => grants(exchange), 'git@github.com:acme/policies.git'); // prettier-ignore
      const command = 'govctl trust create acme/policies --ref refs/heads/main';
      expect(text).toContain(command);
      expect(stdout).toContain(command);
      expect(stdout + text).not.toContain('OWNER/NAME');
    });

    it('and repeats no secret or command that the remote has in its address', async () => {
      for (const [remote, expected] of [
        ['https://ada:secret-token@gitlab.com/acme/cloud/policies', 'create acme/cloud/policies --provider gitlab --ref refs/heads/main'], // prettier-ignore
        ['https://github.com/acme/$(touch${IFS}x)', 'create OWNER/NAME'],
        ['https://github.com/acme/x; touch x', 'create OWNER/NAME'],
      ] as const) {
        const { stdout, text } = await init(() => grants(exchange), remote);
        expect(text).toContain(expected);
        expect(stdout + text).not.toMatch(/secret-token|touch/);
      }
    });

    it.each([
      ['https://github.com/acme/policies', 'github', 'acme/policies'],
      ['https://github.com/acme/policies.git/', 'github', 'acme/policies'],
      ['https://x-access-token:t@GitHub.com:443/acme/.github', 'github', 'acme/.github'],
      ['ssh://git@github.com/acme/policies.git', 'github', 'acme/policies'],
      ['ssh://git@ssh.github.com:443/acme/policies.git', 'github', 'acme/policies'],
      ['git@github.com:acme/policies.git', 'github', 'acme/policies'],
      ['github.com:acme/policies', 'github', 'acme/policies'],
      ['git://github.com/acme/policies.git', 'github', 'acme/policies'],
      ['https://gitlab.com/acme/cloud/policies.git', 'gitlab', 'acme/cloud/policies'],
      ['git@gitlab.com:acme/policies.git', 'gitlab', 'acme/policies'],
    ])('and finds the repository in %s', (url, provider, name) => {
      expect(repositoryAt(url)).toEqual({ provider, name });
    });

    it.each([
      'https://github.example.com/acme/policies',
      'https://github.com.evil.example/acme/policies',
      'https://evil.example/github.com/acme/policies',
      'git@evil.example:github.com/acme/policies',
      'https://github.com/acme',
      'https://github.com/acme/policies/tree/main',
      '/srv/git/policies.git',
      'C:\\git\\policies',
      '',
    ])('and finds none in %s', (url) => {
      expect(repositoryAt(url)).toBeUndefined();
    });

    it.each<[string, () => Response | Promise<Response>]>([
      ['does not offer that', () => grants('authorization_code')],
      ['has no such document', () => new Response('', { status: 404 })],
      ['answers something else', () => new Response('<html>')],
      ['cannot be reached', () => Promise.reject(new Error('refused'))],
    ])('and uses a stored secret where it %s', async (_, answer) => {
      const { stdout, text } = await init(answer);
      expect(text).toContain('GOVCTL_TOKEN: ${{ secrets.GOVCTL_TOKEN }}');
      expect(text).not.toContain('id-token');
      expect(stdout).not.toContain('trust create');
    });
  });

  it('puts the project in the names of policies, so that two repos can apply to one service', async () => {
    const service = createMinimalService();
    for (const project of ['one', 'two']) {
      const world = {
        cwd: makeRepo(),
        env: { GOVCTL_BASE_URL: 'https://service.test', GOVCTL_TOKEN: 'test' },
        fetch: service.fetch,
      };
      await runCommandLine(['init', '--project', project, '--ci', 'none'], { cwd: world.cwd });
      expect(await runCommandLine(['apply', '-y'], world)).toMatchObject({ exitCode: 0 });
      expect(await runCommandLine(['test'], { cwd: world.cwd })).toMatchObject({ exitCode: 0 });
    }
    expect([...service.policies.values()].map(({ name }) => name)).toEqual([
      'one - S3 buckets keep versions',
      'two - S3 buckets keep versions',
    ]);
    // A repo that was begun otherwise is told what to do.
    const cwd = makeRepo({
      'govctl.yaml': 'project: three\n',
      'a.yaml':
        'name: one - S3 buckets keep versions\nresource_type: A::B\nrules:\n  - condition: resource.x == 1\n    effect: DENY\n',
    });
    const refused = await runCommandLine(['plan'], {
      cwd,
      env: { GOVCTL_BASE_URL: 'https://service.test', GOVCTL_TOKEN: 'test' },
      fetch: service.fetch,
    });
    expect(refused.exitCode).toBe(5);
    expect(refused.stdout.replaceAll(/\s+/g, ' ')).toContain(
      'Rename it in a.yaml:1, for example to "three - one - S3 buckets keep versions"',
    );
  });

  it('adds no sample to policies that are there, and finds those by its config', async () => {
    const cwd = makeRepo({
      'rules/a.yaml':
        'name: a\nresource_type: A::B\nrules:\n  - condition: resource.x == 1\n    effect: DENY\n',
    });
    const { stdout } = await runCommandLine(['init', '--project', 'acme'], { cwd });
    expect(stdout).not.toContain('s3-versioning');
    const valid = await runCommandLine(['validate'], { cwd });
    expect(valid.stdout).toBe('1 policy in 1 file is valid\n');
    expect((await runCommandLine(['fmt', '--check'], { cwd })).exitCode).toBe(0);
  });

  it.each([
    ['baseline', ['set:baseline']],
    ['strict', ['set:baseline', 'set:strict']],
  ])('with --set %s copies these policies of the library with their tests', async (set, tags) => {
    const cwd = makeRepo();
    const made = await runCommandLine(['init', '--project', 'acme', '--set', set], { cwd });
    expect(made.exitCode).toBe(0);
    expect(made.stdout).toMatch(/^ {2}created {2}policies\/ \([\d,]+ files\)$/m);
    const config = readFileSync(path.join(cwd, 'govctl.yaml'), 'utf8');
    expect(parse(config)).toMatchObject({ paths: ['policies'], set });
    const files = readdirSync(path.join(cwd, 'policies'), { recursive: true, encoding: 'utf8' });
    expect(files).not.toContain(path.join('storage', 's3-encryption.yaml'));
    const copied = files.filter((file) => /\.yaml$/.test(file) && !file.endsWith('.test.yaml'));
    const sets = copied.flatMap((file) => {
      const text = readFileSync(path.join(cwd, 'policies', file), 'utf8');
      return (parse(text) as { tags: string[] }).tags.filter((tag) => tag.startsWith('set:'));
    });
    expect([...new Set(sets)].sort()).toEqual(tags);
    expect(files.some((file) => file.endsWith('.test.yaml'))).toBe(true);
    const valid = await runCommandLine(['validate'], { cwd });
    expect([valid.exitCode, valid.stdout]).toEqual([0, expect.stringMatching(/^\d+ policies in /)]);
  });

  it('warns where the govctl.yaml that is there names another set than --set', async () => {
    const cwd = makeRepo({ 'govctl.yaml': 'project: mine\n' });
    const { stderr } = await runCommandLine(['init', '--set', 'strict'], { cwd });
    expect(stderr).toContain('govctl.yaml already exists and selects the baseline set');
    expect(readFileSync(path.join(cwd, 'govctl.yaml'), 'utf8')).toBe('project: mine\n');
  });

  it('keeps every file that is there', async () => {
    const cwd = makeRepo({ 'govctl.yaml': 'project: mine\n', '.gitignore': 'dist' });
    const { stdout } = await runCommandLine(['init', '-o', 'json'], { cwd });
    const { files } = JSON.parse(stdout) as { files: { path: string; outcome: string }[] };
    expect(files.find((file) => file.path === 'govctl.yaml')?.outcome).toBe('kept');
    expect(readFileSync(path.join(cwd, 'govctl.yaml'), 'utf8')).toBe('project: mine\n');
    expect(readFileSync(path.join(cwd, '.gitignore'), 'utf8')).toBe(
      'dist\n.govctl/\nplan.json\n*.plan.json\n',
    );
    const again = await runCommandLine(['init', '-o', 'json'], { cwd });
    const outcomes = (JSON.parse(again.stdout) as { files: { outcome: string }[] }).files;
    expect(new Set(outcomes.map(({ outcome }) => outcome))).toEqual(new Set(['kept']));
  });

  it('asks for the name on a terminal only', async () => {
    const cwd = makeRepo();
    const world = createFakeWorld({ cwd, tty: true, answers: ['asked-for'] });
    await runCommandLine(['init', 'a', '--ci', 'none'], world);
    expect(world.asked).toHaveLength(1);
    expect(readFileSync(path.join(cwd, 'a/govctl.yaml'), 'utf8')).toContain('project: asked-for');
    await runCommandLine(['init', 'My Repo'], { cwd });
    expect(readFileSync(path.join(cwd, 'My Repo/govctl.yaml'), 'utf8')).toContain(
      'project: my-repo',
    );
  });

  it('refuses a name that cannot own policies, and a folder that is a file', async () => {
    const cwd = makeRepo();
    const named = await runCommandLine(['init', '--project', 'a b'], { cwd });
    expect([named.exitCode, named.stderr]).toEqual([3, expect.stringContaining('"a b"')]);
    writeFileSync(path.join(cwd, 'taken'), '');
    const taken = await runCommandLine(['init', 'taken'], { cwd });
    expect([taken.exitCode, taken.stderr]).toEqual([1, expect.stringContaining('taken')]);
  });
});

describe('govctl schema', () => {
  it('prints a schema for any policy file, and one for each kind', async () => {
    const { stdout } = await runCommandLine(['schema']);
    expect(JSON.parse(stdout)).toMatchObject({
      $schema: 'http://json-schema.org/draft-07/schema#',
      definitions: {
        Policy: { additionalProperties: false, required: ['name', 'resource_type', 'rules'] },
        PolicyTest: { type: 'object' },
        document: { properties: { kind: { enum: expect.arrayContaining(['Webhook']) } } },
      },
    });
    const webhook = await runCommandLine(['schema', 'Webhook']);
    expect(JSON.parse(webhook.stdout)).toMatchObject({
      properties: { headers: { type: 'object', additionalProperties: { type: 'string' } } },
    });
    const one = await runCommandLine(['schema', 'Exemption']);
    expect(JSON.parse(one.stdout)).toMatchObject({ properties: { expires: { type: 'string' } } });
  });

  it('names the nearest for a schema that there is not', async () => {
    const { exitCode, stderr } = await runCommandLine(['schema', 'Polcy']);
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining('Did you mean Policy?')]);
  });

  it('writes those that editors use into a folder', async () => {
    const cwd = makeRepo();
    const { stdout } = await runCommandLine(['schema', '--out', 'x/schemas'], { cwd });
    expect(stdout).toBe(
      'x/schemas/govctl-policies.schema.json\nx/schemas/govctl-config.schema.json\n',
    );
    const text = readFileSync(path.join(cwd, 'x/schemas/govctl-config.schema.json'), 'utf8');
    expect(JSON.parse(text)).toMatchObject({ properties: { project: { maxLength: 64 } } });
  });
});
