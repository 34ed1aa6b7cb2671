import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFakeWorld, runCommandLine } from '../../support/fake-world.ts';
import { makeRepo } from '../../support/temp-repo.ts';
import { until } from '../../support/until.ts';
import { policies, template } from '../check/samples.ts';

const head = `policy: a.yaml
cases:
  - name: a bucket
    input:
`;
const inline = (encrypted: string): string => `      resources:
        - id: b
          type: AWS::S3::Bucket
          tags: {owner: ana}
          encryption: {configured: ${encrypted}}
        - {id: q, type: "AWS::SQS::Queue"}
`;
/** A second case, which `s3-encryption` passes. */
const covering = `  - name: an encrypted bucket
    input:
${inline('true')}    expect: []
`;

const expecting = (...lines: readonly string[]): string =>
  lines.length === 0
    ? '    expect: []\n'
    : `    expect:\n${lines.map((line) => `      - ${line}\n`).join('')}`;

const repo = (test: string, more: Readonly<Record<string, string>> = {}): string =>
  makeRepo({ 'a.yaml': policies, 'a.test.yaml': test, ...more });

const run = (cwd: string, ...words: readonly string[]) =>
  runCommandLine(['test', ...words], { cwd, columns: 80 });

const failing = '{resource: b, result: fail, policy: s3-encryption}';

