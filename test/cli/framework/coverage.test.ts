import { expect, it } from 'vitest';
import { runCommandLine } from '../../support/fake-world.ts';
import { makeRepo } from '../../support/temp-repo.ts';

const policy = (name: string, labels: string, more = '') => `name: ${name}
resource_type: AWS::S3::Bucket
compliance_frameworks: ${labels}
${more}rules:
  - condition: resource.encryption.enabled == false
    effect: DENY
`;

const cover = (files: Record<string, string>, ...argv: string[]) =>
  runCommandLine(['framework', 'coverage', ...argv], { cwd: makeRepo(files) });

const files = {
  'a.yaml': policy('a', '[SOC2:CC6.1, soc2:cc6.1, pci:8.3.1, FINOPS:x]'),
  'b.yaml': policy('b', '[SOC2:CC6.1, SOC2:CC7, HIPAA]'),
  'off.yaml': policy('off', '[SOC2:CC8.1]', 'enabled: false\n'),
};

it('counts the controls that enabled policies name, in any spelling', async () => {
  const { stdout, exitCode } = await cover(files);
  expect(exitCode).toBe(0);
  expect(stdout).toMatchInlineSnapshot(`
    "FRAMEWORK    VERSION                        POLICIES  CONTROLS  WITH POLICIES
    SOC2         2017, points of focus of 2022         2        61  1 (1%)
    ISO27001     2022, Annex A                         0        93  0 (0%)
    PCI-DSS      4.0.1                                 1       278  1 (0%)
    HIPAA        45 CFR 164 subpart C                  1        83  0 (0%)
    NIST-800-53  rev5, moderate baseline               0       287  0 (0%)
    "
  `);
  for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
});

it('names the policies of each control in JSON', async () => {
  const { stdout } = await cover(files, '-o', 'json');
  const { frameworks } = JSON.parse(stdout) as {
    frameworks: {
      name: string;
      policies: number;
      controls: { id: string; policies: string[] }[];
    }[];
  };
  const [soc2] = frameworks;
  expect(soc2).toMatchObject({ name: 'SOC2', policies: 2 });
  expect(soc2?.controls).toHaveLength(61);
  expect(soc2?.controls.filter(({ policies }) => policies.length > 0)).toEqual([
    { id: 'CC6.1', policies: ['a', 'b'] },
  ]);
});

it('counts nothing of files that are not valid', async () => {
  const { stdout, exitCode } = await cover({ ...files, 'c.yaml': 'name: c\n' });
  expect(exitCode).toBe(3);
  expect(stdout).toContain('c.yaml');
  expect(stdout).not.toContain('WITH POLICIES');
});

it('says where the status of a framework is, when it is given instead of files', async () => {
  const { stderr, exitCode } = await cover(files, 'soc2');
  expect(exitCode).toBe(3);
  expect(stderr).toContain('soc2 is a framework; coverage reads policy files');
  expect(stderr).toContain('`govctl framework show soc2`');
});
