import { describe, expect, it } from 'vitest';
import { loadProject } from '../../../src/project/read/load.ts';
import { makeRepo } from '../../support/temp-repo.ts';

async function problemsOf(label: string) {
  const text = `name: p
resource_type: AWS::S3::Bucket
compliance_frameworks:
  - SOC2:CC6.1
  - ${JSON.stringify(label)}
rules:
  - condition: resource.encryption.enabled == false
    effect: DENY
`;
  const { problems } = await loadProject({ cwd: makeRepo({ 'a.yaml': text }), paths: ['a.yaml'] });
  return problems.map(({ level, code, message, hint, line, column }) => ({
    level,
    code,
    text: [message, hint].join(' '),
    at: [line, column],
  }));
}

describe('a label of a policy', () => {
  it.each([
    ['SOC2:CC6.11', 'SOC2 (2017, points of focus of 2022) has no', 'Did you mean SOC2:CC6.1?'],
    ['soc2:CC66', 'SOC2 (2017, points of focus of 2022) has no', 'Did you mean SOC2:CC6.6?'],
    ['ISO27001:A.9.2.3', 'ISO27001 (2022, Annex A) has no control "A.9.2.3"', ''],
    [
      'iso27001:8.42',
      'ISO27001 (2022, Annex A) has no control "8.42"',
      'Did you mean ISO27001:A.8.',
    ],
    ['PCI:10.5.5', 'PCI-DSS (4.0.1) has no control "10.5.5"', 'Did you mean PCI-DSS:10.5.1?'],
    ['HIPAA:164.312(a)(3)', 'HIPAA (45 CFR 164 subpart C) has no', 'HIPAA:164.312(a)(1)?'],
    ['NIST-800-53:AC-2(6)', 'NIST-800-53 (rev5, moderate baseline) has no', 'NIST-800-53:AC-2(1)?'],
  ])('that names no control is warned of: %s', async (label, message, hint) => {
    const problems = await problemsOf(label);
    expect(problems).toMatchObject([{ level: 'warning', code: 'unknown-control', at: [5, 5] }]);
    expect(problems[0]?.text).toContain(message);
    expect(problems[0]?.text).toContain(hint);
  });

  it.each([
    ['HIPPA:164.312(b)', 'Did you mean HIPAA?'],
    ['SOCC2', 'Did you mean SOC2?'],
    ['PCI-DDS:1.2.1', 'Did you mean PCI-DSS?'],
  ])('that almost names a framework is warned of: %s', async (label, hint) => {
    const problems = await problemsOf(label);
    expect(problems).toMatchObject([{ level: 'warning', code: 'unknown-framework', at: [5, 5] }]);
    expect(problems[0]?.text).toContain(hint);
  });

  it.each([
    'soc2',
    'SOC2:CC6',
    'iso27001:8.24',
    'ISO27001:A.8',
    'pci:3.3.1.2',
    'PCI-DSS:9.5.1.2.1',
    'PCI-DSS:3',
    'hipaa:§164.308(a)(1)(ii)(A)',
    'HIPAA:164.308(a)(1)',
    'HIPAA:164.312',
    'nist-800-53:ac-2.1',
    'NIST-800-53:AC-02(01)',
    // Other frameworks than the built-in ones.
    'FINOPS:Allocation',
    'NIST-800-171:3.1.1',
    'ISO27017:CLD.6.3.1',
    'CIS:1.4',
    'SOX',
  ])('that is known, or of another framework, is fine: %s', async (label) => {
    expect(await problemsOf(label)).toEqual([]);
  });

  it('is compared within bounds: many unknown ones, and long ones', async () => {
    const labels = Array.from(
      { length: 20_000 },
      (_, index) => `PCI-DSS:${'9.'.repeat(20)}${index}`,
    );
    const text = `name: p\nresource_type: T\ncompliance_frameworks: ${JSON.stringify(labels)}\nrules: []\n`;
    const cwd = makeRepo({ 'a.yaml': text });
    const { problems } = await loadProject({ cwd, paths: ['a.yaml'] });
    expect(problems.filter(({ code }) => code === 'unknown-control')).toHaveLength(20_000);
  });
});
