import type { LocalDocument } from '../kinds/kind.ts';
import type { HolderFacts } from './blocked.ts';
import { ambiguous, blockedByHolders } from './blocked.ts';
import { comparePair, compareUntagged } from './compare-pair.ts';
import type { Comparison, Selection } from './comparison.ts';
import { everything } from './comparison.ts';
import type { LiveDocument } from './live.ts';
import { isOwnedBy } from './live.ts';

/** The documents of one kind on both sides. */
interface Sides {
  readonly local: readonly LocalDocument[];
  readonly live: readonly LiveDocument[];
  /** Whether the service keeps tags on this kind; undefined: nothing is live to know it by. */
  readonly keepsTags: boolean | undefined;
}

/**
 * Compares what git says with what is live, for the documents of one kind, object by object: git, live, and the stamp
 * of what was last applied. Pure and total. Objects of other owners are in no result but as the reason of a `blocked`.
 */
export function compareDocuments(
  project: string,
  { local, live, keepsTags }: Sides,
  selection: Selection = everything,
): Comparison[] {
  if (keepsTags === false) return compareByIdentity(local, live, selection);
  const isOwned = isOwnedBy(project);
  const owned = live.filter(isOwned);
  const byKey = groupBy(owned, ({ ownership }) => ownership.key);
  const byIdentity = groupBy(live, ({ identity }) => identity);
  const localKeys = new Set(local.map(({ key }) => key));
  const claims = new Map<LiveDocument, LocalDocument>();

  const matched = local.map((mine) => {
    const identity = mine.kind.identityOf(mine.body);
    const withKey = byKey.get(mine.key) ?? [];
    const matches =
      withKey.length > 0
        ? withKey
        : (byIdentity.get(identity) ?? []).filter(
            (other) => isOwned(other) && !localKeys.has(other.ownership.key ?? ''),
          );
    for (const match of matches) claims.set(match, mine);
    return { mine, identity, matches };
  });
  const orphans = new Set(owned.filter((mine) => !claims.has(mine)));
  const facts: HolderFacts = {
    project,
    isOwned,
    // Its own change, in this same plan, gives the name away.
    movesAway: (other) => {
      if (orphans.has(other)) return selection.prune;
      const claimant = claims.get(other);
      return (
        claimant !== undefined &&
        claimant.kind.identityOf(claimant.body) !== other.identity &&
        selection.selects(claimant.key)
      );
    },
    isOrphan: (other) => orphans.has(other),
  };

  const compared = matched
    .filter(({ mine }) => selection.selects(mine.key))
    .map(({ mine, identity, matches }): Comparison => {
      const [match] = matches;
      if (matches.length > 1) return ambiguous(mine, matches);
      const holders = (byIdentity.get(identity) ?? []).filter(
        (other) => other !== match && !mine.kind.isElsewhere?.(other.item, project),
      );
      const blocked = blockedByHolders(mine, match, holders, facts);
      if (blocked) return blocked;
      return match ? comparePair(mine, match) : creationOf(mine, keepsTags);
    });
  return selection.allFiles
    ? [
        ...compared,
        ...[...orphans]
          .filter(({ ownership }) => selection.selects(ownership.key ?? ''))
          .map((orphan): Comparison => ({ kind: 'orphan', live: orphan })),
      ]
    : compared;
}

const creationOf = (local: LocalDocument, keepsTags: boolean | undefined): Comparison =>
  local.isOver === undefined
    ? {
        kind: 'create',
        local,
        wanted: local.kind.wanted(local, undefined, keepsTags),
        isTagged: keepsTags !== false,
      }
    : { kind: 'over', local, reason: local.isOver };

/** Where nothing tells whose an object is, the one of the same identity is meant, and nothing is ever an orphan. */
function compareByIdentity(
  local: readonly LocalDocument[],
  live: readonly LiveDocument[],
  selection: Selection,
): Comparison[] {
  const byIdentity = groupBy(live, ({ identity }) => identity);
  return local
    .filter(({ key }) => selection.selects(key))
    .map((mine): Comparison => {
      const matches = byIdentity.get(mine.kind.identityOf(mine.body)) ?? [];
      const [match] = matches;
      if (matches.length > 1) return ambiguous(mine, matches);
      return match ? compareUntagged(mine, match) : creationOf(mine, false);
    });
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string | undefined): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
