import { describe, expect, it } from 'vitest';
import { controlKey, labelKey, readLabels, showControl } from '../../src/engine/labels.ts';
import { createCollector } from '../../src/engine/standing.ts';

describe('the spelling of a label', () => {
  it.each([
    ['pci:8.3.1', 'PCI-DSS:8.3.1'],
    ['Pci Dss:a1.1.1', 'PCI_DSS:A1.1.1'],
    ['soc2:cc6.1', 'SOC-2:CC6.1'],
    ['iso 27001:5.15', 'ISO27001:a.5.15'],
    ['HIPAA:§ 164.312(A)(1)', 'hipaa:164.312(a)(1)'],
    ['nist-800-53:ac-2.1', 'NIST-800-53:AC-2(1)'],
    ['NIST_SP_800-53:AC-02(01)', 'nist80053:ac-2 (1)'],
    ['own:a', 'OWN:A'],
    ['own', 'OWN'],
  ])('does not matter: %s is %s', (one, other) => {
    expect(labelKey(one)).toBe(labelKey(other));
  });

  it.each([
    ['SOC2:CC6.1', 'SOC2:CC6.10'],
    ['SOC2', 'SOC2:CC6.1'],
    ['NIST-800-53:AC-2(1)', 'NIST-800-53:AC-21'],
    ['NIST-800-53:AC-2(1)', 'NIST-800-53:AC-2(10)'],
    ['HIPAA:164.312(a)(1)', 'HIPAA:164.312(a)(2)'],
    ['own:5.1', 'own:A.5.1'],
  ])('keeps apart what differs: %s, %s', (one, other) => {
    expect(labelKey(one)).not.toBe(labelKey(other));
  });

  it('is the usual one where it is shown', () => {
    expect(showControl('hipaa', '164.308(A)(4)(II)(c)')).toBe('164.308(a)(4)(ii)(C)');
    expect(showControl('nist-800-53', 'ac-02(01)')).toBe('AC-2(1)');
    expect(showControl('nist-800-53', 'not an id')).toBe('NOTANID');
    expect(controlKey('iso27001', '8.24')).toBe('a.8.24');
    expect(readLabels(['pci:8.3.1', 'PCI-DSS:8.3.1', 'Own:b', 'own:B', ':odd', 'SOC2:'])).toEqual([
      { key: 'PCI-DSS', framework: 'PCI-DSS', controls: ['8.3.1'] },
      { key: 'own', framework: 'Own', controls: ['b'] },
      { key: ':odd', framework: ':odd', controls: [] },
      { key: 'SOC2', framework: 'SOC2', controls: [] },
    ]);
  });
});

it('counts policies whose labels differ in spelling as one framework', () => {
  const collector = createCollector([]);
  const finding = { status: 'FAIL', severity: 'HIGH' } as const;
  for (const [name, label] of [
    ['a', 'soc2:cc6.1'],
    ['b', 'SOC2:CC6.1'],
    ['c', 'Own:x'],
    ['d', 'OWN:X'],
  ] as const) {
    const policy = { name, compliance_frameworks: [label] } as Parameters<typeof collector.add>[0];
    collector.add(policy, {}, finding, 'OPEN');
  }
  expect(collector.standings()).toMatchObject([
    { framework: 'SOC2', all: 14, failed: [['CC6.1', 'a']] },
    { framework: 'Own', all: 14, failed: [['x', 'c']] },
  ]);
});
