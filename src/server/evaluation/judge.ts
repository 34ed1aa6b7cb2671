import { defined } from '../../contract/defined.ts';
import { nextTurn } from '../next-turn.ts';
import { isDeepStrictEqual } from 'node:util';
import type { Finding, UndecidedReason } from '../../contract/findings.ts';
import type { KnownResource } from '../../contract/resources.ts';
import { matchesType, typeKey } from '../../contract/resources.ts';
import type { StatusCause, ViolationStatus } from '../../contract/violations.ts';
import { describeExemption, findingOf } from '../../engine/evaluate.ts';
import type { EvaluatedPolicy } from '../../engine/evaluate.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { hasManyPlaces } from '../events/emit.ts';
import { createFindCover, exemptionsOf, namesOf } from '../exemptions/collection.ts';
import type { StoredExemption } from '../exemptions/collection.ts';
import { anyPattern, policies } from '../policies/collection.ts';
import type { StoredPolicy } from '../policies/collection.ts';
import { allRows } from '../store/all-rows.ts';
import type { Reader, Tx, Versioned } from '../store/store.ts';
import { announceStatus } from '../violations/announce.ts';
import { pairOf, violations } from '../violations/collection.ts';
import type { StoredViolation } from '../violations/collection.ts';
import {
  causeOf,
  describePair,
  describeFinding,
  moveTo,
  stateOf,
  statusAfter,
} from '../violations/transition.ts';
import type { Change } from '../violations/transition.ts';
import type { Verdict } from '../../engine/decide.ts';
import { mostPairsOfRequest } from './evaluation.ts';
import { schedulePolicy } from './schedule-policy.ts';
import type { StoredOutcome } from '../posture/collection.ts';
import { coverChanged, outcomeFound, outcomesMissing } from '../posture/service.ts';
import { recordFlip } from '../prediction/service.ts';
import { violationOpened } from '../remediation/queue.ts';
import { findRemedy, verifyAction } from '../remediation/service.ts';
import type { DatedVerdict, Verdicts } from './verdicts.ts';
import { namedPolicy } from './named-policy.ts';

export interface JudgedPolicy {
  readonly policy: StoredPolicy;
  /** The policy as findings and exemptions refer to it. */
  readonly named: EvaluatedPolicy;
}

/** The cost of an evaluation that writes, relative to one that does not. */
export const writeCost = 10;

/** The cost of an evaluation in a batch. */
export const costOf = ({ status }: Finding): number => (status === 'PASS' ? 1 : writeCost);

/** The cost of writes between two yields to reading requests: a few milliseconds. */
const perTurn = 500;

/**
 * Records verdicts within one transaction and with one timestamp. Caches the policies and exemptions that it reads, and
 * yields to requests that only read.
 */
export interface Judge {
  readonly deps: Deps;
  readonly tx: Tx;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The enabled policies about a type. */
  policiesOf(type: string): Promise<readonly JudgedPolicy[]>;
  /** The exemption that covers a policy's finding over a resource. */
  coverOf(judged: JudgedPolicy, resourceId: string): Promise<StoredExemption | undefined>;
  find(judged: JudgedPolicy, resource: KnownResource, verdict: Verdict): Promise<Finding>;
  /** Must be called for each violation that is written, and each outcome that has none. */
  wrote(written: { readonly message?: string | undefined }): void;
  /** Whether the transaction has reached its maximum of verdicts or writes. */
  isFull(): boolean;
  /** Whether it has reached half of that: what does not belong in this transaction is better left to the next one. */
  isHalfFull(): boolean;
  /** Leaves the evaluation of a policy to the background. */
  postpone(policyId: string): Promise<void>;
  /** Leaves all policies about a type to the background. */
  postponeAll(type: string): Promise<void>;
}

/** Maximum violations per transaction: serializing a transaction blocks the event loop. */
const mostWritten = 1_000;
/** Characters of globs and ids that one transaction compares, as others wait for it: some tenths of a second. */
const mostCompared = 20_000_000;
/** Characters of messages that count as one violation. */
const charactersOfOne = 1_000;

