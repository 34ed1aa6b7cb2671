import type { ErrorDetail } from '../../contract/errors.ts';
import { GovctlError } from '../../contract/errors.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { atStart } from '../kinds/kind.ts';
import type { LocalDocument } from '../kinds/kind.ts';
import { nounOf } from '../kinds/kinds.ts';
import type { Blocked } from './comparison.ts';
import type { LiveDocument } from './live.ts';

const idsOf = (live: readonly LiveDocument[]): string => live.map(({ item }) => item.id).join(', ');

export function ambiguous(local: LocalDocument, others: readonly LiveDocument[]): Blocked {
  const { one, many } = local.kind.noun;
  return {
    kind: 'blocked',
    local,
    others,
    reason: `${others.length} live ${many} match this document: ${idsOf(others)}`,
    hint: `Delete all but one with \`govctl ${one} delete ID\`, then run plan again.`,
  };
}

const deleteOthers = (one: string, kept?: string): string =>
  kept === undefined
    ? `Delete all but one with \`govctl ${one} delete ID\`, then adopt the remaining one.`
    : `Keep ${kept}: delete the others with \`govctl ${one} delete ID\`, then run plan again.`;

/** What is known about who holds a name. */
export interface HolderFacts {
  readonly project: string;
  readonly isOwned: (live: LiveDocument) => boolean;
  readonly movesAway: (live: LiveDocument) => boolean;
  readonly isOrphan: (live: LiveDocument) => boolean;
}

/** Whether others hold the identity (a policy's name) that a document is to have. */
export function blockedByHolders(
  local: LocalDocument,
  match: LiveDocument | undefined,
  holders: readonly LiveDocument[],
  facts: HolderFacts,
): Blocked | undefined {
  const inTheWay = holders.filter((holder) => !facts.movesAway(holder));
  const [other] = inTheWay;
  if (!other) return undefined;
  const blocked = (reason: string, hint: string): Blocked => ({
    kind: 'blocked',
    local,
    others: inTheWay,
    reason,
    hint,
  });
  const { kind } = local;
  const { one, many } = kind.noun;
  const field = kind.identity;
  const { id } = other.item;
  if (match && match.identity === other.identity) {
    return blocked(
      `${inTheWay.length + 1} live ${many} have the ${field} "${other.identity}": ${match.item.id}, owned by this project, and ${idsOf(inTheWay)}`,
      kind.isUnique
        ? 'Rename or delete all but one, then run plan again.'
        : deleteOthers(one, match.item.id),
    );
  }
  if (inTheWay.length > 1 && !kind.isUnique && !inTheWay.some(facts.isOwned)) {
    return blocked(
      `${inTheWay.length} live ${many} have the ${field} "${other.identity}", and none is owned by this project: ${idsOf(inTheWay)}`,
      deleteOthers(one),
    );
  }
  if (other.ownership.disputed) {
    return blocked(
      `a live ${one} with this ${field} (${id}) has the owner tags of several projects`,
      `Remove the wrong govctl.owner tag with \`govctl ${one} update\`.`,
    );
  }
  if (other.ownership.owner !== undefined && !facts.isOwned(other)) {
    return blocked(
      `a live ${one} with this ${field} (${id}) belongs to project "${other.ownership.owner}", not to "${facts.project}"`,
      `${renameHint(local, facts.project)}, or remove the object from that project first.`,
    );
  }
  if (other.ownership.owner === undefined) {
    return blocked(
      `a live ${one} with this ${field} (${id}) exists and belongs to no project`,
      `Run \`govctl adopt ${shellWord(other.title)}\`, or choose another ${field}.`,
    );
  }
  return facts.isOrphan(other)
    ? blocked(
        `the ${field} is still used by ${other.ownership.key ?? id} (${id}), which no file describes`,
        'Run plan with --prune to delete that object first.',
      )
    : blocked(
        `the ${field} is still used by ${other.ownership.key ?? id} (${id}), which this plan does not change`,
        'Plan both documents together.',
      );
}

/** Names are unique in a service, so that two projects need different ones. */
const renameHint = ({ kind, written, place }: LocalDocument, project: string): string =>
  kind.identity === 'name'
    ? `Rename it in ${place.file}:${place.line}, for example to "${project} - ${kind.titleOf(written)}"`
    : `Choose another ${kind.identity}`;

/** What stands in the way, named where no plan showed it. @throws GovctlError ownership_conflict */
export function refuseBlocked(blocked: readonly Blocked[], isShown: boolean): void {
  const [first] = blocked;
  if (!first) return;
  const unseen = isShown ? [] : blocked;
  const details = unseen.map(({ local, reason, hint }): ErrorDetail => ({
    field: `${local.key} (${local.place.file}:${local.place.line})`,
    message: `${reason}\n${hint}`,
  }));
  const { one, many } = nounOf(blocked.map(({ local }) => ({ kind: local.kind.name })));
  throw new GovctlError(
    'ownership_conflict',
    `${blocked.length === 1 ? atStart(one) : `${blocked.length} ${many}`} cannot be planned; resolve the conflicts or use --exclude before applying`,
    { details },
  );
}
