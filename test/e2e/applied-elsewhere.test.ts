import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { BuiltServer } from '../support/built-cli.ts';
import { makeTempFolder, runCli, startBuiltServer } from '../support/built-cli.ts';

let server: BuiltServer;
const repo = path.join(makeTempFolder(), 'repo');
const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=ana', '-c', 'user.email=ana@example.com', ...args], {
    cwd: repo,
    encoding: 'utf8',
  }).trim();
const govctlIn = async (cwd: string, ...args: string[]) => {
  const { stdout, stderr, exitCode } = await runCli(args, {
    cwd,
    env: { GOVCTL_BASE_URL: server.baseUrl, GOVCTL_TOKEN: server.key },
  });
  return { exitCode, stderr, stdout };
};
const govctl = (...args: string[]) => govctlIn(repo, ...args);
const write = (message: string): void =>
  writeFileSync(
    path.join(repo, 'policies', 'a.yaml'),
    `name: Versioned\nkey: versioned\nresource_type: AWS::S3::Bucket\nrules:\n  - {condition: 'true', effect: DENY, message: ${message}}\n`,
  );
const commit = (message: string): string => {
  write(message);
  git('add', '-A');
  git('commit', '-qm', message);
  return git('rev-parse', 'HEAD');
};
const apply = async (): Promise<void> => {
  const { exitCode, stderr } = await govctl('apply', '--auto-approve', '-o', 'json');
  expect(exitCode, stderr).toBe(0);
};
const reason = async (cwd = repo): Promise<string> => {
  const { stdout } = await govctlIn(cwd, 'plan', '-o', 'json');
  return (JSON.parse(stdout) as { changes: { reason: string }[] }).changes[0]?.reason ?? '';
};

beforeAll(async () => {
  server = await startBuiltServer();
  mkdirSync(path.join(repo, 'policies'), { recursive: true });
  writeFileSync(path.join(repo, 'govctl.yaml'), 'project: shop\npaths: [policies]\n');
  git('init', '-q', '-b', 'main');
  commit('one');
});
afterAll(async () => {
  expect(await server.stop()).toBe(0);
});

it('a plan tells a changed file from what another branch applied, and drift says who', async () => {
  await apply();
  commit('two');
  expect(await reason()).toBe('file changed');
  git('checkout', '-qb', 'feature');
  const feature = commit('three');
  await apply();
  const { stdout } = await govctl('policy', 'get', 'Versioned');
  expect(stdout).toContain(`commit ${feature.slice(0, 7)}, branch feature, `);

  git('checkout', '-q', 'main');
  expect(await reason()).toMatch(
    new RegExp(
      `^applied from elsewhere \\(commit ${feature.slice(0, 7)}, branch feature, \\d{4}-.* UTC\\)$`,
    ),
  );
  write('four');
  await apply();
  write('five');
  expect(await reason()).toMatch(
    /^file changed; last applied with uncommitted changes \(commit \w{7}, branch main, /,
  );

  const { stdout: got } = await govctl('policy', 'get', 'Versioned', '-o', 'json');
  const { id } = JSON.parse(got) as { id: string };
  const edit = await govctl('api', 'PUT', `/v1/policies/${id}`, '--data', '{"severity":"LOW"}');
  expect(edit.exitCode, edit.stderr).toBe(0);
  const drift = await govctl('drift');
  expect(drift.exitCode).toBe(2);
  expect(drift.stdout).toMatch(/edited outside git since the last apply, last at [^]+ by\s+\S+/);
  const { stdout: value } = await govctl('drift', '-o', 'json');
  expect(JSON.parse(value)).toMatchObject({
    drifted: [{ edited_by: expect.any(String) as string }],
  });

  const { stdout: log } = await govctl('audit', 'list', '-o', 'json');
  const { audit_log: entries } = JSON.parse(log) as {
    audit_log: { source?: { branch: string } }[];
  };
  expect(entries.map(({ source }) => source?.branch)).toEqual([
    undefined,
    'main',
    'feature',
    'main',
    undefined,
  ]);
});

it('a plan says of what has no file here that another branch applied it, also before it is deleted', async () => {
  git('checkout', '-qf', 'feature');
  const file = path.join(repo, 'policies', 'b.yaml');
  writeFileSync(file, "name: Other\nkey: other\nresource_type: AWS::S3::Bucket\nrules:\n  - {condition: 'true', effect: DENY, message: x}\n"); // prettier-ignore
  const feature = commit('of the branch');
  await apply();
  git('checkout', '-q', 'main');
  const said = new RegExp(`applied from elsewhere \\(commit ${feature.slice(0, 7)}, branch feature, \\d{4}-[^]* UTC\\)`); // prettier-ignore
  const kept = await govctl('plan');
  expect(kept.stdout).toMatch(/^ {2}\? other {2}pol_\w+\n {6}applied from elsewhere/m);
  expect(kept.stdout).toMatch(said);
  expect((await govctl('plan', '-o', 'markdown')).stdout).toMatch(said);
  const pruned = await govctl('plan', '--prune');
  expect(pruned.stdout).toMatch(/- delete other/);
  expect(pruned.stdout.replaceAll(/\s+/g, ' ')).toMatch(new RegExp(`in no file; ${said.source}`));
  const { stdout, exitCode } = await govctl('apply', '--prune', '--auto-approve');
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('deleted other')]);
});

it('a shallow clone, which lacks the commit, does not claim that another branch applied it', async () => {
  write('six');
  await apply();
  const full = commit('seven');
  writeFileSync(path.join(repo, 'check.sarif'), '{}');
  await apply();
  const { stdout } = await govctl('policy', 'get', 'Versioned', '-o', 'json');
  expect(JSON.parse(stdout)).toMatchObject({ applied: { commit: full } });
  // What is no document is no change of them.
  expect((JSON.parse(stdout) as { applied: object }).applied).not.toHaveProperty('dirty');
  commit('eight');
  expect(await reason()).toBe('file changed');
  const shallow = path.join(makeTempFolder(), 'shallow');
  git('clone', '-q', '--depth=1', `file://${repo}`, shallow);
  expect(await reason(shallow)).toBe('file changed');
  execFileSync('git', ['fetch', '-q', '--unshallow'], { cwd: shallow });
  expect(await reason(shallow)).toBe('file changed');
});
