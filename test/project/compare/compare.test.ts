import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Policy } from '../../../src/contract/policies.ts';
import { compareDocuments } from '../../../src/project/compare/compare.ts';
import type { Comparison } from '../../../src/project/compare/comparison.ts';
import { everything } from '../../../src/project/compare/comparison.ts';
import { fingerprint, stampOf } from '../../../src/project/compare/fingerprint.ts';
import type { LiveDocument } from '../../../src/project/compare/live.ts';
import { readLive } from '../../../src/project/compare/live.ts';
import { ownershipTags } from '../../../src/project/compare/ownership.ts';
import { contentHash } from '../../../src/project/kinds/kind.ts';
import type { PolicyLike } from '../../../src/project/kinds/policy.ts';
import { normalisePolicy, policyDocument, policyKind } from '../../../src/project/kinds/policy.ts';
import type { LocalPolicy } from '../../../src/project/model.ts';
import {
  deleteLimit,
  guardDeletions,
  guardSelection,
  noteDeletions,
} from '../../../src/project/plan/guards.ts';
import { makeLocal, repo } from '../arbitraries.ts';

const contentFingerprint = (policy: PolicyLike): string => contentHash(policyKind, { ...policy });

const comparePolicies = (
  project: string,
  local: readonly LocalPolicy[],
  live: readonly LiveDocument[],
  selection = everything,
): Comparison[] =>
  compareDocuments(project, { local: local.map(policyDocument), live, keepsTags: true }, selection);

let nextId = 0;
/** A live policy that says what `local` says, stamped as `applied` (default: the same). */
function liveOf(
  local: LocalPolicy,
  {
    owner = 'acme',
    key = local.key,
    applied = local,
  }: { owner?: string | null; key?: string; applied?: LocalPolicy } = {},
) {
  const stamp = stampOf(contentFingerprint(applied.policy));
  return readLive(
    policyKind,
    Policy.parse({
      ...local.policy,
      id: `pol_${++nextId}`,
      tags: [...(local.policy.tags ?? []), ...(owner ? ownershipTags(owner, key, stamp) : [])],
    }),
  );
}

const outcome = (comparison: Comparison | undefined): string =>
  comparison?.kind === 'update' ? `update:${comparison.cause}` : (comparison?.kind ?? 'none');

const compareOne = (local: LocalPolicy, live: ReturnType<typeof liveOf>) =>
  outcome(comparePolicies('acme', [local], [live])[0]);

const original = makeLocal('a', { name: 'A', severity: 'LOW' });
const edited = makeLocal('a', { name: 'A', severity: 'HIGH' });
const other = makeLocal('a', { name: 'A', severity: 'MEDIUM' });

describe('the three-way comparison', () => {
  it.each([
    ['nothing, when all three agree', original, liveOf(original), 'unchanged'],
    ['a change from git', edited, liveOf(original), 'update:git'],
    ['an edit outside git', original, liveOf(edited, { applied: original }), 'update:drift'],
    ['a conflict', other, liveOf(edited, { applied: original }), 'update:conflict'],
    ['the same edit on both sides', edited, liveOf(edited, { applied: original }), 'update:stamp'],
    ['another key', original, liveOf(original, { key: 'old' }), 'update:key'],
    ['an unowned namesake', original, liveOf(original, { owner: null }), 'blocked'],
    ["another project's namesake", original, liveOf(original, { owner: 'other' }), 'blocked'],
  ])('sees %s', (_, local, live, expected) => {
    expect(compareOne(local, live)).toBe(expected);
  });

  it('does not mind the order of tags, doubles, and how an absent field is spelled', () => {
    const local = makeLocal('a', { name: 'A', tags: ['x', 'y'] });
    const live = liveOf({
      ...local,
      policy: {
        ...local.policy,
        description: '',
        compliance_frameworks: [],
        auto_remediation: false,
        tags: ['y', 'x', 'y'],
      },
    });
    expect(compareOne(local, live)).toBe('unchanged');
  });

  it('minds the order of rules', () => {
    const rules = [
      { condition: 'resource.a', effect: 'DENY' },
      { condition: 'resource.b', effect: 'ALLOW' },
    ];
    const local = makeLocal('a', { name: 'A', rules });
    const live = liveOf(makeLocal('a', { name: 'A', rules: rules.toReversed() }));
    expect(compareOne(local, live)).toBe('update:git');
  });

  it('follows a policy by its key through a rename', () => {
    const live = liveOf(original);
    expect(compareOne(makeLocal('a', { name: 'New name', severity: 'LOW' }), live)).toBe(
      'update:git',
    );
  });

  it('names the ids where several live policies could be meant', () => {
    const [first, second] = [liveOf(original), liveOf(original)];
    const [comparison] = comparePolicies('acme', [original], [first, second]);
    expect(comparison).toMatchObject({
      kind: 'blocked',
      reason: expect.stringContaining(`${first.item.id}, ${second.item.id}`),
    });
  });

  it('leaves alone what carries the owner tags of two projects', () => {
    const { item } = liveOf(original);
    const live = readLive(policyKind, {
      ...item,
      tags: [...(item.tags ?? []), 'govctl.owner:other'],
    });
    expect(comparePolicies('acme', [], [live])).toEqual([]);
    expect(compareOne(original, live)).toBe('blocked');
  });

  it('names `govctl adopt` for an unowned namesake', () => {
    const [comparison] = comparePolicies('acme', [original], [liveOf(original, { owner: null })]);
    expect(comparison).toMatchObject({ hint: expect.stringContaining('govctl adopt A') });
  });

  it('does not look for orphans where only a part of the files was read', () => {
    const live = [liveOf(original)];
    expect(comparePolicies('acme', [], live, { ...everything, allFiles: false })).toEqual([]);
    expect(comparePolicies('acme', [], live).map(outcome)).toEqual(['orphan']);
  });

  it('keeps a rename from running into a policy without a file, unless that one is pruned', () => {
    const live = [liveOf(original), liveOf(makeLocal('gone', { name: 'B' }))];
    const renamed = makeLocal('a', { name: 'B' });
    expect(comparePolicies('acme', [renamed], live).map(outcome)).toEqual(['blocked', 'orphan']);
    expect(
      comparePolicies('acme', [renamed], live, { ...everything, prune: true }).map(outcome),
    ).toEqual(['update:git', 'orphan']);
  });

  it('says something about every local policy and every owned live one, once', () => {
    fc.assert(
      fc.property(repo, repo, (local, applied) => {
        const live = applied.map((each) => liveOf(each));
        const comparisons = comparePolicies('acme', local, live);
        const keys = comparisons.flatMap((each) =>
          each.kind === 'orphan' ? [] : [each.local.key],
        );
        expect(keys).toEqual(local.map(({ key }) => key));
        const seen = comparisons.flatMap((each) => ('live' in each ? [each.live.item.id] : []));
        expect(new Set(seen).size).toBe(seen.length);
      }),
    );
  });
});

