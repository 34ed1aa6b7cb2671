import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../contract/defined.ts';
import type { PredictiveAlert } from '../../contract/predictions.ts';
import type { KnownResource } from '../../contract/resources.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import type { Call } from '../http/call.ts';
import { createCallerTurns } from '../http/caller-turns.ts';
import type { StoredPolicy } from '../policies/collection.ts';
import type { Tx } from '../store/store.ts';
import type { DatedVerdict } from '../evaluation/verdicts.ts';
import { collectAlerts } from './alerts.ts';
import type { AlertFilter, Asked } from './alerts.ts';
import { alertId, flips } from './collection.ts';
import type { StoredFlip } from './collection.ts';

const day = 86_400_000;

/** Characters: there may be one for each resource. */
const longestMessage = 512;

/**
 * Keeps when a resource will fail a policy by itself, beside what was found now. Does nothing where that was not looked for.
 * @param now of the evaluation, in milliseconds since the epoch
 */
export async function recordFlip(
  tx: Tx,
  now: number,
  policy: StoredPolicy,
  resource: KnownResource,
  verdict: DatedVerdict,
): Promise<void> {
  const { flip } = verdict;
  if (flip === undefined) return;
  const id = alertId(policy.id, resource.id, 'date_certain');
  const before = (await tx.get(flips, id))?.doc;
  const coming = comingOf(verdict);
  if (!before && !coming) return;
  // What moves a date is a renewal only where the policy is as it was.
  const counts =
    before && policy.updated_at <= before.updated_at
      ? countedOn(before, now, verdict, coming)
      : { renewed: before?.renewed ?? 0, missed: before?.missed ?? 0 };
  if (!coming && counts.renewed + counts.missed === 0) {
    await tx.remove(flips, id);
    return;
  }
  const after: StoredFlip = {
    id,
    policy_id: policy.id,
    resource_id: resource.id,
    resource_type: resource.type,
    provider: resource.provider,
    ...defined({
      account_id: resource.account_id,
      environment: resource.environment,
      at: coming?.at,
      message: coming?.message,
    }),
    ...counts,
    updated_at: before?.updated_at ?? timestamp(now),
  };
  if (!before) await tx.insert(flips, after);
  else if (!isDeepStrictEqual(before, after)) {
    await tx.replace(flips, { ...after, updated_at: timestamp(now) });
  }
}

interface Coming {
  readonly at: string;
  readonly message: string;
}

function comingOf({ status, flip }: DatedVerdict): Coming | undefined {
  if (typeof flip !== 'object' || flip.to.status !== 'FAIL' || status === 'FAIL') return undefined;
  const message = flip.to.rules.map((rule) => rule.message ?? '').find((text) => text !== '') ?? '';
  return { at: timestamp(flip.at), message: message.slice(0, longestMessage) };
}

/** Whether the date of before came, or was moved away. */
function countedOn(
  { at, renewed, missed }: StoredFlip,
  now: number,
  { status, flip }: DatedVerdict,
  coming: Coming | undefined,
): { readonly renewed: number; readonly missed: number } {
  if (at === undefined || coming?.at === at) return { renewed, missed };
  const hasCome = Date.parse(at) <= now;
  if (hasCome) return { renewed, missed: status === 'FAIL' ? missed + 1 : missed };
  const isMoved = coming ? coming.at > at : status === 'PASS' && flip !== 'unknown';
  return { renewed: isMoved ? renewed + 1 : renewed, missed };
}

/** Removes what is kept of a resource that is gone. */
export async function forgetResource(tx: Tx, resourceId: string): Promise<void> {
  await forget(tx, 'resource_id', resourceId, Infinity);
}

/** Removes some of what is kept of a policy. @returns whether there is more */
export const forgetPolicy = (tx: Tx, policyId: string, most: number): Promise<boolean> =>
  forget(tx, 'policy_id', policyId, most);

/** Rows that are read at once. */
const rowsAtOnce = 100;

async function forget(
  tx: Tx,
  index: 'policy_id' | 'resource_id',
  id: string,
  most: number,
): Promise<boolean> {
  for (let removed = 0; ;) {
    const { rows } = await tx.page(flips, {
      where: { [index]: { any: [id] } },
      orderBy: 'id',
      direction: 'asc',
      limit: rowsAtOnce,
    });
    for (const { doc } of rows) await tx.remove(flips, doc.id);
    removed += rows.length;
    if (rows.length < rowsAtOnce) return false;
    if (removed >= most) return true;
  }
}

/** What is to come, for whoever asks. */
export interface Alerts {
  /** Looks for alerts when it is the caller's turn. */
  inTurn<T>(call: Call, look: (asked: Asked) => Promise<T>): Promise<T>;
  /** The next alerts within so many days. @throws as `collectAlerts` */
  coming(
    call: Call,
    days: number,
    filter: Omit<AlertFilter, 'until'>,
    most: number,
  ): Promise<PredictiveAlert[]>;
}

export function createAlerts(deps: Deps): Alerts {
  const turns = createCallerTurns();
  const inTurn: Alerts['inTurn'] = (call, look) =>
    turns(call, () => look({ reader: deps.store, now: deps.clock.now(), signal: call.signal }));
  return {
    inTurn,
    coming: (call, days, filter, most) =>
      inTurn(call, (asked) =>
        collectAlerts(asked, { ...filter, until: asked.now + days * day }, most),
      ),
  };
}
