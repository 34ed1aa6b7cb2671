import { GovctlError } from '../../contract/errors.ts';
import { inThrees } from '../../contract/in-threes.ts';
import type { ResolveMany, ResolvedMany } from '../../contract/violations.ts';
import { recordAudit } from '../audit/service.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { hasManyPlaces } from '../events/emit.ts';
import type { Actor } from '../http/call.ts';
import { nextTurn } from '../next-turn.ts';
import type { Tx, Versioned } from '../store/store.ts';
import { announceStatus } from './announce.ts';
import { violations } from './collection.ts';
import type { StoredViolation } from './collection.ts';
import { matching } from './service.ts';
import { moveTo, withReason } from './transition.ts';

/**
 * Resolves a violation by hand: with its event, and an entry in the audit log. One that is resolved already stays so; the
 * reason is added to its history.
 */
export async function resolveByHand(
  deps: Deps,
  tx: Tx,
  actor: Actor,
  before: StoredViolation,
  reason: string,
): Promise<Versioned<StoredViolation>> {
  const at = timestamp(deps.clock.now());
  const change = { at, cause: 'manual', reason, by: actor.userId } as const;
  const wasResolved = before.status === 'RESOLVED';
  const after = wasResolved ? withReason(before, change) : moveTo(before, 'RESOLVED', change);
  const stored = await tx.replace(violations, after);
  await announceStatus(deps, tx, before, stored.doc);
  const changed = wasResolved ? 'reason' : 'status';
  await recordAudit(deps, tx, actor, 'violation.resolve', before.id, [changed]);
  return stored;
}

/** IDs that an answer shows. */
const mostShown = 100;
/** Violations of one transaction, for which other changes wait, and those between two turns of requests that read. */
const atOnce = 100;
const perTurn = 20;

/**
 * Resolves what matches a filter, some in each transaction. What is open no longer by then stays as it is.
 * @throws GovctlError invalid_resolution where more match than are allowed; nothing is resolved then
 */
export async function resolveMatching(
  deps: Deps,
  { filter, reason, dry_run, most }: ResolveMany,
  {
    actor,
    ownerTags,
    signal,
  }: {
    readonly actor: Actor;
    readonly ownerTags: readonly string[];
    readonly signal: AbortSignal;
  },
): Promise<ResolvedMany> {
  const { status = ['OPEN' as const] } = filter;
  const by = { now: deps.clock.now(), ownerTags, signal };
  const ids: string[] = [];
  let matched = 0;
  for await (const { id } of matching(deps.store, { ...filter, status }, by)) {
    matched += 1;
    if (ids.length < most) ids.push(id);
  }
  if (dry_run) return { matched, resolved: 0, dry_run, violations: ids.slice(0, mostShown) };
  if (matched > most) throw tooMany(matched, most);
  const resolved: string[] = [];
  for (let next = 0; next < ids.length;) {
    signal.throwIfAborted();
    // A transaction may run again: it says itself how far it came.
    const some = await deps.store.transact(async (tx) => {
      const done: string[] = [];
      let at = next;
      for (; at < ids.length && at < next + atOnce && !hasManyPlaces(tx); at++) {
        const found = await tx.get(violations, ids[at] ?? '');
        if (!found || !status.some((one) => one === found.doc.status)) continue;
        await resolveByHand(deps, tx, actor, found.doc, reason);
        done.push(found.doc.id);
        if (done.length % perTurn === 0) await nextTurn();
      }
      return { done, at };
    });
    resolved.push(...some.done);
    next = some.at;
  }
  return { matched, resolved: resolved.length, dry_run, violations: resolved.slice(0, mostShown) };
}

const tooMany = (matched: number, most: number): GovctlError =>
  new GovctlError(
    'invalid_resolution',
    `${inThrees(matched)} violations match, more than the maximum of ${inThrees(most)}; no violations were resolved`,
    { hint: 'Narrow the filter, or raise most (maximum 10,000).' },
  );
