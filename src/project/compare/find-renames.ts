import type { Body, Kind, LocalDocument } from '../kinds/kind.ts';
import type { Comparison } from './comparison.ts';

/** A new document that says, but for its name, what one without a file says. */
export interface LikelyRename {
  readonly local: LocalDocument;
  /** The key that would make it an update of that one. */
  readonly key: string;
  readonly formerName: string;
}

/** Pairs that look like a rename of a file without a `key`: each a creation and an orphan. Pure. */
export function findRenames(comparisons: readonly Comparison[]): LikelyRename[] {
  const orphans = new Map<string, { key: string; formerName: string }>();
  for (const comparison of comparisons) {
    if (comparison.kind !== 'orphan') continue;
    const { kind, ownership, title, content } = comparison.live;
    if (ownership.key === undefined) continue;
    orphans.set(withoutIdentity(kind, content), { key: ownership.key, formerName: title });
  }
  if (orphans.size === 0) return [];
  return comparisons.flatMap((comparison) => {
    if (comparison.kind !== 'create') return [];
    const { kind, body } = comparison.local;
    const former = orphans.get(withoutIdentity(kind, kind.content(body)));
    return former ? [{ local: comparison.local, ...former }] : [];
  });
}

const withoutIdentity = (kind: Kind, content: Body): string =>
  `${kind.name} ${kind.hash({ ...content, [kind.identity]: '' })}`;
