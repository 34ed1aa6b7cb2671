import type { LivePolicy } from './compare.ts';
import type { FieldChange } from './field-diff.ts';
import { diffFields } from './field-diff.ts';
import { contentFingerprint, normalisePolicy, stampOf } from './fingerprint.ts';
import type { LocalPolicy, Place } from '../model.ts';

/** A policy of ours that is not what was last applied. */
export interface Drifted {
  readonly key: string | null;
  readonly name: string;
  readonly id: string;
  readonly reason: string;
  readonly updated_at?: string;
  /** What it should be → what it is. Null where the files don't hold any more what was last applied. */
  readonly fields: readonly FieldChange[] | null;
  readonly place?: Place;
}

/** A policy of the files that is not live. */
export interface Missing {
  readonly key: string;
  readonly name: string;
  readonly place: Place;
}

export interface DriftReport {
  readonly summary: { readonly owned: number; readonly drifted: number; readonly missing: number };
  readonly drifted: readonly Drifted[];
  readonly missing: readonly Missing[];
}

/**
 * Compares each live policy of the project with the stamp of what was last applied to it, and with nothing else:
 * what changed in git since is not drift. The files tell what exactly was edited, and what should be live but is
 * not: what was deleted has no stamp left, so it looks like a file that was never applied, and counts. Pure.
 */
export function findDrift(
  project: string,
  live: readonly LivePolicy[],
  local: readonly LocalPolicy[],
): DriftReport {
  const owned = live.filter(({ ownership }) => ownership.owner === project && !ownership.disputed);
  const byKey = new Map(local.map((mine) => [mine.key, mine]));
  const drifted = owned
    .filter(({ ownership, sha256 }) => ownership.stamp !== stampOf(sha256))
    .map(({ policy, ownership, content }): Drifted => {
      const mine = byKey.get(ownership.key ?? '');
      const isLastApplied =
        mine !== undefined && stampOf(contentFingerprint(mine.policy)) === ownership.stamp;
      return {
        key: ownership.key ?? null,
        name: policy.name,
        id: policy.id,
        reason:
          ownership.stamp === undefined
            ? 'its stamp was lost, so whether it was edited is not known'
            : 'it was edited outside git since it was last applied',
        ...(policy.updated_at === undefined ? {} : { updated_at: policy.updated_at }),
        fields: isLastApplied ? diffFields(normalisePolicy(mine.policy), content) : null,
        ...(mine ? { place: mine.place } : {}),
      };
    });
  const liveKeys = new Set(owned.map(({ ownership }) => ownership.key));
  // Whosever it is: a name that is taken is for `plan` to judge.
  const liveNames = new Set(live.map(({ policy }) => policy.name));
  const missing = local
    .filter(({ key, policy }) => !liveKeys.has(key) && !liveNames.has(policy.name))
    .map(({ key, policy: { name }, place }): Missing => ({ key, name, place }));
  return {
    summary: { owned: owned.length, drifted: drifted.length, missing: missing.length },
    drifted,
    missing,
  };
}
