import type { PendingEvaluation } from '../../contract/pending-evaluation.ts';
import { isTypePattern, matchesType, typeKey } from '../../contract/resources.ts';
import type { Awaitable } from '../awaitable.ts';
import { whenKnown } from '../awaitable.ts';
import { createPace } from '../pace.ts';
import type { Pace } from '../pace.ts';
import { policies } from '../policies/collection.ts';
import { resourceCounts } from '../posture/service.ts';
import { allRows } from '../store/all-rows.ts';
import type { Reader } from '../store/store.ts';
import { awaited, awaitedChanges, evaluationWork } from './work.ts';
import type { Work } from './work.ts';

/**
 * What changes have left to evaluate; undefined where everything is evaluated. A request that tells it beside what it reads
 * asks for it first: what is read once nothing was pending is complete.
 */
export const readPending = (
  reader: Reader,
  now: number,
  signal: AbortSignal,
): Awaitable<PendingEvaluation | undefined> =>
  whenKnown(
    reader.page(evaluationWork, { where: awaited, orderBy: 'due_at', direction: 'asc', limit: 1 }),
    ({ rows: [first] }) =>
      first && first.doc.due_at <= now ? addUp(reader, now, createPace(signal)) : undefined,
  );

async function addUp(reader: Reader, now: number, pace: Pace): Promise<PendingEvaluation> {
  const countAbout = createCount(await resourcesByType(reader), pace);
  const pending = { policies: 0, evaluations: 0 };
  for await (const { doc: work } of allRows(reader, evaluationWork, awaitedChanges)) {
    if (work.due_at > now || work.kind !== 'policy') continue;
    pending.policies += 1;
    pending.evaluations += await countLeft(reader, work, countAbout);
  }
  return pending;
}

/** 0 where only what the policy left behind is to be removed. */
async function countLeft(
  reader: Reader,
  { id, swept, tally }: Work & { readonly kind: 'policy' },
  countAbout: (type: string) => Awaitable<number>,
): Promise<number> {
  const policy = (await reader.get(policies, id))?.doc;
  if (!policy?.enabled || policy.quarantined || swept !== undefined) return 0;
  return Math.max(0, (await countAbout(policy.resource_type)) - (tally?.evaluated ?? 0));
}

async function resourcesByType(reader: Reader): Promise<ReadonlyMap<string, number>> {
  const byType = new Map<string, number>();
  for await (const types of resourceCounts(reader, {})) {
    for (const [type, n] of Object.entries(types)) byType.set(type, (byType.get(type) ?? 0) + n);
  }
  return byType;
}

/** @returns counts the resources of a type, or of all types that a pattern matches, which takes its turns */
function createCount(
  byType: ReadonlyMap<string, number>,
  pace: Pace,
): (type: string) => Awaitable<number> {
  const ofPattern = async (pattern: string): Promise<number> => {
    await pace.spend(byType.size);
    return [...byType].reduce((sum, [type, n]) => (matchesType(pattern, type) ? sum + n : sum), 0);
  };
  return (type) => (isTypePattern(type) ? ofPattern(type) : (byType.get(typeKey(type)) ?? 0));
}