describe('the fingerprint', () => {
  it('is of the meaning: the same through normalising, for any policy', () => {
    fc.assert(
      fc.property(repo, (policies) => {
        for (const { policy } of policies) {
          const normal = normalisePolicy(policy);
          expect(normalisePolicy({ ...normal })).toEqual(normal);
          expect(contentFingerprint({ ...normal })).toBe(contentFingerprint(policy));
          expect(contentFingerprint(policy)).toBe(fingerprint(normal));
        }
      }),
    );
  });

  it('stays what it was in releases before, as it is stored in tags', () => {
    // printf '%s' '{"enabled":true,"name":"A",...}' | sha256sum
    expect(contentFingerprint(original.policy)).toBe(
      '8a648fd90a83a4ace36920f20b004392eadaf404efc5dbf07ffe6882a171804c',
    );
  });
});

describe('guards', () => {
  const facts = {
    local: { Policy: 1 },
    owned: { Policy: 10 },
    prune: true,
    partial: false,
    allowEmpty: false,
    maxDelete: deleteLimit(undefined, 30),
  };
  const orphans = (count: number, tags: string[] = []): Comparison[] =>
    Array.from({ length: count }, (_, index) => ({
      kind: 'orphan',
      live: liveOf(makeLocal(`k${index}`, { name: `n${index}`, tags })),
    }));

  it('let three of ten be deleted, but not four', () => {
    expect(guardDeletions(orphans(3), facts)).toEqual([]);
    expect(guardDeletions(orphans(4), facts)).toMatchObject([{ guard: 'max-delete' }]);
    expect(guardDeletions(orphans(4), { ...facts, maxDelete: deleteLimit(40, 30) })).toEqual([]);
    expect(guardDeletions(orphans(4), { ...facts, owned: { Policy: 9 } })).toEqual([]);
  });

  it('keep to a limit that is given for this run in small projects, too', () => {
    const given = (percent: number) => ({
      ...facts,
      owned: { Policy: 4 },
      maxDelete: deleteLimit(percent, 30),
    });
    expect(guardDeletions(orphans(1), given(0))).toMatchObject([{ guard: 'max-delete' }]);
    expect(guardDeletions(orphans(3), given(50))).toMatchObject([{ guard: 'max-delete' }]);
    expect(guardDeletions(orphans(2), given(50))).toEqual([]);
  });

  it('are not needed for a small project, but emptying it is pointed out', () => {
    expect(guardDeletions(orphans(4), { ...facts, owned: { Policy: 4 } })).toEqual([]);
    expect(noteDeletions(orphans(4), { ...facts, owned: { Policy: 4 } })).toEqual([
      expect.stringContaining('All 4 policies'),
    ]);
    expect(noteDeletions(orphans(4), { ...facts, owned: { Policy: 5 } })).toEqual([]);
    expect(noteDeletions(orphans(4), { ...facts, owned: { Policy: 4 }, prune: false })).toEqual([]);
  });

  it('never let a protected policy be deleted', () => {
    expect(guardDeletions(orphans(1, ['govctl.protect']), facts)).toMatchObject([
      { guard: 'protected', message: expect.stringContaining('n0') },
    ]);
  });

  it('refuse an empty repo and pruning by a part of it', () => {
    expect(guardSelection({ ...facts, local: { Policy: 0 } })).toMatchObject([{ guard: 'empty' }]);
    expect(guardSelection({ ...facts, local: { Policy: 0 }, allowEmpty: true })).toEqual([]);
    expect(guardSelection({ ...facts, partial: true })).toMatchObject([{ guard: 'partial-prune' }]);
  });
});
