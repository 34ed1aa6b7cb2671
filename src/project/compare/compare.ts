import type { Policy } from '../../contract/policies.ts';
import { contentFingerprint, normalFingerprint, normalisePolicy, stampOf } from './fingerprint.ts';
import type { NormalPolicy } from './fingerprint.ts';
import type { LocalPolicy } from '../model.ts';
import type { Ownership } from './ownership.ts';
import { readOwnership } from './ownership.ts';

/** A live policy with what comparing needs of it. */
export interface LivePolicy {
  readonly policy: Policy;
  readonly ownership: Ownership;
  readonly content: NormalPolicy;
  /** Of the content, without govctl's tags. */
  readonly sha256: string;
}

export function readLive(policy: Policy): LivePolicy {
  const content = normalisePolicy(policy);
  return {
    policy,
    ownership: readOwnership(policy.tags ?? []),
    content,
    sha256: normalFingerprint(content),
  };
}

/**
 * Why a policy would change:
 * `git` its file changed · `drift` it was edited outside git · `conflict` both · `stamp` it says what git says, but
 * the stamp is of something else · `key` it goes by another key now · `new` not there yet · `orphan` no file any more.
 */
type Cause = 'new' | 'git' | 'drift' | 'conflict' | 'stamp' | 'key' | 'orphan';

export type Comparison =
  | { readonly kind: 'create'; readonly local: LocalPolicy }
  | { readonly kind: 'unchanged'; readonly local: LocalPolicy; readonly live: LivePolicy }
  | {
      readonly kind: 'update';
      readonly cause: Exclude<Cause, 'new' | 'orphan'>;
      readonly local: LocalPolicy;
      readonly live: LivePolicy;
      readonly reason: string;
    }
  /** Ours, but no file says it any more. */
  | { readonly kind: 'orphan'; readonly live: LivePolicy }
  /** It can't be planned: whose policy is meant is not certain, or it isn't ours. */
  | {
      readonly kind: 'blocked';
      readonly local: LocalPolicy;
      readonly others: readonly LivePolicy[];
      readonly reason: string;
      readonly hint: string;
    };

/** Which of the project's policies a comparison is about. */
export interface Selection {
  /** Whether all files of the project were read; else what looks like an orphan may just not have been read. */
  readonly allFiles: boolean;
  readonly selects: (key: string) => boolean;
  /** Orphans are going to be deleted, so their names get free. */
  readonly prune: boolean;
}

export const everything: Selection = { allFiles: true, selects: () => true, prune: false };

/**
 * Compares what git says with what is live, object by object: git, live, and the stamp of what was last applied.
 * Pure and total. Policies of other owners are in no result but as the reason of a `blocked`.
 */
