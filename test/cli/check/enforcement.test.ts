import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../support/fake-world.ts';
import { makeRepo } from '../../support/temp-repo.ts';
import { bucket } from './samples.ts';

const policy = (key: string, severity: string, tag?: string): string => `key: ${key}
name: Policy ${key}
resource_type: AWS::S3::Bucket
severity: ${severity}
${tag === undefined ? '' : `tags: [a, "enforcement:${tag}"]\n`}rules:
  - condition: resource.encryption.configured == false
    effect: DENY
    message: Encrypt.
`;

const repo = (...policies: readonly string[]): string =>
  makeRepo({
    'govctl.yaml': 'project: p\npaths: [policies]\n',
    'policies/a.yaml': policies.join('---\n'),
    'in.json': bucket('b', false),
  });

const check = (cwd: string, ...words: string[]) =>
  runCommandLine(['check', 'in.json', ...words], { cwd, columns: 100 });

describe('findings of a policy', () => {
  it.each([
    ['advisory', 'CRITICAL', [], 0],
    ['advisory', 'CRITICAL', ['--fail-on', 'LOW'], 0],
    ['mandatory', 'LOW', ['--fail-on', 'CRITICAL'], 2],
    ['mandatory', 'LOW', [], 2],
    [undefined, 'LOW', ['--fail-on', 'CRITICAL'], 0],
    [undefined, 'LOW', [], 2],
  ])('that is %s and %s, with %j, end the check with %i', async (tag, severity, words, code) => {
    const { exitCode } = await check(repo(policy('one', severity, tag)), ...words);
    expect(exitCode).toBe(code);
  });

  it.each([
    [[], 2],
    [['--on-error', 'warn'], 0],
  ])('that is mandatory and undecided, with %j, end the check with %i', async (words, code) => {
    const cwd = repo(policy('one', 'LOW', 'mandatory').replace('encryption', 'missing'));
    expect((await check(cwd, '--fail-on', 'HIGH', ...words)).exitCode).toBe(code);
  });

  it('that is advisory and undecided end the check with 0', async () => {
    const cwd = repo(policy('one', 'HIGH', 'advisory').replace('encryption', 'missing'));
    const { exitCode, stdout } = await check(cwd);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('1 advisory finding (1 HIGH); none of these fail the check.\n');
  });
});

it('a baseline has no mandatory finding, nor accepts one that an earlier baseline has', async () => {
  const cwd = repo(policy('m', 'LOW'), policy('n', 'LOW'));
  await check(cwd, '--write-baseline', 'old.json');
  writeFileSync(
    path.join(cwd, 'policies/a.yaml'),
    [policy('m', 'LOW', 'mandatory'), policy('n', 'LOW')].join('---\n'),
  );
  const { exitCode, stdout } = await check(cwd, '--baseline', 'old.json');
  expect([exitCode, stdout]).toEqual([2, expect.stringContaining('1 failed (1 LOW), 1 m')]);
  expect(stdout).not.toContain('outdated');
  await check(cwd, '--write-baseline', 'new.json');
  const written = readFileSync(path.join(cwd, 'new.json'), 'utf8');
  expect(JSON.parse(written)).toMatchObject({ findings: [{ policy: 'n' }] });
  expect((await check(cwd, '--baseline', 'new.json')).exitCode).toBe(2);
});

describe('every output says how a policy is enforced', () => {
  const all = () =>
    repo(policy('a', 'CRITICAL', 'advisory'), policy('m', 'LOW', 'mandatory'), policy('n', 'LOW'));

  it('for people', async () => {
    const { stdout } = await check(all(), '--fail-on', 'HIGH');
    expect(stdout).toContain('  CRITICAL FAIL  Policy a [a] (advisory)\n');
    expect(stdout).toContain('  LOW      FAIL  Policy m [m] (mandatory)\n');
    expect(stdout).toContain('  LOW      FAIL  Policy n [n]\n');
    expect(stdout).toContain('\n2 failed (2 LOW), 1 mandatory; 1 advisory finding (1 CRITICAL).\n');
  });

  it('in JSON', async () => {
    const { stdout } = await check(all(), '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({
      summary: { fail: 3, advisory: 1 },
      results: [{ enforcement: 'advisory' }, { enforcement: 'mandatory' }, { policy_key: 'n' }],
    });
    expect(stdout.match(/"enforcement"/g)).toHaveLength(2);
  });

  it('in SARIF, where an advisory policy has no severity that code scanning fails by', async () => {
    const { stdout } = await check(all(), '-o', 'sarif');
    const log = JSON.parse(stdout) as {
      runs: {
        tool: { driver: { rules: { properties: Record<string, unknown> }[] } };
        results: { level: string }[];
      }[];
    };
    const [run] = log.runs;
    expect(run?.results.map(({ level }) => level)).toEqual(['warning', 'error', 'note']);
    expect(run?.tool.driver.rules.map(({ properties }) => properties)).toEqual([
      { tags: ['security', 'enforcement:advisory'] },
      { 'security-severity': '2.0', tags: ['security', 'enforcement:mandatory'] },
      { 'security-severity': '2.0', tags: ['security'] },
    ]);
  });

  it('in JUnit, GitHub annotations and markdown', async () => {
    const cwd = all();
    const junit = (await check(cwd, '-o', 'junit')).stdout;
    expect(junit).toContain('tests="3" failures="2"');
    expect(junit).toContain('warning: b: Policy a (CRITICAL, advisory): Encrypt.');
    const github = (await check(cwd, '-o', 'github')).stdout;
    expect(github).toMatch(/^::warning .*Policy a \(CRITICAL, advisory\)/m);
    expect(github).toMatch(/^::error .*Policy m \(LOW, mandatory\)/m);
    const markdown = (await check(cwd, '-o', 'markdown')).stdout;
    expect(markdown).toMatch(/warning \|.*Policy a \(CRITICAL, advisory\)/);
    expect(markdown).toMatch(/error \|.*Policy m \(LOW, mandatory\)/);
  });
});

describe('govctl validate', () => {
  it.each([
    ['advisry', 'Did you mean enforcement:advisory?'],
    ['Mandatory', 'Did you mean enforcement:mandatory?'],
    ['x', 'Use enforcement:advisory or enforcement:mandatory.'],
  ])('refuses enforcement:%s: %s', async (word, hint) => {
    const cwd = repo(policy('one', 'LOW', word));
    const { exitCode, stdout } = await runCommandLine(['validate'], { cwd, columns: 100 });
    expect(exitCode).toBe(3);
    expect(stdout).toContain(`policies/a.yaml:5:11: error: "enforcement:${word}"`);
    expect(stdout).toContain(hint);
  });

  it('refuses a policy that is both advisory and mandatory', async () => {
    const cwd = repo(policy('one', 'LOW', 'advisory", "enforcement:mandatory'));
    const { exitCode, stdout } = await runCommandLine(['validate'], { cwd, columns: 100 });
    expect([exitCode, stdout]).toEqual([
      3,
      expect.stringContaining('either advisory or mandatory'),
    ]);
  });
});