export function createJudge(deps: Deps, tx: Tx): Judge {
  const now = deps.clock.now();
  const byType = new Map<string, readonly JudgedPolicy[]>();
  const exemptionsByPolicy = new Map<string, readonly StoredExemption[]>();
  let compared = 0;
  const findCover = createFindCover(now, (characters) => (compared += characters));
  let spent = 0;
  let recorded = 0;
  let written = 0;
  const postponed = new Set<string>();
  const postponedTypes = new Set<string>();

  /** Lets requests that only read have their turn when as much was done. */
  async function pay(cost: number): Promise<void> {
    if (spent >= perTurn) {
      spent = 0;
      await nextTurn();
    }
    spent += cost;
  }

  async function policiesOf(type: string): Promise<readonly JudgedPolicy[]> {
    const key = typeKey(type);
    const known = byType.get(key);
    if (known) return known;
    const found = (await enabledPolicies(tx, key)).map(({ doc }) => judgedPolicy(doc));
    byType.set(key, found);
    return found;
  }

  async function postpone(policyId: string): Promise<void> {
    await pay(writeCost);
    if (postponed.has(policyId)) return;
    postponed.add(policyId);
    await outcomesMissing(tx, policyId);
    await schedulePolicy(tx, now, policyId);
  }

  async function coverOf({ policy, named }: JudgedPolicy, resourceId: string) {
    let known = exemptionsByPolicy.get(policy.id);
    if (!known) {
      known = await exemptionsOf(tx, namesOf(named));
      exemptionsByPolicy.set(policy.id, known);
    }
    return findCover(known, named, resourceId);
  }

  const isFilled = (share: number): boolean =>
    recorded >= mostPairsOfRequest * share ||
    written >= mostWritten * share ||
    compared >= mostCompared * share ||
    hasManyPlaces(tx, share);

  return {
    deps,
    tx,
    now,
    coverOf,
    policiesOf,
    async find(judged, resource, verdict) {
      const cover = verdict.status === 'FAIL' ? await coverOf(judged, resource.id) : undefined;
      const because = cover && describeExemption(cover);
      const finding = findingOf(judged.named, resource, verdict, because);
      await pay(costOf(finding));
      recorded += 1;
      return finding;
    },
    wrote({ message = '' }) {
      written += 1 + message.length / charactersOfOne;
    },
    isFull: () => isFilled(1),
    isHalfFull: () => isFilled(0.5),
    postpone,
    async postponeAll(type) {
      const key = typeKey(type);
      if (postponedTypes.has(key)) return;
      postponedTypes.add(key);
      for (const { policy } of await policiesOf(type)) await postpone(policy.id);
    },
  };
}

export const judgedPolicy = (policy: StoredPolicy): JudgedPolicy => ({
  policy,
  named: namedPolicy(policy),
});

/** The enabled policies about a type. */
export async function enabledPolicies(
  reader: Reader,
  type: string,
): Promise<Versioned<StoredPolicy>[]> {
  const found: Versioned<StoredPolicy>[] = [];
  const where = { evaluated_type: { any: [typeKey(type), anyPattern] } };
  for await (const row of allRows(reader, policies, where)) {
    if (matchesType(row.doc.resource_type, type)) found.push(row);
  }
  return found;
}

/** Whether there is a verdict of every current policy on the current resource. */
export const areKnown = (
  verdicts: Verdicts,
  judged: readonly JudgedPolicy[],
  resource: KnownResource,
): boolean => judged.every(({ policy }) => verdicts.of(policy, resource) !== undefined);

export interface Recorded {
  readonly finding: Finding;
  /** Status of the violation, if there is one now. */
  readonly status?: ViolationStatus;
}

