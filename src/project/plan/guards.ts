import { GovctlError } from '../../contract/errors.ts';
import type { Comparison } from '../compare/comparison.ts';
import type { LiveDocument } from '../compare/live.ts';
import { protectTag } from '../compare/ownership.ts';
import { atStart } from '../kinds/kind.ts';
import type { Kind, KindName } from '../kinds/kind.ts';

/** How much may be deleted at once. */
export interface DeleteLimit {
  readonly percent: number;
  /** Of fewer objects than this, all may be deleted. */
  readonly from: number;
}

/** Without a word on it, a percentage of few objects is meaningless; whoever gives one for this run means it. */
export const deleteLimit = (given: number | undefined, configured: number): DeleteLimit =>
  given === undefined ? { percent: configured, from: 10 } : { percent: given, from: 1 };

/** @returns the percentage, where it is more than may be deleted */
export function overLimit(
  deleted: number,
  all: number,
  { percent: most, from }: DeleteLimit,
): number | undefined {
  const percent = (deleted / Math.max(1, all)) * 100;
  return all >= from && percent > most ? percent : undefined;
}

interface GuardFacts {
  /** Number of documents per kind in the files. */
  readonly local: Readonly<Partial<Record<KindName, number>>>;
  /** Number of live objects per kind that the project owns. */
  readonly owned: Readonly<Partial<Record<KindName, number>>>;
  readonly prune: boolean;
  /** Only some files or keys are selected, so an apparent orphan may have a file that was not read. */
  readonly partial: boolean;
  readonly allowEmpty: boolean;
  readonly maxDelete: DeleteLimit;
}

/** A guard that refuses the plan, with the reason and a hint. */
export interface Refusal {
  readonly guard: 'empty' | 'partial-prune' | 'max-delete' | 'protected';
  readonly message: string;
  readonly hint: string;
}

const empty: Refusal = {
  guard: 'empty',
  message: 'The files contain no policies',
  hint: 'Check the directory and `paths` in govctl.yaml. To continue anyway, use --allow-empty.',
};

/** Guards that need no data from the service: checked before the first request. */
export function guardSelection(facts: Omit<GuardFacts, 'owned'>): Refusal[] {
  const refusals: Refusal[] = [];
  const isEmpty = Object.values(facts.local).every((amount) => amount === 0);
  if (isEmpty && !facts.allowEmpty) refusals.push(empty);
  if (facts.prune && facts.partial) {
    refusals.push({
      guard: 'partial-prune',
      message: '--prune cannot be used with a selection: unselected documents would be deleted',
      hint: 'Use --prune without PATH, --target and --exclude.',
    });
  }
  return refusals;
}

/** Refuses deletions where the files of these objects may be in git, but not in the directory. */
export function guardCheckout(
  comparisons: readonly Comparison[],
  { prune, notCheckedOut }: { readonly prune: boolean; readonly notCheckedOut: readonly string[] },
): Refusal[] {
  const [first] = notCheckedOut;
  if (!prune || first === undefined || doomedByKind(comparisons).size === 0) return [];
  const others = notCheckedOut.length - 1;
  return [
    {
      guard: 'partial-prune',
      message: `--prune cannot be used: git did not check out ${first}${others > 0 ? ` and ${others} more` : ''}`,
      hint: 'Check out all files, for example with `git sparse-checkout disable` or `git submodule update --init`.',
    },
  ];
}

/** Guards over deletions, per kind, so that many objects of one kind do not hide the deletions of another. */
export function guardDeletions(comparisons: readonly Comparison[], facts: GuardFacts): Refusal[] {
  if (!facts.prune) return [];
  return [...doomedByKind(comparisons)].flatMap(([kind, doomed]) => guardKind(kind, doomed, facts));
}

function doomedByKind(comparisons: readonly Comparison[]): Map<Kind, LiveDocument[]> {
  const doomed = new Map<Kind, LiveDocument[]>();
  for (const comparison of comparisons) {
    if (comparison.kind !== 'orphan') continue;
    const { live } = comparison;
    const same = doomed.get(live.kind);
    if (same) same.push(live);
    else doomed.set(live.kind, [live]);
  }
  return doomed;
}

function guardKind(kind: Kind, doomed: readonly LiveDocument[], facts: GuardFacts): Refusal[] {
  const refusals: Refusal[] = [];
  const { one, many } = kind.noun;
  const owned = facts.owned[kind.name] ?? 0;
  if (kind.guardsEmpty && facts.local[kind.name] === 0 && !facts.allowEmpty) refusals.push(empty);
  const percent = overLimit(doomed.length, owned, facts.maxDelete);
  if (percent !== undefined) {
    refusals.push({
      guard: 'max-delete',
      message: `${doomed.length} of the ${owned} ${many} of this project would be deleted (${Math.round(percent)}%); the maximum is ${facts.maxDelete.percent}%`,
      hint: `To delete these objects anyway, use --max-delete ${Math.ceil(percent)}.`,
    });
  }
  const guarded = doomed.filter(({ item }) => item.tags?.includes(protectTag));
  if (guarded.length > 0) {
    refusals.push({
      guard: 'protected',
      message: `${guarded.length === 1 ? atStart(one) : `${guarded.length} ${many}`} tagged ${protectTag} would be deleted: ${guarded.map(({ title, item }) => `${title} (${item.id})`).join(', ')}`,
      hint: `Restore ${guarded.length === 1 ? 'its file' : 'their files'}, or remove the tag first.`,
    });
  }
  return refusals;
}

/** Warnings about an allowed plan that suggests a wrong --project or directory, shown before approval. */
export function noteDeletions(comparisons: readonly Comparison[], facts: GuardFacts): string[] {
  if (!facts.prune) return [];
  return [...doomedByKind(comparisons)].flatMap(([{ name, noun }, doomed]) =>
    doomed.length > 1 && doomed.length === facts.owned[name]
      ? [
          `All ${doomed.length} ${noun.many} of this project would be deleted because none has a file. Check the project and the directory.`,
        ]
      : [],
  );
}

/** @throws GovctlError guard_refused */
export function refuseGuards(refusals: readonly Refusal[]): void {
  const [first, ...rest] = refusals;
  if (!first) return;
  throw new GovctlError('guard_refused', first.message, {
    details: rest.map(({ guard, message, hint }) => ({
      field: guard,
      message: `${message}\n${hint}`,
    })),
    hint: first.hint,
  });
}
