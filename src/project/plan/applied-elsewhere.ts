import { utcMinute } from '../../contract/utc-time.ts';
import { Policy } from '../../contract/policies.ts';
import type { Applied } from '../../contract/policies.ts';
import type { Comparison, Update } from '../compare/comparison.ts';

/** Whether the history of the files' commit contains another; undefined where that cannot be known. */
export type IsInHistory = (commit: string) => Promise<boolean | undefined>;

/**
 * Says where the live version was applied from, if not from a commit in the history of these files: then another branch or
 * clone applied it, and the file did not change.
 */
export async function explainApplied(
  comparisons: readonly Comparison[],
  isInHistory: IsInHistory,
): Promise<Comparison[]> {
  const changed = comparisons.flatMap((comparison) => {
    if (comparison.kind !== 'update' || comparison.cause !== 'git') return [];
    if (comparison.reason !== comparison.local.kind.changed) return [];
    const applied = appliedOf(comparison);
    return applied ? [{ comparison, applied }] : [];
  });
  const foreign = new Set<string>();
  const commits = new Set(changed.map(({ applied }) => applied.commit));
  // One after another: each asks git.
  for (const commit of [...commits].slice(0, mostCommits)) {
    if ((await isInHistory(commit)) === false) foreign.add(commit);
  }
  const reasons = new Map<Comparison, string>();
  for (const { comparison, applied } of changed) {
    const said = describeApplied({ ...applied, dirty: false });
    if (foreign.has(applied.commit)) {
      reasons.set(comparison, `applied from elsewhere (${said})`);
    } else if (applied.dirty) {
      const { reason } = comparison;
      reasons.set(comparison, `${reason}; last applied with uncommitted changes (${said})`);
    }
  }
  return comparisons.map((one) => {
    const reason = reasons.get(one);
    return reason === undefined || one.kind !== 'update' ? one : { ...one, reason };
  });
}

/** What a service says may be anything; those of one project come from a few commits. */
const mostCommits = 100;

const appliedOf = ({ live }: Update): Applied | undefined => {
  const read = Policy.shape.applied.safeParse(live.item.applied);
  return read.success ? read.data : undefined;
};

/** A commit as people write it, its branch, and when it was applied. */
export const describeApplied = ({ commit, branch, dirty, at }: Applied): string =>
  [
    `commit ${commit.slice(0, 7)}${dirty ? ' and uncommitted changes' : ''}`,
    ...(branch === undefined ? [] : [`branch ${branch}`]),
    utcMinute(at),
  ].join(', ');
