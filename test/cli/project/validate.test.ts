import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../support/fake-world.ts';
import { makeRepo } from '../../support/temp-repo.ts';

const good = `name: a
resource_type: A::B
rules:
  - condition: resource.x == 1
    effect: DENY
`;
const bad = good.replace('resource.x', 'resurce.x').replace('name: a', 'name: b');

/** A policy with `amount` unknown fields. */
const manyFaults = (amount: number): string =>
  good + Array.from({ length: amount }, (_, n) => `field_${n}: 1\n`).join('');

const warned =
  'kind: Webhook\nurl: https://example.com\nevents: [scan.failed]\nsecret: written-out\n';

describe('govctl validate', () => {
  it('says how many policies are valid', async () => {
    const cwd = makeRepo({ 'a.yaml': good, 'b/c.yaml': good.replace('name: a', 'name: c') });
    expect(await runCommandLine(['validate'], { cwd })).toEqual({
      exitCode: 0,
      stdout: '2 policies in 2 files are valid\n',
      stderr: '',
    });
  });

  it('says how many webhooks are, too', async () => {
    const named = warned.replace('written-out', '${HOOK_SECRET}');
    const cwd = makeRepo({ 'a.yaml': good, 'hooks/w.yaml': named });
    const both = await runCommandLine(['validate'], { cwd });
    expect(both.stdout).toBe('2 documents (1 policy, 1 webhook) in 2 files are valid\n');
    const hooks = await runCommandLine(['validate', 'hooks'], { cwd });
    expect(hooks.stdout).toBe('1 webhook in 1 file is valid\n');
  });

  it.each([
    ['scan.faild', 'Did you mean scan.failed?\n'],
    ['policy.violation.create', 'Did you mean policy.violation.created or policy.violation.'],
    ['nothing-like-it', 'Event types: policy.violation.created, policy.violation.resolved,\n'],
  ])('says what an unknown event type %s may be, in lines that fit', async (type, hint) => {
    const cwd = makeRepo({ 'w.yaml': warned.replace('scan.failed', type) });
    const { stdout } = await runCommandLine(['validate'], { cwd, columns: 80 });
    expect(stdout).toContain(
      `w.yaml:3:10: error: events[0] is "${type}", which is not an event type`,
    );
    expect(stdout).toContain(`     = ${hint}`);
    const lines = stdout.split('\n').filter((line) => !line.startsWith('w.yaml'));
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
  });

  it('names the condition with which those of a policy are too long together, and compiles none', async () => {
    // It would not compile, and nobody looks.
    const long = `${'resource.x == 1 || '.repeat(2_000)}||`;
    const rules = [long, long, 'resource.x == 1'].map(
      (condition) => `  - effect: DENY\n    condition: ${condition}\n`,
    );
    const head = 'name: long\nresource_type: A::B\nrules:\n';
    const cwd = makeRepo({
      'a/long.yaml': head + rules.join(''),
      'b.yaml': good,
      // One of them alone is none too many.
      'c.yaml': head.replace('long', 'short') + (rules[2] ?? '').repeat(3),
    });
    const { exitCode, stdout } = await runCommandLine(['validate'], { cwd, columns: 100 });
    expect(exitCode).toBe(3);
    expect(stdout).toContain(
      'a/long.yaml:7:16: error: the conditions of one policy exceed the limit of 65,536 characters in total',
    );
    expect(stdout).toContain('= Move rules to other policies.');
    const json = await runCommandLine(['validate', '-o', 'json'], { cwd });
    expect(JSON.parse(json.stdout)).toMatchObject({
      problems: [{ file: 'a/long.yaml', line: 7, column: 16, code: 'condition' }],
    });
  });

  it('tells of a condition that is too long alone once', async () => {
    const condition = `resource.${'x'.repeat(70_000)}`;
    const cwd = makeRepo({
      'a.yaml': `name: long\nresource_type: A::B\nrules:\n  - effect: DENY\n    condition: ${condition}\n`,
    });
    const { stdout } = await runCommandLine(['validate', '-o', 'json'], { cwd });
    expect((JSON.parse(stdout) as { problems: unknown[] }).problems).toEqual([
      expect.objectContaining({
        message: expect.stringContaining('must have at most 65,536 characters') as unknown,
      }),
    ]);
  });

  it('fails where there are no files: the path may be wrong', async () => {
    const { exitCode, stdout } = await runCommandLine(['validate'], { cwd: makeRepo() });
    expect([exitCode, stdout]).toEqual([
      3,
      'No policy files found: no *.yaml or *.yml files in these paths\n',
    ]);
  });

  it('counts exemptions', async () => {
    const cwd = makeRepo({
      'a.yaml': `${good}---
kind: Exemption
policy: a
resources: [x]
reason: legacy
owner: me
expires: 2030-01-01
`,
    });
    const { stdout } = await runCommandLine(['validate'], { cwd });
    expect(stdout).toContain('2 documents (1 policy, 1 exemption) in 1 file are valid');
  });

  it('warns of an exemption from no known policy, and of one that ended', async () => {
    const waiver = (policy: string, expires: string): string =>
      `kind: Exemption\npolicy: ${policy}\nresources: [x]\nreason: r\nowner: me\nexpires: ${expires}\n`;
    const cwd = makeRepo({
      'a.yaml': good.replace('name: a', 'name: Encrypt buckets'),
      'w.yaml': [
        waiver('encrypt-bucket', '2030-01-01'),
        waiver('Encrypt buckets', '2026-01-14'),
        waiver('encrypt-buckets', '2026-01-15'),
      ].join('---\n'),
    });
    const { exitCode, stdout } = await runCommandLine(['validate'], { cwd });
    expect(exitCode).toBe(0);
    expect(stdout).toContain(
      'w.yaml:2:9: warning: no policy in these files has the name or key "encrypt-bucket" [unknown-policy]',
    );
    expect(stdout).toContain('Did you mean "encrypt-buckets"?');
    expect(stdout).toContain(
      'w.yaml:13:10: warning: the exemption expired: 2026-01-14 was its last day [expired-exemption]',
    );
    expect(stdout).toContain(
      '4 documents (1 policy, 3 exemptions) in 2 files are valid, with 2 warnings',
    );
    const part = await runCommandLine(['validate', 'w.yaml'], { cwd });
    expect(part.stdout).not.toContain('unknown-policy');
  });

  it('finds a test whose policy file is not there', async () => {
    const cwd = makeRepo({
      'policies/a.yaml': good,
      'policies/a.test.yaml':
        'policy: b.yaml\ncases:\n  - name: n\n    input: {resources: [{id: x, type: "A::B"}]}\n    expect: []\n',
    });
    const { exitCode, stdout } = await runCommandLine(['validate'], { cwd });
    expect(exitCode).toBe(3);
    expect(stdout).toContain(
      'policies/a.test.yaml:1:9: error: the policy file "b.yaml" does not exist [missing-file]',
    );
    expect(stdout).toContain('= Did you mean "a.yaml"?');
  });

  it('shows each fault under its line, and exits with 3', async () => {
    const cwd = makeRepo({ 'a.yaml': good, 'b.yaml': bad });
    expect(await runCommandLine(['validate'], { cwd })).toEqual({
      exitCode: 3,
      stdout: `b.yaml:4:16: error: rules[0].condition: Unknown variable: resurce [condition]
   4 |   - condition: resurce.x == 1
     |                ^^^^^^^
     = Did you mean resource?

1 error in 1 file; 2 files read
`,
      stderr: '',
    });
  });

  it('keeps the caret under its place after tabs and wide characters, and defuses control characters', async () => {
    const cwd = makeRepo({
      'a.yaml': `name: "存储\tx"\nresource_type: A::B\nrules: [{condition: "'存储' == nobody", effect: DENY}]\n"\\e[31m": 1\n`,
    });
    const { stdout } = await runCommandLine(['validate'], { cwd });
    const lines = stdout.split('\n');
    const at = lines.findIndex((line) => line.includes('nobody"'));
    const before = (lines[at] ?? '').split('nobody')[0] ?? '';
    expect(lines[at + 1]).toBe(`     | ${' '.repeat(before.length - 7 + 2)}^^^^^^`);
    expect(stdout).not.toContain('\u001b');
  });

  it('does not fail on warnings but with --strict', async () => {
    const cwd = makeRepo({ 'a.yaml': good, 'w.yaml': warned });
    const { exitCode, stdout } = await runCommandLine(['validate'], { cwd });
    expect(exitCode).toBe(0);
    expect(stdout).toContain(
      '2 documents (1 policy, 1 webhook) in 2 files are valid, with 1 warning\n',
    );
    expect((await runCommandLine(['validate', '--strict'], { cwd })).exitCode).toBe(3);
  });

  it('refuses a path that is not there, and an unknown format', async () => {
    const cwd = makeRepo();
    const gone = await runCommandLine(['validate', 'gone'], { cwd });
    expect([gone.exitCode, gone.stderr]).toEqual([
      3,
      expect.stringContaining('gone: no such file or directory'),
    ]);
    const odd = await runCommandLine(['validate', '-o', 'sarf'], { cwd });
    expect([odd.exitCode, odd.stderr]).toEqual([3, expect.stringContaining('Did you mean sarif?')]);
  });

  it('has a JSON form that stays', async () => {
    const cwd = makeRepo({ 'b.yaml': bad });
    const { stdout } = await runCommandLine(['validate', '-o', 'json'], { cwd });
    expect(JSON.parse(stdout)).toEqual({
      format_version: 1,
      summary: {
        files: 1,
        policies: 1,
        schedules: 0,
        webhooks: 0,
        exemptions: 0,
        frameworks: 0,
        budgets: 0,
        policy_tests: 0,
        errors: 1,
        warnings: 0,
      },
      problems: [
        {
          level: 'error',
          code: 'condition',
          message: 'rules[0].condition: Unknown variable: resurce',
          hint: 'Did you mean resource?',
          file: 'b.yaml',
          line: 4,
          column: 16,
          excerpt: { text: '  - condition: resurce.x == 1', width: 7 },
        },
      ],
    });
  });
});

