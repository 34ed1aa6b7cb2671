import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../support/fake-world.ts';
import { makeRepo } from '../../support/temp-repo.ts';

const policy = (name: string, tags: string, frameworks: string): string =>
  `name: ${name}\nresource_type: AWS::S3::Bucket\nseverity: HIGH\nrules:\n  - condition: resource.versioning.enabled == false\n    effect: DENY\ntags: [${tags}]\ncompliance_frameworks: ['${frameworks}']\n`;

const repo = (buckets = 1): string =>
  makeRepo({
    'govctl.yaml': 'project: acme\npaths: [policies]\n',
    'policies/all.yaml': [
      policy('s3-one', 'storage, team-a', 'SOC2:CC6.1'),
      policy('s3-two', 'storage', 'PCI-DSS:3.5'),
      policy('other', 'team-a', 'SOC2:A1.2'),
    ].join('---\n'),
    't.yaml': `Resources:\n${Array.from({ length: buckets }, (_, n) => `  B${n}:\n    Type: AWS::S3::Bucket\n`).join('')}`,
  });

describe('govctl check runs only the policies that are selected', () => {
  it.each([
    ['--policy s3-*', ['s3-one', 's3-two']],
    ['--policy *one --policy other', ['s3-one', 'other']],
    ['--tag storage', ['s3-one', 's3-two']],
    ['--tag storage,team-a', ['s3-one']],
    ['--tag team-a --policy s3-*', ['s3-one']],
    ['--framework soc2', ['s3-one', 'other']],
    ['--framework pci', ['s3-two']],
    ['--framework soc2:cc6.1,pci', ['s3-one', 's3-two']],
  ])('%s', async (flags, expected) => {
    const argv = ['check', 't.yaml', ...flags.split(' '), '-o', 'json'];
    const { exitCode, stdout } = await runCommandLine(argv, { cwd: repo() });
    expect(exitCode).toBe(2);
    const { results } = JSON.parse(stdout) as { results: { policy: string }[] };
    expect(results.map((one) => one.policy)).toEqual(expected);
  });

  it.each([
    ['--policy s4-*', 'no policy has this name or key'],
    ['--tag storag', 'no policy has this tag'],
    ['--framework hipaa', 'no policy is mapped to this framework or control'],
    ['--tag storage --policy other', 'No policy matches all of --policy other, --tag storage'],
    ['--framework pci --tag team-a', 'No policy matches all of --tag team-a, --framework pci'],
  ])('and refuses %s, which would select none', async (flags, why) => {
    const argv = ['check', 't.yaml', ...flags.split(' ')];
    const { exitCode, stderr } = await runCommandLine(argv, { cwd: repo() });
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining(why)]);
  });
});

describe('govctl check --type', () => {
  const owned = `name: owned
resource_type: AWS::*
rules:
  - condition: '!has(resource.tags.owner)'
    effect: DENY
`;
  const mixed = (): string =>
    makeRepo({
      'govctl.yaml': 'project: acme\npaths: [policies]\n',
      'policies/all.yaml': [policy('versioned', 'storage', 'SOC2:CC6.1'), owned].join('---\n'),
      'policies/waivers.yaml':
        'kind: Exemption\npolicy: owned\nresources: [Jobs]\nreason: r\nowner: o\nexpires: 2099-01-01\n',
      't.yaml': `Resources:
  Uploads:
    Type: AWS::S3::Bucket
  Jobs:
    Type: AWS::SQS::Queue
`,
    });
  const check = (flags: string) =>
    runCommandLine(['check', 't.yaml', ...flags.split(' '), '-o', 'json'], { cwd: mixed() });

  it.each([
    ['AWS::S3::Bucket', 1, ['versioned Uploads', 'owned Uploads']],
    ['AWS::S3::*', 1, ['versioned Uploads', 'owned Uploads']],
    ['AWS::*', 2, ['versioned Uploads', 'owned Uploads']],
    ['AWS::FSx::Volume', 0, []],
  ])(
    '%s checks only resources of the type, by policies over more types, too',
    async (type, resources, found) => {
      const { stdout } = await check(`--type ${type} --fail-unused-exemptions`);
      const { summary, results, warnings } = JSON.parse(stdout) as {
        summary: { resources: number };
        results: { policy: string; resource: string; status: string }[];
        warnings: unknown[];
      };
      const failed = results.filter(({ status }) => status === 'FAIL');
      expect(failed.map((one) => `${one.policy} ${one.resource}`)).toEqual(found);
      expect([summary.resources, warnings]).toEqual([resources, []]);
    },
  );

  it.each([
    ['AWS::S3::Bukket', 'AWS::S3::Bucket'],
    ['AWS::Nope', 'must have three parts or more'],
    ['AWS::S3', 'use a pattern, such as AWS::S3::*'],
    ['S3', 'must look like <provider>::<service>::<type>'],
  ])('refuses %s, which policies over all types would apply to', async (type, why) => {
    const { exitCode, stderr } = await check(`--type ${type}`);
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining(why)]);
  });
});

describe('the output of govctl check', () => {
  it('ends with a summary by policy when it is long', async () => {
    const { stdout } = await runCommandLine(['check', 't.yaml'], { cwd: repo(12) });
    expect(stdout).toContain('By policy (failed):\n  12  HIGH      s3-one [s3-one]\n  12  HIGH      s3-two [s3-two]\n  12  HIGH      other [other]\n'); // prettier-ignore
    const cwd = repo(12);
    const undecided = policy('undecided', 'a', 'SOC2:CC6.1').replace('versioning', 'none');
    writeFileSync(join(cwd, 'policies/undecided.yaml'), undecided);
    const { stdout: mixed } = await runCommandLine(['check', 't.yaml'], { cwd });
    expect(mixed).toContain('36 failed (36 HIGH); 12 errors (12 HIGH).');
    expect(mixed).toContain('By policy (failed, errors):\n  12   -  HIGH      s3-one [s3-one]\n');
    expect(mixed).toContain('\n   -  12  HIGH      undecided [undecided]\n');
    const short = await runCommandLine(['check', 't.yaml'], { cwd: repo(2) });
    expect(short.stdout).not.toContain('By policy');
  });
});
