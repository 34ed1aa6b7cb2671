import {
  appendFileSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BuiltServer } from '../support/built-cli.ts';
import { makeTempFolder, runCli, startBuiltServer } from '../support/built-cli.ts';

/** The built binary against its own server, each step as a user or a CI job would type it. */
describe('the main job, with the built binary', () => {
  let server: BuiltServer;
  const folder = makeTempFolder();
  const repo = path.join(folder, 'repo');
  const govctl = (...args: string[]) =>
    runCli(args, {
      cwd: repo,
      env: {
        GOVCTL_BASE_URL: server.baseUrl,
        GOVCTL_TOKEN: server.key,
        GOVCTL_CONFIG_DIR: path.join(folder, 'config'),
      },
    });

  beforeAll(async () => {
    server = await startBuiltServer();
    const made = await runCli(['init', 'repo', '--project', 'acme'], { cwd: folder });
    expect(made.exitCode, made.stderr).toBe(0);
  });
  afterAll(async () => {
    expect(await server.stop()).toBe(0);
  });

  it('starts with a repo that is valid and well formatted', async () => {
    expect(await govctl('validate')).toMatchObject({ exitCode: 0 });
    expect(await govctl('fmt', '--check')).toMatchObject({ exitCode: 0 });
  });

  it('plans the creation, and says so with --detailed-exitcode', async () => {
    const plan = await govctl('plan', '--detailed-exitcode', '-o', 'json');
    expect(plan.exitCode).toBe(2);
    expect(JSON.parse(plan.stdout)).toMatchObject({
      format_version: 1,
      summary: { create: 1, delete: 0 },
    });
  });

  it('refuses to apply off a terminal without approval, and changes nothing', async () => {
    const apply = await govctl('apply');
    expect(apply.exitCode).toBe(3);
    expect(apply.stderr).toContain('--auto-approve');
    expect(JSON.parse((await govctl('policy', 'list', '-o', 'json')).stdout)).toMatchObject({
      policies: [],
    });
  });

  it('applies a saved plan that only its owner can read, and then has nothing left to do', async () => {
    const file = path.join(folder, 'plan.json');
    expect(await govctl('plan', '--out', file)).toMatchObject({ exitCode: 0 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const apply = await govctl('apply', file, '--auto-approve', '-o', 'json');
    expect(apply.exitCode, apply.stderr).toBe(0);
    expect(JSON.parse(apply.stdout)).toMatchObject({
      summary: { applied: 1, failed: 0, not_attempted: 0 },
    });
    expect((await govctl('plan', '--detailed-exitcode')).exitCode).toBe(0);
  });

  it('finds what was changed by hand, and puts it back', async () => {
    const { policies } = JSON.parse((await govctl('policy', 'list', '-o', 'json')).stdout) as {
      policies: [{ name: string }];
    };
    const edited = await govctl('policy', 'disable', policies[0].name, '--yes');
    expect(edited.exitCode, edited.stderr).toBe(0);
    const drift = await govctl('drift', '-o', 'json');
    expect(drift.exitCode).toBe(2);
    expect(await govctl('apply', '--auto-approve')).toMatchObject({ exitCode: 0 });
    expect(await govctl('drift')).toMatchObject({ exitCode: 0 });
  });

  it('says the same in JSON, YAML and lines of JSON', async () => {
    const list = async (format: string) => (await govctl('policy', 'list', '-o', format)).stdout;
    const json = JSON.parse(await list('json')) as { policies: object[] };
    expect(parse(await list('yaml'))).toEqual(json);
    const lines = (await list('ndjson')).trimEnd().split('\n');
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual(json.policies);
    const created = await govctl(
      'policy',
      'update',
      'acme - S3 buckets keep versions',
      '--set',
      'tags=[x]',
    );
    expect(created.exitCode, created.stderr).toBe(0);
    expect(await govctl('apply', '--auto-approve')).toMatchObject({ exitCode: 0 });
  });

  it('points at the line of a mistake and plans nothing', async () => {
    const policies = path.join(repo, 'policies');
    const file = path.join(policies, 'wrong.yaml');
    writeFileSync(
      file,
      'name: wrong\nresource_type: AWS::S3::Bucket\nrules:\n  - condition: resurce.encrypted == false\n    effect: DENY\n',
    );
    const plan = await govctl('plan');
    expect(plan.exitCode).toBe(3);
    expect(plan.stdout + plan.stderr).toMatch(/policies\/wrong\.yaml:4:16/);
    rmSync(file);
  });

  it('deletes only when it is told to prune', async () => {
    const policies = path.join(repo, 'policies');
    const [file] = readdirSync(policies, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.yaml') && !name.endsWith('.test.yaml'))
      .map((name) => path.join(policies, name));
    const text = readFileSync(String(file), 'utf8');
    writeFileSync(String(file), text.replace(/^(key|name): .*$/gm, '$1: another'));
    const kept = JSON.parse((await govctl('plan', '-o', 'json')).stdout) as {
      summary: Record<string, number>;
    };
    expect(kept.summary).toMatchObject({ create: 1, delete: 0, orphaned: 1 });
    const pruned = JSON.parse((await govctl('plan', '--prune', '-o', 'json')).stdout) as {
      summary: Record<string, number>;
    };
    expect(pruned.summary).toMatchObject({ create: 1, delete: 1 });
  });

  it('writes what the service holds as files that plan to nothing', async () => {
    const out = path.join(folder, 'imported');
    expect(await govctl('import', '--out', out)).toMatchObject({ exitCode: 0 });
    const files = readdirSync(out, { recursive: true }).filter((name) =>
      String(name).endsWith('.yaml'),
    );
    expect(files.length).toBe(1);
    const text = readFileSync(path.join(out, String(files[0])), 'utf8');
    expect(text).not.toContain('govctl.owner');
    appendFileSync(path.join(out, 'govctl.yaml'), 'project: acme\n');
  });

  it('says in one line when the server is down, and exits with 1', async () => {
    const down = await runCli(['policy', 'list'], {
      env: { GOVCTL_BASE_URL: 'http://127.0.0.1:9', GOVCTL_TOKEN: 'gk_x' },
    });
    expect(down.exitCode).toBe(1);
    expect(down.stderr).toMatch(
      /^error: http:\/\/127\.0\.0\.1:9 cannot be reached: connection refused$/m,
    );
    expect(down.stderr).not.toMatch(/^\s+at /m);
  }, 60_000);
});
