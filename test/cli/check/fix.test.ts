import { chmodSync, readFileSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { runCommandLine } from '../../support/fake-world.ts';
import { makeRepo } from '../../support/temp-repo.ts';

const policy = (name: string, condition: string, more = ''): string => `name: ${name}
resource_type: AWS::S3::Bucket
severity: HIGH
rules:
  - {condition: '${condition}', effect: DENY}
${more}---
`;

const patch = `remediation_action: 'patch:{"versioning":{"enabled":true}}'\n`;

const policies =
  policy('versioned', '!resource.versioning.enabled', patch) +
  policy('named', '!has(resource.name)');

const template = `Resources:
  # Of the shop.
  Bucket:
    Type: AWS::S3::Bucket
    Properties:
      BucketName: shop   # its name

  Bare: {Type: AWS::S3::Bucket}
`;

const fixed = template
  .replace('its name\n', 'its name\n      VersioningConfiguration:\n        Status: Enabled\n')
  .replace('Bucket}', 'Bucket, Properties: {VersioningConfiguration: {Status: Enabled}}}');

const repoOf = (files: Readonly<Record<string, string>> = {}): string =>
  makeRepo({
    'govctl.yaml': 'project: p\npaths: [policies]\n',
    'policies/a.yaml': policies,
    't.yaml': template,
    ...files,
  });

const check = (cwd: string, words: string, stdin?: string) =>
  runCommandLine(['check', ...words.split(' ')], {
    cwd,
    columns: 100,
    ...(stdin === undefined ? {} : { stdin }),
  });

const textOf = (cwd: string, file = 't.yaml'): string => readFileSync(path.join(cwd, file), 'utf8');

it('shows the fixes as a diff, and writes nothing', async () => {
  const cwd = repoOf();
  const { stdout, exitCode } = await check(cwd, 't.yaml --fix');
  expect(stdout).toContain(`--- a/t.yaml
+++ b/t.yaml
@@ -4,5 +4,7 @@
     Type: AWS::S3::Bucket
     Properties:
       BucketName: shop   # its name
+      VersioningConfiguration:
+        Status: Enabled
 
-  Bare: {Type: AWS::S3::Bucket}
+  Bare: {Type: AWS::S3::Bucket, Properties: {VersioningConfiguration: {Status: Enabled}}}
`);
  expect(stdout).toContain('2 of 3 findings can be fixed in 1 file; 1 has no patch in the policy.');
  expect(stdout.replace(/\s+/g, ' ')).toContain('Use --write to write the changes.');
  expect(exitCode).toBe(2);
  expect(textOf(cwd)).toBe(template);
});

it('writes them, keeps the mode, leaves no other file, and judges what is left', async () => {
  const cwd = repoOf();
  chmodSync(path.join(cwd, 't.yaml'), 0o640);
  const { stdout, exitCode } = await check(cwd, 't.yaml --fix --write');
  expect(textOf(cwd)).toBe(fixed);
  expect(statSync(path.join(cwd, 't.yaml')).mode & 0o777).toBe(0o640);
  expect(readdirSync(cwd).sort()).toEqual(['govctl.yaml', 'policies', 't.yaml']);
  expect(stdout).toContain('2 of 3 findings fixed in 1 file');
  expect(stdout).toContain('1 failed (1 HIGH).');
  expect(exitCode).toBe(2);
  const again = await check(cwd, 't.yaml --policy versioned --fix --write');
  expect(again.exitCode).toBe(0);
  expect(again.stdout).toContain('No findings to fix.');
  expect(textOf(cwd)).toBe(fixed);
});

it('says in JSON what was offered, and why not', async () => {
  const cwd = repoOf({
    't.yaml':
      'Resources:\n  B: {Type: AWS::S3::Bucket, Properties: {VersioningConfiguration: {Status: Suspended}}}\n',
    'u.yaml': `Resources:
  B:
    Type: AWS::S3::Bucket
    Properties: {VersioningConfiguration: {Status: !If [Never, Enabled, Suspended]}}
Conditions: {Never: !Equals [a, b]}
`,
  });
  const { stdout } = await check(cwd, 't.yaml u.yaml --fix --policy versioned -o json');
  expect(JSON.parse(stdout)).toMatchObject({
    fixes: [
      { policy: 'versioned', resource: 'B', file: 't.yaml', offered: true },
      {
        policy: 'versioned',
        resource: 'B',
        file: 'u.yaml',
        offered: false,
        why: 'the value of Status is an expression',
      },
    ],
    fix_diffs: [{ file: 't.yaml', written: false }],
  });
});

describe('offers no fix', () => {
  const refused = async (cwd: string, words: string, stdin?: string): Promise<string> => {
    const { stdout } = await check(cwd, `${words} --fix --policy versioned -o json`, stdin);
    const { fixes, fix_diffs: diffs } = JSON.parse(stdout) as {
      fixes: { offered: boolean; why: string }[];
      fix_diffs: unknown[];
    };
    expect(diffs).toEqual([]);
    expect(fixes.length).toBeGreaterThan(0);
    expect(fixes.every(({ offered }) => !offered)).toBe(true);
    return fixes[0]?.why ?? '';
  };

  it('where another policy would find something then', async () => {
    const other = policy('plain', 'resource.versioning.enabled');
    const cwd = repoOf({ 'policies/b.yaml': other });
    const { stdout } = await check(cwd, 't.yaml --fix -o json');
    const { fixes } = JSON.parse(stdout) as { fixes: { why: string }[] };
    expect(fixes[0]?.why).toBe('the change would cause a finding of plain on Bucket');
  });

  it('where the change would not fix the finding', async () => {
    const wrong = policies.replace(
      '!resource.versioning.enabled',
      'true || !resource.versioning.enabled',
    );
    const cwd = repoOf({ 'policies/a.yaml': wrong });
    expect(await refused(cwd, 't.yaml')).toBe('the change would not fix the finding');
  });

  test.each([
    [
      'a patch that nobody knows to write',
      '{"versioning":{"enabled":true},"object_lock":{"mode":"COMPLIANCE"}}',
      'setting object_lock.mode of AWS::S3::Bucket to "COMPLIANCE" is not supported in templates; change it manually',
    ],
    [
      'a value that nobody knows to write',
      '{"versioning":{"enabled":false}}',
      'setting versioning.enabled of AWS::S3::Bucket to false is not supported in templates; change it manually',
    ],
  ])('for %s', async (_what, wrong, why) => {
    const cwd = repoOf({
      'policies/a.yaml': policies.replace('{"versioning":{"enabled":true}}', wrong),
    });
    expect(await refused(cwd, 't.yaml')).toBe(why);
  });

  it('for standard input, for what is no template, and for what a loop makes', async () => {
    const cwd = repoOf({
      'n.json':
        '{"id":"b","type":"AWS::S3::Bucket","name":"b","versioning":{"enabled":false},"tags":{}}\n',
      'l.yaml': `Transform: AWS::LanguageExtensions
Resources:
  Fn::ForEach::Each:
    - Name
    - [One]
    - Bucket\${Name}: {Type: AWS::S3::Bucket}
`,
    });
    expect(await refused(cwd, '-', template)).toBe('standard input cannot be changed');
    expect(await refused(cwd, 'n.json')).toMatch(/^only CloudFormation templates/);
    expect(await refused(cwd, 'l.yaml')).toBe(
      'the template creates the resource with a macro or a loop',
    );
  });
});

it('writes through no link that leads outside the repo', async () => {
  const away = makeRepo({ 't.yaml': template });
  const cwd = repoOf({ 'folder/x.txt': '' });
  symlinkSync(path.join(away, 't.yaml'), path.join(cwd, 'folder/link.yaml'));
  await check(cwd, 'folder --fix --write');
  expect(textOf(away)).toBe(template);
});

test.each(['--write', '--fix --write --watch', '--fix --write --write-baseline b.json'])(
  'refuses %s',
  async (flags) => {
    const cwd = repoOf();
    const { exitCode, stderr } = await check(cwd, `t.yaml ${flags}`);
    expect(exitCode).toBe(3);
    expect(stderr).toContain('--write');
    expect(textOf(cwd)).toBe(template);
  },
);

it('ends in a file that needs more fixes than are tried at once, and says how to go on', async () => {
  const buckets = Array.from({ length: 2_000 }, (_, n) => `  B${n}: {Type: AWS::S3::Bucket}\n`);
  const cwd = repoOf({ 't.yaml': `Resources:\n${buckets.join('')}` });
  const { stdout } = await check(cwd, 't.yaml --fix --policy versioned -o json');
  const { fixes } = JSON.parse(stdout) as { fixes: { offered: boolean; why?: string }[] };
  expect(fixes).toHaveLength(2_000);
  expect(fixes.filter(({ offered }) => offered).length).toBeGreaterThan(5);
  expect(fixes.at(-1)?.why).toMatch(/write the other fixes first, then run the command again$/);
}, 120_000);