export function comparePolicies(
  project: string,
  local: readonly LocalPolicy[],
  live: readonly LivePolicy[],
  selection: Selection = everything,
): Comparison[] {
  const isOwned = ({ ownership }: LivePolicy): boolean =>
    ownership.owner === project && !ownership.disputed;
  const owned = live.filter(isOwned);
  const byKey = groupBy(owned, ({ ownership }) => ownership.key);
  const byName = groupBy(live, ({ policy }) => policy.name);
  const localKeys = new Set(local.map(({ key }) => key));
  const claims = new Map<LivePolicy, LocalPolicy>();

  const matched = local.map((mine): { mine: LocalPolicy; matches: LivePolicy[] } => {
    const withKey = byKey.get(mine.key) ?? [];
    const matches =
      withKey.length > 0
        ? withKey
        : (byName.get(mine.policy.name) ?? []).filter(
            (other) => isOwned(other) && !localKeys.has(other.ownership.key ?? ''),
          );
    for (const match of matches) claims.set(match, mine);
    return { mine, matches };
  });
  const orphans = new Set(owned.filter((mine) => !claims.has(mine)));
  const facts: NameFacts = {
    isOwned,
    // Its own change, in this same plan, gives the name away.
    movesAway: (other) => {
      if (orphans.has(other)) return selection.prune;
      const claimant = claims.get(other);
      return (
        claimant !== undefined &&
        claimant.policy.name !== other.policy.name &&
        selection.selects(claimant.key)
      );
    },
    isOrphan: (other) => orphans.has(other),
  };

  const compared = matched
    .filter(({ mine }) => selection.selects(mine.key))
    .map(({ mine, matches }): Comparison => {
      const [match] = matches;
      if (matches.length > 1) return ambiguous(mine, matches);
      const holders = (byName.get(mine.policy.name) ?? []).filter((other) => other !== match);
      const blocked = blockedByName(project, mine, match, holders, facts);
      if (blocked) return blocked;
      return match ? comparePair(mine, match) : { kind: 'create', local: mine };
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

/** The three-way comparison of one policy. */
function comparePair(local: LocalPolicy, live: LivePolicy): Comparison {
  const { stamp, key } = live.ownership;
  const gitSha = contentFingerprint(local.policy);
  const update = (cause: Exclude<Cause, 'new' | 'orphan'>, reason: string): Comparison => ({
    kind: 'update',
    cause,
    local,
    live,
    reason,
  });
  const rekeyed = key !== local.key ? `its key was ${key ?? 'lost'}` : undefined;
  if (gitSha === live.sha256) {
    if (rekeyed) return update('key', `${rekeyed}; only the ownership tags change`);
    if (stamp === stampOf(gitSha)) return { kind: 'unchanged', local, live };
    return update(
      'stamp',
      stamp === undefined
        ? 'it says what git says, but its stamp was lost; only the ownership tags change'
        : 'somebody made the same edit outside git; only the ownership tags change',
    );
  }
  const also = rekeyed ? `, and ${rekeyed}` : '';
  if (stamp === stampOf(live.sha256)) return update('git', `its file changed${also}`);
  if (stamp === stampOf(gitSha)) {
    return update('drift', `it was edited outside git; apply puts back what git says${also}`);
  }
  return update(
    'conflict',
    stamp === undefined
      ? `its stamp was lost, so who changed it is not known; git wins${also}`
      : `its file changed, and it was edited outside git too; git wins${also}`,
  );
}

const idsOf = (live: readonly LivePolicy[]): string =>
  live.map(({ policy }) => policy.id).join(', ');

function ambiguous(local: LocalPolicy, others: readonly LivePolicy[]): Comparison {
  return {
    kind: 'blocked',
    local,
    others,
    reason: `${others.length} live policies could be this one: ${idsOf(others)}`,
    hint: 'Delete all but one of them with `govctl policy delete ID`, then plan again.',
  };
}

/** What is known about who holds a name. */
interface NameFacts {
  readonly isOwned: (live: LivePolicy) => boolean;
  readonly movesAway: (live: LivePolicy) => boolean;
  readonly isOrphan: (live: LivePolicy) => boolean;
}

function blockedByName(
  project: string,
  local: LocalPolicy,
  match: LivePolicy | undefined,
  holders: readonly LivePolicy[],
  facts: NameFacts,
): Comparison | undefined {
  const inTheWay = holders.filter((holder) => !facts.movesAway(holder));
  const [other] = inTheWay;
  if (!other) return undefined;
  const blocked = (reason: string, hint: string): Comparison => ({
    kind: 'blocked',
    local,
    others: inTheWay,
    reason,
    hint,
  });
  const { id, name } = other.policy;
  if (match && match.policy.name === name) {
    return blocked(
      `${inTheWay.length + 1} live policies have the name "${name}": ${idsOf([match, ...inTheWay])}`,
      'Rename or delete all but one of them, then plan again.',
    );
  }
  if (other.ownership.disputed) {
    return blocked(
      `a live policy of this name (${id}) carries the owner tags of several projects`,
      'Remove the wrong govctl.owner tag with `govctl policy update`.',
    );
  }
  if (other.ownership.owner !== undefined && !facts.isOwned(other)) {
    return blocked(
      `a live policy of this name (${id}) belongs to project "${other.ownership.owner}", not to "${project}"`,
      'Choose another name, or remove it from that project first.',
    );
  }
  if (other.ownership.owner === undefined) {
    return blocked(
      `a live policy of this name (${id}) exists and belongs to no project`,
      `Take it over with \`govctl adopt ${quoteArgument(name)}\`, or choose another name.`,
    );
  }
  return facts.isOrphan(other)
    ? blocked(
        `the name is still held by ${other.ownership.key ?? id} (${id}), which no file describes any more`,
        'Plan with --prune to delete that one first.',
      )
    : blocked(
        `the name is still held by ${other.ownership.key ?? id} (${id}), whose own change is not part of this plan`,
        'Plan both together.',
      );
}

const quoteArgument = (text: string): string =>
  /^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