/** Updates the violation of a policy and a resource according to their verdict, and emits its events. */
export async function record(
  judge: Judge,
  judged: JudgedPolicy,
  resource: KnownResource,
  verdict: DatedVerdict,
): Promise<Recorded> {
  const { deps, tx } = judge;
  const finding = await judge.find(judged, resource, verdict);
  await recordFlip(tx, judge.now, judged.policy, resource, verdict);
  const outcome = await outcomeFound(tx, judge.now, { policy: judged.policy, resource, finding });
  if (outcome?.status === 'ERROR') judge.wrote(outcome);
  const before = (await tx.find(violations, 'pair', pairOf(judged.policy.id, resource.id)))?.doc;
  const isDecided = finding.status === 'FAIL' || finding.status === 'EXEMPT';
  if (!before && !isDecided) return { finding };
  const cover = finding.status === 'PASS' ? undefined : await judge.coverOf(judged, resource.id);
  const status = statusAfter(before?.status, finding.status, cover !== undefined);
  if (status === undefined) return { finding };
  const at = timestamp(judge.now);
  const remedy = before && (await findRemedy(tx, before.id));
  const change: Change =
    remedy && status === 'RESOLVED'
      ? { at, cause: 'remediated', remediation_id: remedy.remediation_id }
      : { at, cause: causeOf(before?.status, status) };
  if (!before) {
    const { doc } = await tx.insert(violations, {
      id: deps.ids.next('viol'),
      status,
      ...describePair(judged.policy, resource),
      message: describeFinding(finding),
      rules: finding.rules,
      ...(cover ? { exemption_id: cover.id } : {}),
      detected_at: at,
      updated_at: at,
      history: [{ status, ...change }],
    });
    await announceStatus(deps, tx, undefined, doc);
    if (status === 'OPEN') await violationOpened(deps, tx, judged.policy, doc);
    judge.wrote(doc);
    return { finding, status };
  }
  const moved = move(before, status, change, cover);
  const after = {
    ...stateOf(moved),
    ...describePair(judged.policy, resource),
    // An ERROR does not change what is known about the violation.
    message: isDecided ? describeFinding(finding) : before.message,
    rules: isDecided ? finding.rules : before.rules,
    ...(finding.reason === undefined ? {} : { undecided: whyUndecided(finding.reason, finding) }),
  };
  await replaceChanged(judge, judged.policy, before, status === 'RESOLVED' ? moved : after);
  if (remedy) await verifyAction(deps, tx, remedy, finding.status);
  return { finding, status };
}

/** The result for a resource that has changed since its evaluation. Leaves the violation alone, as that change updates it. */
export async function countOnly(
  judge: Judge,
  judged: JudgedPolicy,
  resource: KnownResource,
  verdict: Verdict,
): Promise<Recorded> {
  const finding = await judge.find(judged, resource, verdict);
  const violation = await judge.tx.find(violations, 'pair', pairOf(judged.policy.id, resource.id));
  return { finding, ...(violation ? { status: violation.doc.status } : {}) };
}

const whyUndecided = (reason: UndecidedReason, finding: Finding) => ({
  reason,
  ...defined({ path: finding.path }),
  message: describeFinding(finding),
});

function move(
  before: StoredViolation,
  status: StoredViolation['status'],
  change: Change,
  cover: StoredExemption | undefined,
): StoredViolation {
  const coveredBy = status === 'EXEMPT' ? cover?.id : undefined;
  return status === before.status && coveredBy === before.exemption_id
    ? before
    : moveTo(before, status, change, coveredBy);
}

/** Writes the violation if it has changed. */
async function replaceChanged(
  { deps, tx, now, wrote }: Judge,
  policy: StoredPolicy,
  before: StoredViolation,
  after: StoredViolation,
): Promise<void> {
  if (isDeepStrictEqual(before, after)) return;
  const { doc } = await tx.replace(violations, { ...after, updated_at: timestamp(now) });
  await announceStatus(deps, tx, before, doc);
  if (before.status !== 'OPEN' && doc.status === 'OPEN') {
    await violationOpened(deps, tx, policy, doc, before);
  }
  wrote(doc);
}

/** Resolves a violation whose policy or resource is gone, disabled or of another type. */
export async function resolveGone(
  { deps, tx, now }: Pick<Judge, 'deps' | 'tx' | 'now'>,
  violation: StoredViolation,
  cause: StatusCause,
): Promise<void> {
  const resolved = moveTo(violation, 'RESOLVED', { at: timestamp(now), cause });
  await tx.replace(violations, resolved);
  await announceStatus(deps, tx, violation, resolved);
}

/** Updates an outcome, and its violation where that is not resolved, according to the exemptions; the verdict stays. */
export async function applyExemptions(
  judge: Judge,
  judged: JudgedPolicy,
  outcome: StoredOutcome,
): Promise<void> {
  const { tx, now } = judge;
  const cover = await judge.coverOf(judged, outcome.resource_id);
  await coverChanged(tx, now, outcome, cover !== undefined);
  const pair = pairOf(outcome.policy_id, outcome.resource_id);
  const violation = (await tx.find(violations, 'pair', pair))?.doc;
  if (!violation || violation.status === 'RESOLVED') return;
  const status = statusAfter(violation.status, 'ERROR', cover !== undefined);
  if (status === undefined) return;
  const at = timestamp(now);
  const moved = move(violation, status, { at, cause: causeOf(violation.status, status) }, cover);
  await replaceChanged(judge, judged.policy, violation, moved);
}
