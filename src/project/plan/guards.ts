import type { Comparison } from '../compare/compare.ts';
import { protectTag } from '../compare/ownership.ts';

/** Fewer owned policies than this, and a percentage of them says nothing. */
const percentageFrom = 10;

export interface GuardFacts {
  /** How many policies the files hold. */
  readonly local: number;
  /** How many live policies the project owns. */
  readonly owned: number;
  readonly prune: boolean;
  /** Files or keys were picked, so what looks like an orphan may just not have been looked at. */
  readonly partial: boolean;
  readonly allowEmpty: boolean;
  /** Percent. */
  readonly maxDelete: number;
}

/** A guard that refuses: why, and what to do about it. */
export interface Refusal {
  readonly guard: 'empty' | 'partial-prune' | 'max-delete' | 'protected';
  readonly message: string;
  readonly hint: string;
}

/** Guards that need nothing of the service: known before it is asked. */
export function guardSelection(facts: Omit<GuardFacts, 'owned'>): Refusal[] {
  const refusals: Refusal[] = [];
  if (facts.local === 0 && !facts.allowEmpty) {
    refusals.push({
      guard: 'empty',
      message: 'The files hold no policies at all',
      hint: 'Check the folder and the `paths` of govctl.yaml; if it is meant, add --allow-empty.',
    });
  }
  if (facts.prune && facts.partial) {
    refusals.push({
      guard: 'partial-prune',
      message: '--prune would judge by a part of the project: what was not selected looks deleted',
      hint: 'Prune without PATH, --target and --exclude.',
    });
  }
  return refusals;
}

/** Guards over what would be deleted. */
export function guardDeletions(comparisons: readonly Comparison[], facts: GuardFacts): Refusal[] {
  if (!facts.prune) return [];
  const doomed = comparisons.flatMap((each) => (each.kind === 'orphan' ? [each.live] : []));
  const refusals: Refusal[] = [];
  const percent = (doomed.length / Math.max(1, facts.owned)) * 100;
  if (facts.owned >= percentageFrom && percent > facts.maxDelete) {
    refusals.push({
      guard: 'max-delete',
      message: `${doomed.length} of the ${facts.owned} policies this project owns would be deleted (${Math.round(percent)} %); at most ${facts.maxDelete} % may be`,
      hint: `If it is meant, add --max-delete ${Math.ceil(percent)}.`,
    });
  }
  const guarded = doomed.filter(({ policy }) => policy.tags?.includes(protectTag));
  if (guarded.length > 0) {
    refusals.push({
      guard: 'protected',
      message: `${guarded.length === 1 ? 'A policy' : `${guarded.length} policies`} tagged ${protectTag} would be deleted: ${guarded.map(({ policy }) => `${policy.name} (${policy.id})`).join(', ')}`,
      hint: `Bring back ${guarded.length === 1 ? 'its file' : 'their files'}, or take the tag off first; it protects from deletion only.`,
    });
  }
  return refusals;
}

/** What is allowed but looks like a wrong --project or folder: said with the plan, for whoever approves it. */
export function noteDeletions(comparisons: readonly Comparison[], facts: GuardFacts): string[] {
  const doomed = comparisons.filter(({ kind }) => kind === 'orphan').length;
  return facts.prune && doomed > 1 && doomed === facts.owned
    ? [
        `All ${doomed} policies that this project owns would be deleted: none has a file here. Is it the right project and folder?`,
      ]
    : [];
}