describe('the reports of govctl validate', () => {
  it('annotate at most ten errors on GitHub and count the rest', async () => {
    const cwd = makeRepo({ 'a.yaml': manyFaults(14) });
    const { stdout, exitCode } = await runCommandLine(['validate', '-o', 'github'], { cwd });
    const lines = stdout.trimEnd().split('\n');
    expect(exitCode).toBe(3);
    expect(lines).toHaveLength(11);
    expect(lines[0]).toMatch(
      /^::error file=a\.yaml,line=6,col=1,endColumn=8,title=govctl%3A unknown-field::unknown field "field_0"%0AAllowed fields: /,
    );
    expect(lines[10]).toMatch(/^4 more not shown \(4 errors\)/);
  });

  it('name files from the root of the checkout on GitHub', async () => {
    const root = makeRepo({ 'sub/b.yaml': bad });
    const { stdout } = await runCommandLine(['validate', '-o', 'github'], {
      cwd: path.join(root, 'sub'),
      env: { GITHUB_WORKSPACE: root },
    });
    expect(stdout).toContain('file=sub/b.yaml,');
  });

  it('hand their figures to later steps of a GitHub job', async () => {
    const cwd = makeRepo({ 'b.yaml': bad, output: 'before=1\n' });
    const file = path.join(cwd, 'output');
    await runCommandLine(['validate'], { cwd, env: { GITHUB_OUTPUT: file } });
    const lines = readFileSync(file, 'utf8').split('\n');
    expect(lines).toEqual(
      expect.arrayContaining(['before=1', 'valid=false', 'errors=1', 'policies=1']),
    );
  });

  it('give SARIF a place for each result, and a fingerprint that survives moved lines', async () => {
    const sarif = async (text: string) => {
      const cwd = makeRepo({ 'b c.yaml': text });
      const { stdout } = await runCommandLine(['validate', '-o', 'sarif'], { cwd });
      return JSON.parse(stdout) as {
        version: string;
        runs: [{ results: { locations: unknown; partialFingerprints: unknown }[] }];
      };
    };
    const [before, after] = [await sarif(bad), await sarif(`# moved\n\n${bad}`)];
    expect(before.version).toBe('2.1.0');
    expect(before.runs[0].results).toHaveLength(1);
    expect(after.runs[0].results[0]).toMatchObject({
      ruleId: 'condition',
      level: 'error',
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'b%20c.yaml' },
            region: { startLine: 6, startColumn: 16, endColumn: 23 },
          },
        },
      ],
    });
    expect(after.runs[0].results[0]?.partialFingerprints).toEqual(
      before.runs[0].results[0]?.partialFingerprints,
    );
  });

  it('give JUnit a test case for each file, and escape what files hold', async () => {
    const cwd = makeRepo({ 'a.yaml': good, 'b.yaml': `${bad}"<&\\u0001>": 1\n` });
    const { stdout } = await runCommandLine(['validate', '-o', 'junit'], { cwd });
    expect(stdout).toContain('<testsuites name="govctl" tests="2" failures="1" errors="0">');
    expect(stdout).toContain('<testcase classname="govctl validate" name="a.yaml" file="a.yaml"/>');
    expect(stdout).toContain('unknown field &quot;&lt;&amp;\ufffd&gt;&quot;');
  });

  it('keep markdown under 60,000 bytes, with the summary first', async () => {
    const cwd = makeRepo({ 'a.yaml': manyFaults(2_000) });
    const { stdout } = await runCommandLine(['validate', '-o', 'markdown'], { cwd });
    expect(Buffer.byteLength(stdout)).toBeLessThan(60_000);
    expect(stdout.split('\n')[2]).toBe('2,000 errors in 1 file; 1 file read');
    expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^\d+ more\. Run /);
  });

  it('go into files beside what is on stdout', async () => {
    const cwd = makeRepo({ 'a.yaml': good });
    const file = path.join(cwd, 'out.json');
    const { stdout } = await runCommandLine(['validate', '-o', `table,json=${file}`], { cwd });
    expect(stdout).toBe('1 policy in 1 file is valid\n');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ summary: { policies: 1 } });
  });
});
