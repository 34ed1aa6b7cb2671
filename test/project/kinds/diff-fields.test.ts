import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffFields } from '../../../src/project/kinds/kind.ts';
import { normalisePolicy, policyKind } from '../../../src/project/kinds/policy.ts';
import { localPolicy, makeLocal } from '../arbitraries.ts';

const rule = (condition: string, message?: string) => ({
  condition,
  effect: 'DENY' as const,
  ...(message ? { message } : {}),
});
const withRules = (...rules: ReturnType<typeof rule>[]) =>
  normalisePolicy(makeLocal('a', { name: 'A', rules }).policy);

describe('differences field by field', () => {
  it('are none exactly where two policies mean the same', () => {
    fc.assert(
      fc.property(localPolicy, localPolicy, (a, b) => {
        const [left, right] = [normalisePolicy(a.policy), normalisePolicy(b.policy)];
        const same = JSON.stringify(left) === JSON.stringify(right);
        expect(diffFields(policyKind, left, right).length === 0).toBe(same);
      }),
    );
  });

  it('name the one field of the one rule that changed', () => {
    expect(
      diffFields(
        policyKind,
        withRules(rule('a'), rule('b', 'old')),
        withRules(rule('a'), rule('b', 'new')),
      ),
    ).toEqual([{ path: 'rules[1].message', before: 'old', after: 'new' }]);
  });

  it('show a rule put on top as one rule, not as all of them', () => {
    expect(
      diffFields(
        policyKind,
        withRules(rule('a'), rule('b')),
        withRules(rule('n'), rule('a'), rule('b')),
      ),
    ).toEqual([{ path: 'rules[0]', before: null, after: rule('n') }]);
  });
});