describe('govctl test', () => {
  it('passes where every expectation is met and nothing else is found', async () => {
    const cwd = repo(head + inline('false') + expecting(failing, '{resource: q, result: skip}'));
    expect(await run(cwd)).toEqual({
      exitCode: 0,
      stdout: '1 case in 1 test: all passed.\n',
      stderr: '',
    });
  });

  it('shows what was expected beside what was found, at its line', async () => {
    const cwd = repo(head + inline('true') + expecting(failing));
    expect(await run(cwd)).toEqual({
      exitCode: 2,
      stdout: `FAIL  a.test.yaml:3:11  a bucket
  a.test.yaml:12:10  the result differs
    b, Buckets are encrypted
    - expected fail
    + found    pass

1 case in 1 test: 1 failed, 0 passed.
`,
      stderr: '',
    });
  });

  it.each([
    ['nothing.yaml', 'Set it to the path of the policy file, relative to the directory of this'],
    ['a', 'Did you mean "a.yaml"?'],
    ['ab.yaml', 'Did you mean "a.yaml"?'],
  ])('names the line of a policy file that is not there: %s', async (policy, hint) => {
    const cwd = repo(head.replace('a.yaml', policy) + inline('false') + expecting());
    const { exitCode, stdout } = await run(cwd);
    expect(exitCode).toBe(3);
    expect(stdout).toContain(`a.test.yaml:1:9: error: the policy file "${policy}" does not exist`);
    expect(stdout).toContain(hint);
  });

  it('says what an expectation is made of where it is a word', async () => {
    const { exitCode, stdout } = await run(repo(`${head}${inline('false')}    expect: FAIL\n`));
    expect(exitCode).toBe(3);
    expect(stdout).toContain('cases[0].expect must be a list, but is "FAIL"');
    expect(stdout).toContain('Use a list of items with these fields: resource, result, message,');
  });

  it.each([
    ['Resources: {A: {Type: "AWS::S3::Bucket"}}', 'cloudformation'],
    ['resource_changes: []', 'terraform'],
    ['contentVersion: 1.0.0.0', 'azure_resources'],
  ])('says where a template or plan belongs that is the input itself: %s', async (field, key) => {
    const { exitCode, stdout } = await run(repo(`${head}      ${field}\n${expecting()}`));
    expect(exitCode).toBe(3);
    expect(stdout).toContain(`Move the input under ${key}: input: {${key}:`);
    expect(stdout).not.toContain('Did you mean');
  });

  it('fails for a finding that no expectation names', async () => {
    const { stdout, exitCode } = await run(repo(head + inline('false') + expecting()));
    expect(exitCode).toBe(2);
    expect(stdout).toContain(`  a.test.yaml:3:11  unexpected finding
    b, Buckets are encrypted
    + found    fail: Switch on default encryption.
`);
  });

  it.each([
    ['its result', '{resource: b, result: fail}', true],
    ['another result', '{resource: b, result: pass, policy: s3-encryption}', false],
    ['a part of the message', '{resource: b, result: fail, message: default encryption}', true],
    ['the message folded', '{resource: b, result: fail, message: "Switch on\\n default"}', true],
    ['another message', '{resource: b, result: fail, message: Switch off}', false],
    ['the policy by its name', '{resource: b, result: fail, policy: Buckets are encrypted}', true],
  ])('meets an expectation by %s', async (_, expectation, met) => {
    const { exitCode } = await run(repo(head + inline('false') + expecting(expectation)));
    expect(exitCode).toBe(met ? 0 : 2);
  });

  it.each([
    ['{resource: bb, result: pass}', 'no resource "bb" in the input; did you mean "b"?'],
    [
      '{resource: b, result: pass, policy: s3-owners}',
      'no policy "s3-owners" in a.yaml; did you mean "s3-owner"?',
    ],
  ])('names the nearest where an expectation is about nothing: %s', async (expectation, said) => {
    const { exitCode, stdout } = await run(repo(head + inline('true') + expecting(expectation)));
    expect(exitCode).toBe(2);
    expect(stdout.replace(/\s+/g, ' ')).toContain(said);
  });

  it('tells errors, exemptions and disabled policies apart', async () => {
    const cwd = repo(
      `${head}      resources:
        - {id: none, type: "AWS::S3::Bucket", tags: {owner: ana}}
        - {id: legacy, type: "AWS::S3::Bucket", tags: {owner: ana}, encryption: {configured: false}}
${expecting(
  '{resource: none, result: error, message: resource.encryption is not set}',
  '{resource: legacy, result: exempt}',
  '{resource: none, result: skip, policy: off}',
)}---
kind: Exemption
policy: s3-encryption
resources: [legacy]
reason: r
owner: o
expires: 2030-01-01
`,
      {
        'a.yaml': `${policies}---
name: off
enabled: false
resource_type: AWS::S3::Bucket
rules: [{condition: "true", effect: DENY}]
`,
      },
    );
    expect(await run(cwd)).toMatchObject({ exitCode: 0 });
  });

  it('sets `now` for a test, and for a case of it', async () => {
    const cwd = repo(
      `now: 2026-01-01
policy: a.yaml
cases:
  - name: early
    input: {resources: [{id: x, type: "A::B"}]}
    expect: [{resource: x, result: pass}]
  - name: late
    now: 2027-06-01T00:00:00Z
    input: {resources: [{id: x, type: "A::B"}]}
    expect: [{resource: x, result: fail}]
`,
      {
        'a.yaml': `name: old
resource_type: A::B
rules: [{condition: 'now > timestamp("2027-01-01T00:00:00Z")', effect: DENY}]
`,
      },
    );
    expect(await run(cwd)).toMatchObject({ exitCode: 0 });
  });

  it('reads inputs from files beside the test', async () => {
    const test = `${head}      cloudformation: t.template\n${expecting(
      '{resource: Plain, result: fail, policy: s3-encryption}',
    )}`;
    expect(await run(repo(test, { 't.template': template }))).toMatchObject({ exitCode: 0 });
    const broken = await run(repo(test, { 't.template': 'Resources: [' }));
    expect(broken.stdout).toMatch(/a\.test\.yaml:5:\d+ {2}t\.template:1:/);
    const gone = await run(repo(test));
    expect([gone.exitCode, gone.stdout]).toEqual([2, expect.stringContaining('t.template: ')]);
  });

  it('reads inputs that stand in the test, in every format', async () => {
    const document = `      cloudformation:
        Resources:
          Plain:
            Type: AWS::S3::Bucket
            Properties: {BucketName: {Ref: Name}, Tags: [{Key: owner, Value: ana}]}
`;
    const expected = expecting('{resource: Plain, result: fail, policy: s3-encryption}');
    expect(await run(repo(head + document + expected))).toMatchObject({ exitCode: 0 });
    const broken = await run(repo(`${head}      cloudformation: {Resources: 1}\n${expected}`));
    expect([broken.exitCode, broken.stdout]).toEqual([
      2,
      expect.stringContaining('cloudformation: Resources'),
    ]);
  });

  it('finds the policies of a test wherever they are', async () => {
    const cwd = makeRepo({
      'policies/a.yaml': policies,
      'tests/a.test.yaml': (head + inline('false') + expecting(failing)).replace(
        'a.yaml',
        '../policies/a.yaml',
      ),
    });
    expect(await run(cwd, 'tests')).toMatchObject({ exitCode: 0 });
  });

  it('can require a test of every policy', async () => {
    const cwd = repo(head + inline('false') + expecting(failing), {
      'b.yaml': 'name: lonely\nresource_type: A::B\nrules: [{condition: "true", effect: DENY}]\n',
    });
    expect((await run(cwd)).exitCode).toBe(0);
    const { exitCode, stdout } = await run(cwd, '--require-tests');
    expect(exitCode).toBe(2);
    expect(stdout).toContain('NO TEST  b.yaml:1:1  lonely\n');
    expect(stdout).toContain('1 policy has no test.');
  });

  it('shows which rules and outcomes no case has seen', async () => {
    const cwd = repo(head + inline('false') + expecting(failing));
    const { stdout } = await run(cwd, '--coverage');
    expect(stdout).toBe(`POLICY         PASS  FAIL  ERROR  NOT COVERED
s3-encryption     0     1      0  never passes
s3-owner          1     0      0  never fails

1 case in 1 test: all passed.
Coverage: 0 of 2 rules covered (0%); 0 of 2 policies tested for both pass and fail.
`);
    const json = await run(cwd, '--coverage', '-o', 'json');
    expect(JSON.parse(json.stdout)).toMatchObject({
      format_version: 1,
      summary: { tests: 1, cases: 1, pass: 1, fail: 0, coverage_percent: 0 },
      coverage: [
        {
          key: 's3-encryption',
          outcomes: { pass: 0, fail: 1, skip: 1 },
          rules: [{ index: 0, matched: 1, not_matched: 0, undecided: 0 }],
        },
        { key: 's3-owner', gaps: ['never fails'] },
      ],
    });
  });

  it('can require that cases cover the rules, each with a match and a miss', async () => {
    const half = repo(head + inline('false') + expecting(failing) + covering);
    expect((await run(half, '--coverage')).exitCode).toBe(0);
    expect((await run(half, '--require-coverage', '50')).exitCode).toBe(0);
    const { exitCode, stdout } = await run(half, '--require-coverage', '51');
    expect([exitCode, stdout]).toEqual([2, expect.stringContaining('never fails')]);
    const github = await run(half, '--require-coverage', '-o', 'github');
    expect(github.exitCode).toBe(2);
    expect(github.stdout).toContain(
      `the tests do not cover the policy "Buckets have an owner": never fails`,
    );
    const junit = await run(half, '--require-coverage', '-o', 'junit');
    expect(junit.stdout).toContain('Buckets have an owner is covered by tests');
    expect((await run(half, '--require-coverage', 'all')).exitCode).toBe(3);
  });

  const manyRules = (count: number, apart: string): string =>
    `name: many\nresource_type: A::B\nrules:\n${Array.from({ length: count }, (_, at) => `  - {condition: "resource.n == ${at}${at === count - 1 ? apart : ''}", effect: DENY, message: m}\n`).join('')}`;
  const oneEach = (count: number): string =>
    `policy: many.yaml\ncases: [{name: n, input: {resources: [${Array.from({ length: count }, (_, at) => `{type: 'A::B', id: r${at}, n: ${at}}`).join(', ')}]}, expect: [${Array.from({ length: count }, (_, at) => `{resource: r${at}, result: fail}`).join(', ')}]}]\n`;

  it('compares the exact share of covered rules with the one required', async () => {
    const cwd = makeRepo({ 'many.yaml': manyRules(9, ' && false'), 'many.test.yaml': oneEach(8) });
    const covered = (percent: string) => run(cwd, `--require-coverage=${percent}`);
    expect((await covered('88.5')).exitCode).toBe(0);
    const { exitCode, stdout } = await covered('88.9');
    expect(exitCode).toBe(2);
    expect(stdout).toContain('8 of 9 rules covered (88.88%)');
  });

  it('lists a policy that never passes apart from those with rules that are not covered', async () => {
    const cwd = makeRepo({ 'many.yaml': manyRules(2, ''), 'many.test.yaml': oneEach(2) });
    const { exitCode, stdout } = await run(cwd, '--require-coverage');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('PARTLY COVERED\nmany       0     2      0  never passes\n');
  });

  it('names each rule that no case matches where the terminal has 80 columns', async () => {
    const cwd = makeRepo({ 'many.yaml': manyRules(12, ''), 'many.test.yaml': oneEach(1) });
    const { stdout } = await runCommandLine(['test', '--coverage'], {
      cwd,
      columns: 80,
      tty: true,
    });
    expect(stdout).toContain('rules[1] never matches\n');
    expect(stdout).toContain('rules[11] never matches\n');
    expect(stdout).not.toContain('…');
  });

  it('asks for no test of a policy that is off', async () => {
    const cwd = repo(head + inline('false') + expecting(failing) + covering, {
      'b.yaml':
        'name: off\nenabled: false\nresource_type: A::B\nrules: [{condition: "true", effect: DENY}]\n',
    });
    const { exitCode, stdout } = await run(cwd, '--require-tests', '--require-coverage=50');
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('1 of 2 rules covered (50%)')]);
  });

  it('runs the tests of one policy', async () => {
    const cwd = repo(head + inline('false') + expecting(failing), {
      'b.yaml': 'name: other\nresource_type: A::B\nrules: [{condition: "true", effect: DENY}]\n',
      'b.test.yaml': `policy: b.yaml\ncases: [{name: n, input: {resources: []}, expect: [{resource: x, result: pass}]}]\n`,
    });
    expect((await run(cwd)).exitCode).toBe(2);
    expect((await run(cwd, '--policy', 's3-owner')).exitCode).toBe(0);
    const unknown = await run(cwd, '--policy', 'othr');
    expect([unknown.exitCode, unknown.stderr]).toEqual([3, expect.stringContaining('"other"')]);
  });

  it('ends with 3 without tests, and where a file is not valid', async () => {
    const none = await run(makeRepo({ 'a.yaml': policies }));
    expect([none.exitCode, none.stderr]).toEqual([3, expect.stringContaining('No tests found')]);
    const cwd = repo('policy: a.yaml\ncases: []\n');
    const { exitCode, stdout } = await run(cwd);
    expect(exitCode).toBe(3);
    expect(stdout).toBe((await runCommandLine(['validate'], { cwd, columns: 80 })).stdout);
  });

  it('has reports that point at the expectation', async () => {
    const cwd = repo(head + inline('true') + expecting(failing));
    const junit = await run(cwd, '-o', 'junit');
    expect(junit.stdout).toContain('name="a.test.yaml: a bucket" file="a.test.yaml">');
    expect(junit.stdout).toContain('failures="1"');
    const github = await run(cwd, '-o', 'github');
    expect(github.stdout).toMatch(/^::error file=a\.test\.yaml,line=12,col=10,/);
    expect(github.stdout).toContain('expected fail; found pass');
    const markdown = await run(cwd, '-o', 'markdown');
    expect(markdown.stdout).toContain('1 case in 1 test: 1 failed, 0 passed.');
  });
});

describe('govctl test --watch', () => {
  it('tests again after a change, and Ctrl-C ends it with 0', async () => {
    const cwd = repo(head + inline('true') + expecting(failing));
    const controller = new AbortController();
    const world = createFakeWorld({ cwd, signal: controller.signal });
    const ended = runCommandLine(['test', '--watch'], world);
    const untilWritten = (text: string) => until(() => world.written.stdout.includes(text));
    await untilWritten('1 failed, 0 passed');
    writeFileSync(path.join(cwd, 'a.test.yaml'), head + inline('false') + expecting(failing));
    await untilWritten('all passed');
    controller.abort();
    expect((await ended).exitCode).toBe(0);
    expect(world.written.stdout).not.toContain('\u001b[2J');
  });
});
