import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fingerprint } from '../../../src/project/compare/fingerprint.ts';
import { orderChanges, temporaryName } from '../../../src/project/plan/order.ts';
import type { Change, PolicyDocument } from '../../../src/project/plan/change.ts';

const documentNamed = (name: string): PolicyDocument => ({
  name,
  resource_type: 'AWS::S3::Bucket',
  rules: [],
});

function changeOf(key: string, from: string | null, to: string | null): Change {
  return {
    key,
    action: from === null ? 'create' : to === null ? 'delete' : 'update',
    cause: 'git',
    id: from === null ? null : `pol_${key}`,
    name: to ?? from ?? '',
    reason: '',
    base: from === null ? null : { sha256: fingerprint(from) },
    before: from === null ? null : documentNamed(from),
    after: to === null ? null : documentNamed(to),
  };
}

const names = ['n0', 'n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7'];

/** Any reshuffling of unique names over policies that come, go, stay and swap. */
const reshuffling = fc
  .record({
    from: fc.shuffledSubarray(names, { minLength: 0 }),
    to: fc.shuffledSubarray(names, { minLength: 0 }),
    skew: fc.nat({ max: 3 }),
  })
  .map(({ from, to, skew }) => {
    // Policy i has the i-th old name and the (i + skew)-th new one, where there are such.
    const length = Math.max(from.length, to.length + skew);
    return Array.from({ length }, (_, index) =>
      changeOf(`k${index}`, from[index] ?? null, index < skew ? null : (to[index - skew] ?? null)),
    ).filter(({ before, after }) => before !== null || after !== null);
  });

/** Runs steps in any order that their dependencies allow, on a service where names are unique. */
function simulate(
  changes: readonly Change[],
  pick: (ready: number) => number,
): Map<string, string> {
  const live = new Map(
    changes.flatMap(({ key, before }) => (before ? [[key, before.name ?? ''] as const] : [])),
  );
  const steps = orderChanges(changes);
  const done = new Set<number>();
  while (done.size < steps.length) {
    const ready = steps.flatMap(({ waitsFor }, index) =>
      !done.has(index) && waitsFor.every((other) => done.has(other)) ? [index] : [],
    );
    expect(ready, 'steps that wait for each other').not.toEqual([]);
    const index = ready[pick(ready.length)] ?? 0;
    const step = steps[index];
    if (!step) throw new Error('no such step');
    const { change, kind } = step;
    const name = kind === 'aside' ? temporaryName(change) : change.after?.name;
    if (name === undefined) live.delete(change.key);
    else {
      const holder = [...live].find(([key, held]) => held === name && key !== change.key);
      expect(holder, `${change.key} takes ${name}`).toBeUndefined();
      live.set(change.key, name);
    }
    done.add(index);
  }
  return live;
}

describe('the order of changes', () => {
  it('never lets two policies have one name, in any order the dependencies allow', () => {
    fc.assert(
      fc.property(reshuffling, fc.infiniteStream(fc.nat()), (changes, numbers) => {
        const final = simulate(changes, (ready) => (numbers.next().value ?? 0) % ready);
        expect([...final].sort()).toEqual(
          changes
            .flatMap(({ key, after }) => (after ? [[key, after.name]] : []))
            .sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('opens a circle once, at its smallest key', () => {
    const steps = orderChanges([
      changeOf('b', 'B', 'C'),
      changeOf('a', 'A', 'B'),
      changeOf('c', 'C', 'A'),
    ]);
    expect(steps.filter(({ kind }) => kind === 'aside').map(({ change }) => change.key)).toEqual([
      'a',
    ]);
  });

  it('makes nobody wait who shares no name', () => {
    const steps = orderChanges([
      changeOf('a', null, 'A'),
      changeOf('b', 'B', 'B'),
      changeOf('c', 'C', null),
    ]);
    expect(steps.every(({ waitsFor }) => waitsFor.length === 0)).toBe(true);
  });
});
