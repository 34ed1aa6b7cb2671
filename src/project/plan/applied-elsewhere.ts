import { utcMinute } from '../../contract/utc-time.ts';
import { Policy } from '../../contract/policies.ts';
import type { Applied } from '../../contract/policies.ts';
import type { Comparison, Update } from '../compare/comparison.ts';
import type { LiveDocument } from '../compare/live.ts';

/** Whether the history of the files' commit contains another; undefined where that cannot be known. */
export type IsInHistory = (commit: string) => Promise<boolean | undefined>;

/**
 * Says where the live version was applied from, if not from a commit in the history of these files: then another branch or
 * clone applied it, and the file did not change, or there was none.
 */
export async function explainApplied(
  comparisons: readonly Comparison[],
  isInHistory: IsInHistory,
): Promise<Comparison[]> {
  const changed = comparisons.flatMap((comparison) => {
    if (comparison.kind !== 'orphan' && !isChangedFile(comparison)) return [];
    const applied = appliedOf(comparison.live);
    return applied ? [{ comparison, applied }] : [];
  });
  const foreign = new Set<string>();
  const commits = new Set(changed.map(({ applied }) => applied.commit));
  // One after another: each asks git.
  for (const commit of [...commits].slice(0, mostCommits)) {
    if ((await isInHistory(commit)) === false) foreign.add(commit);
  }
  const explained = new Map<Comparison, Comparison>();
  for (const { comparison, applied } of changed) {
    const said = describeApplied({ ...applied, dirty: false });
    if (foreign.has(applied.commit)) {
      const elsewhere = `applied from elsewhere (${said})`;
      const told = comparison.kind === 'orphan' ? { elsewhere } : { reason: elsewhere };
      explained.set(comparison, { ...comparison, ...told });
    } else if (applied.dirty && comparison.kind === 'update') {
      const reason = `${comparison.reason}; last applied with uncommitted changes (${said})`;
      explained.set(comparison, { ...comparison, reason });
    }
  }
  return comparisons.map((one) => explained.get(one) ?? one);
}

const isChangedFile = (comparison: Comparison): comparison is Update =>
  comparison.kind === 'update' &&
  comparison.cause === 'git' &&
  comparison.reason === comparison.local.kind.changed;

/** What a service says may be anything; those of one project come from a few commits. */
const mostCommits = 100;

const appliedOf = ({ item }: LiveDocument): Applied | undefined => {
  const read = Policy.shape.applied.safeParse(item.applied);
  return read.success ? read.data : undefined;
};

/** A commit as people write it, its branch, and when it was applied. */
export const describeApplied = ({ commit, branch, dirty, at }: Applied): string =>
  [
    `commit ${commit.slice(0, 7)}${dirty ? ' and uncommitted changes' : ''}`,
    ...(branch === undefined ? [] : [`branch ${branch}`]),
    utcMinute(at),
  ].join(', ');
