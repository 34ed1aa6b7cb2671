import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Finding } from '../../src/contract/findings.ts';
import type { PolicyInput } from '../../src/contract/policies.ts';
import {
  createPolicySet,
  evaluate,
  policiesFor,
  preparePolicy,
} from '../../src/engine/evaluate.ts';
import type { Exemption } from '../../src/engine/exempt.ts';
import { matchesId } from '../../src/engine/exempt.ts';

/** A file of cases: one policy, and what it says of each resource. */
interface CaseFile {
  readonly policy: Partial<PolicyInput> & Pick<PolicyInput, 'rules'>;
  readonly now?: string;
  readonly exemptions?: readonly Exemption[];
  readonly cases: readonly (Partial<
    Pick<Finding, 'status' | 'rules' | 'reason' | 'path' | 'exemption'>
  > & {
    readonly name?: string;
    readonly now?: string;
    readonly resource: Readonly<Record<string, unknown>>;
  })[];
}

const folder = path.join(import.meta.dirname, 'cases');
const policy = { name: 'the-policy', resource_type: 'Custom::Thing', enabled: true } as const;
const thing = { id: 'one', type: 'Custom::Thing', provider: 'custom', tags: {}, properties: {} };

describe.each(readdirSync(folder).sort())('%s', (file) => {
  const { cases, ...shared } = parse(readFileSync(path.join(folder, file), 'utf8')) as CaseFile;
  const prepared = preparePolicy({ policy: { ...policy, ...shared.policy } });
  test.each(cases.map((one) => [one.name ?? JSON.stringify(one.resource), one] as const))(
    '%s',
    (_, { name: _name, now, resource, ...expected }) => {
      const at = Date.parse(now ?? shared.now ?? '2026-01-01T00:00:00Z');
      const found = evaluate(prepared, { ...thing, ...resource }, at, shared.exemptions);
      expect(found).toMatchObject(expected);
      if (expected.status !== 'ERROR' && !expected.rules && found.status === 'PASS') {
        expect(found.rules).toEqual([]);
      }
    },
  );
});

test('a finding names policy and resource, and MEDIUM where the policy has no severity', () => {
  const prepared = preparePolicy({
    policy: { ...policy, rules: [{ condition: 'true', effect: 'DENY', message: 'no' }] },
    id: 'pol_1',
    key: 'the-key',
  });
  expect(evaluate(prepared, thing, 0)).toEqual({
    policy: 'the-policy',
    policy_id: 'pol_1',
    policy_key: 'the-key',
    resource: 'one',
    resource_type: 'Custom::Thing',
    status: 'FAIL',
    severity: 'MEDIUM',
    rules: [{ index: 0, effect: 'DENY', message: 'no' }],
  });
});

test('policies meet resources by exact type; Azure ignores case', () => {
  const ofType = (resource_type: string) =>
    preparePolicy({
      policy: { ...policy, resource_type, rules: [{ condition: 'true', effect: 'DENY' }] },
    });
  const set = createPolicySet([
    ofType('Azure::Network::publicIPAddresses'),
    ofType('AWS::S3::Bucket'),
  ]);
  expect(policiesFor(set, 'azure::network::publicIpAddresses')).toHaveLength(1);
  expect(policiesFor(set, 'AWS::S3::Bucket')).toHaveLength(1);
  expect(policiesFor(set, 'AWS::S3::bucket')).toHaveLength(0);
  expect(policiesFor(set, 'constructor')).toHaveLength(0);
});

test('a glob matches as its regular expression would', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 });
  const ids = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 12 });
  fc.assert(
    fc.property(letters, ids, (glob, id) => {
      const regex = new RegExp(`^${glob.replaceAll('*', '.*')}$`);
      expect(matchesId(glob, id)).toBe(regex.test(id));
    }),
  );
});
