import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { PolicyInput } from '../../../src/contract/policies.ts';
import { exportDocuments } from '../../../src/project/write/export.ts';
import { contentHash } from '../../../src/project/kinds/kind.ts';
import { frameworkKind } from '../../../src/project/kinds/framework.ts';
import { policyKind } from '../../../src/project/kinds/policy.ts';
import { formatYaml } from '../../../src/project/write/format.ts';
import { createSource } from '../../../src/project/read/source.ts';
import { repo } from '../arbitraries.ts';

describe('exporting frameworks', () => {
  it('never makes a path of an ID that a server made up', () => {
    const controls = [{ id: 'a', title: 'A' }];
    const names = ['../../x', '/etc/passwd', 'a/b', '..', 'CON:'].map((id) => {
      const document = { id, name: 'n', built_in: false, controls };
      return exportDocuments(frameworkKind, [{ document }])[0]?.file;
    });
    expect(names.filter((name) => !/^frameworks\/[a-z0-9-]+\.yaml$/.test(name ?? ''))).toEqual([]);
  });
});

describe('exporting policies', () => {
  it('writes files that say the same, and that fmt leaves as they are', () => {
    fc.assert(
      fc.property(repo, fc.string({ unit: 'binary', maxLength: 200 }), (policies, text) => {
        const told = policies.map(({ key, policy }) => ({
          key,
          document: { ...policy, description: text },
        }));
        exportDocuments(policyKind, told).forEach(({ file, text: yaml }, index) => {
          const { key = told[index]?.key, ...fields } = parse(yaml) as Record<string, unknown>;
          expect(key).toBe(told[index]?.key);
          expect(contentHash(policyKind, PolicyInput.parse(fields))).toBe(
            contentHash(policyKind, told[index]?.document ?? {}),
          );
          expect(formatYaml(createSource(file, yaml))).toEqual({ text: yaml });
        });
      }),
    );
  });
});
