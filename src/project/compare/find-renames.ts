import type { Comparison } from './compare.ts';
import { normalFingerprint, normalisePolicy } from './fingerprint.ts';
import type { NormalPolicy } from './fingerprint.ts';
import type { LocalPolicy } from '../model.ts';

/** A new policy that says, but for its name, what one without a file says. */
export interface LikelyRename {
  readonly local: LocalPolicy;
  /** The key that would make it an update of that one. */
  readonly key: string;
  readonly formerName: string;
}

/** Pairs that look like a rename of a file without a `key`: each a creation and an orphan. Pure. */
export function findRenames(comparisons: readonly Comparison[]): LikelyRename[] {
  const orphans = new Map<string, { key: string; formerName: string }>();
  for (const comparison of comparisons) {
    if (comparison.kind !== 'orphan') continue;
    const { ownership, policy, content } = comparison.live;
    if (ownership.key === undefined) continue;
    orphans.set(withoutName(content), { key: ownership.key, formerName: policy.name });
  }
  if (orphans.size === 0) return [];
  return comparisons.flatMap((comparison) => {
    if (comparison.kind !== 'create') return [];
    const former = orphans.get(withoutName(normalisePolicy(comparison.local.policy)));
    return former ? [{ local: comparison.local, ...former }] : [];
  });
}

const withoutName = (policy: NormalPolicy): string => normalFingerprint({ ...policy, name: '' });
