import fc from 'fast-check';
import { expect, it } from 'vitest';
import { matchesType } from '../../src/contract/resources.ts';
import type { Finding } from '../../src/contract/findings.ts';
import {
  createPolicySet,
  evaluate,
  policiesFor,
  preparePolicy,
} from '../../src/engine/evaluate.ts';
import { createChecker } from '../../src/project/check/checker.ts';

const types = [
  'AWS::S3::Bucket',
  'AWS::S3::AccessPoint',
  'AWS::EC2::Instance',
  'Azure::Sql::servers',
  'azure::SQL::Servers',
  'GCP::Storage::Bucket',
  'Custom::Thing',
  'AWS::Account::Account',
];
const wanted = [
  '*',
  'AWS::*',
  'AWS::S3::*',
  'AWS::*::Bucket',
  '*::*::Bucket',
  'azure::*',
  ...types,
];

/** Those that name no type and no service, so a type that only they match counts as one that no policy is about. */
const wholeProviders = new Set(['*', 'AWS::*', 'azure::*']);

const policies = fc.array(
  fc.record({
    resource_type: fc.constantFrom(...wanted),
    enabled: fc.constantFrom(true, true, false),
    condition: fc.constantFrom('resource.open == true', 'resource.open', 'false'),
  }),
  { maxLength: 6 },
);
const resources = fc.array(
  fc.record({ type: fc.constantFrom(...types), open: fc.constantFrom(true, false, 'no') }),
  { maxLength: 12 },
);

const prepared = (
  given: { resource_type: string; enabled: boolean; condition: string },
  at: number,
) => ({
  policy: {
    name: `p${at}`,
    resource_type: given.resource_type,
    enabled: given.enabled,
    rules: [{ condition: given.condition, effect: 'DENY' as const }],
  },
});
const numbered = (given: { type: string; open: unknown }, at: number) => ({
  id: `r${at}`,
  provider: 'x',
  tags: {},
  properties: {},
  ...given,
});

it('policies with patterns find what the same policies written for each type find', () => {
  fc.assert(
    fc.property(policies, resources, (someFields, someResources) => {
      const some = someFields.map(prepared);
      const inventory = someResources.map(numbered);
      // Each policy, once for each type that it is about; Azure's spellings are one type.
      const expanded = some.flatMap(({ policy }) =>
        types
          .filter(
            (type) => type !== 'azure::SQL::Servers' && matchesType(policy.resource_type, type),
          )
          .map((type) => preparePolicy({ policy: { ...policy, resource_type: type } })),
      );
      const one = createPolicySet(some.map(preparePolicy));
      const other = createPolicySet(expanded);
      const checker = createChecker({ policies: some, exemptions: [], now: 0, all: true });
      // Twice, as a tally starts anew.
      for (const round of [1, 2]) {
        const found: Finding[] = [];
        const expected: Finding[] = [];
        for (const resource of inventory) {
          checker.check({ resource }, found, Infinity);
          const findings = policiesFor(one, resource.type).map((each) =>
            evaluate(each, resource, 0),
          );
          expect(findings).toEqual(
            policiesFor(other, resource.type).map((each) => evaluate(each, resource, 0)),
          );
          expected.push(...findings);
        }
        expect(found, `round ${round}`).toEqual(expected);
        const tally = checker.takeTally();
        for (const [at, { policy }] of some.entries()) {
          const count = (status: string) =>
            expected.filter((one) => one.policy === policy.name && one.status === status).length;
          expect(tally.policies[at]).toMatchObject({
            pass: count('PASS'),
            fail: count('FAIL'),
            error: count('ERROR'),
            skipped: count('SKIPPED'),
          });
        }
        const unmatched = inventory.filter(({ type }) =>
          policiesFor(one, type).every(({ policy }) => wholeProviders.has(policy.resource_type)),
        );
        expect([...tally.unmatched.values()].reduce((sum, n) => sum + n, 0)).toBe(unmatched.length);
      }
    }),
  );
});
