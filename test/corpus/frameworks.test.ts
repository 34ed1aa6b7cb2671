import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { catalogues } from '../../src/engine/frameworks/frameworks.ts';
import { controlKey } from '../../src/engine/labels.ts';

const data = path.resolve(import.meta.dirname, '../../../shared/data/compliance');
const read = (file: string): unknown => JSON.parse(readFileSync(path.join(data, file), 'utf8'));

interface Group {
  readonly id?: string;
  readonly groups?: readonly Group[];
  readonly controls?: readonly Group[];
}
const idsWithin = ({ groups = [], controls = [] }: Group): string[] => [
  ...controls.flatMap((one) => [one.id ?? '', ...idsWithin(one)]),
  ...groups.flatMap(idsWithin),
];

const keysOf = (wanted: string): string[] =>
  catalogues.flatMap(({ name, controls }) =>
    name === wanted ? controls.map((id) => controlKey(name, id)) : [],
  );

/** The IDs that Prowler maps its checks to, as our frameworks spell them. */
function prowlerIds(file: string, spell: (id: string) => string): string[] {
  const { Requirements: all } = read(`prowler-cloud__prowler/aws/${file}`) as {
    Requirements: { Id: string }[];
  };
  return all.map(({ Id }) => spell(Id).toLowerCase());
}

describe.skipIf(!existsSync(data))('the IDs of the built-in frameworks', () => {
  it('of NIST 800-53 are those of its moderate baseline', () => {
    const file =
      'usnistgov__oscal-content/nist.gov/SP800-53/rev5/json/NIST_SP-800-53_rev5_MODERATE-baseline-resolved-profile_catalog-min.json';
    const { catalog } = read(file) as { catalog: Group };
    const ids = idsWithin(catalog).map((id) => controlKey('NIST-800-53', id));
    expect(keysOf('NIST-800-53')).toEqual(ids);
  });

  it.each([
    ['ISO27001', 'iso27001_2022_aws.json', (id: string) => id],
    [
      'SOC2',
      'soc2_aws.json',
      (id: string) =>
        id
          .replace(/^cc_(?=[ac])/, '')
          .replace(/_/, '')
          .replaceAll('_', '.'),
    ],
    // Prowler numbers its checks within a requirement.
    ['PCI-DSS', 'pci_4.0_aws.json', (id: string) => id.split('.').slice(0, 3).join('.')],
    [
      'HIPAA',
      'hipaa_aws.json',
      (id: string) => id.replace('_', '.').replaceAll(/_([a-z0-9]+)/g, '($1)'),
    ],
  ] as const)('of %s include those that others map to', (name, file, spell) => {
    const keys = keysOf(name);
    const isKnown = (id: string) => keys.some((key) => key === id || key.startsWith(`${id}(`));
    expect(prowlerIds(file, spell).filter((id) => !isKnown(id))).toEqual([]);
  });
});
