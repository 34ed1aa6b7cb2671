import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Deps } from '../deps.ts';
import { expireExemption } from '../exemptions/expire.ts';
import { giveUpScan, scanBatch } from '../scans/scan-batch.ts';
import type { Tx } from '../store/store.ts';
import { createJudge } from './judge.ts';
import type { Judge } from './judge.ts';
import { policyBatch } from './policy-batch.ts';
import type { PreparePolicy } from './prepared-policies.ts';
import { evaluationWork, putWork, removeWork } from './work.ts';
import type { Work } from './work.ts';

/**
 * Evaluations in one transaction: some milliseconds, for which other changes wait. A resource's policies are not
 * split, so it may be a few more.
 */
const mostEvaluations = 2_000;
/** Pieces of work that one transaction goes on with. */
const mostPieces = 50;
/** Times that a scan may fail in a row. */
const mostFailures = 3;
/** Milliseconds until work that failed is tried again: doubled each time, an hour at most. */
const retryAfter = 1_000;
const retryAtMost = 3_600_000;

export interface BackgroundEvaluator {
  /** One batch of what is due. @returns whether there may be more */
  step(): Promise<boolean>;
  /** Goes on until nothing is due, or `stop` was called. Requests get their turn between two batches. */
  run(): Promise<void>;
  /** Lets the batch at hand finish. */
  stop(): Promise<void>;
}

/** The background evaluation: takes due work, a batch in a transaction, and writes down how far it came. */
export function createBackgroundEvaluator(
  deps: Deps,
  prepare: PreparePolicy,
  batch = mostEvaluations,
): BackgroundEvaluator {
  let stopped = false;
  let running: Promise<void> | undefined;

  async function step(): Promise<boolean> {
    if (!deps.store.health().writable) return false;
    const due = await dueWork();
    const [first] = due;
    if (!first) return false;
    try {
      await deps.store.transact((tx) => goOn(tx, due));
    } catch (error) {
      // A piece may be at fault: each by itself tells which.
      if (due.length > 1) for (const one of due) await alone(one);
      else await failed(first, error);
    }
    return true;
  }

  async function dueWork(): Promise<readonly Work[]> {
    const oldest = { orderBy: 'due_at', direction: 'asc', limit: mostPieces } as const;
    const { rows } = await deps.store.page(evaluationWork, oldest);
    return rows.flatMap(({ doc }) => (doc.due_at <= deps.clock.now() ? [doc] : []));
  }

  async function alone(work: Work): Promise<void> {
    try {
      await deps.store.transact((tx) => goOn(tx, [work]));
    } catch (error) {
      await failed(work, error);
    }
  }

  async function goOn(tx: Tx, due: readonly Work[]): Promise<void> {
    const judge = createJudge(deps, prepare, tx);
    let room = batch;
    for (const { id } of due) {
      if (room <= 0) return;
      const work = (await tx.get(evaluationWork, id))?.doc;
      // Done or put off meanwhile.
      if (work && work.due_at <= judge.now) room -= await goOnWith(judge, work, room);
    }
  }

  /** @returns how many evaluations it took */
  async function goOnWith(judge: Judge, work: Work, room: number): Promise<number> {
    if (work.kind === 'scan') return scanBatch(judge, work, room);
    if (work.kind === 'policy') return policyBatch(judge, work, room);
    await expireExemption(judge, work.id);
    return 1;
  }

  async function failed(work: Work, error: unknown): Promise<void> {
    deps.log.error({ work: work.id, err: error }, 'background evaluation failed');
    if (!deps.store.health().writable) return;
    await deps.store.transact(async (tx) => {
      const latest = (await tx.get(evaluationWork, work.id))?.doc;
      if (!latest) return;
      const failures = (latest.failures ?? 0) + 1;
      if (work.kind === 'scan' && failures >= mostFailures) {
        await giveUpScan(deps, tx, work.id);
        await removeWork(tx, work.id);
        return;
      }
      const pause = Math.min(retryAfter * 2 ** (failures - 1), retryAtMost);
      await putWork(tx, { ...latest, failures, due_at: deps.clock.now() + pause });
    });
  }

  async function runAll(): Promise<void> {
    while (!stopped && (await step())) await nextTurn();
  }

  return {
    step,
    run: () => (running ??= runAll().finally(() => (running = undefined))),
    async stop() {
      stopped = true;
      await running;
    },
  };
}
