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
  ])('and refuses %s, which would select none', async (flags, why) => {
    const argv = ['check', 't.yaml', ...flags.split(' ')];
    const { exitCode, stderr } = await runCommandLine(argv, { cwd: repo() });
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining(why)]);
  });
});

describe('the output of govctl check', () => {
  it('ends with a summary by policy when it is long', async () => {
    const { stdout } = await runCommandLine(['check', 't.yaml'], { cwd: repo(12) });
    expect(stdout).toContain('By policy:\n  12  HIGH      s3-one [s3-one]\n  12  HIGH      s3-two [s3-two]\n  12  HIGH      other [other]\n'); // prettier-ignore
    const short = await runCommandLine(['check', 't.yaml'], { cwd: repo(2) });
    expect(short.stdout).not.toContain('By policy');
  });
});
