import type { Deps } from '../deps.ts';
import { isStillHead } from '../lanes/head.ts';
import { resources } from '../resources/collection.ts';
import type { StoredResource } from '../resources/collection.ts';
import type { LaneWork, Reader, Versioned } from '../store/store.ts';
import type { Evaluation } from './evaluation.ts';
import type { Verdicts } from './verdicts.ts';
import { areKnown, costOf, countOnly, createJudge, record } from './judge.ts';
import type { Judge, JudgedPolicy, Recorded } from './judge.ts';
import type { Asker } from '../threads/threads.ts';
import { evaluationLanes, evaluationWork, goOnLater } from './work.ts';
import type { Work } from './work.ts';

/** One step of background evaluation: a claimed work item, and the transactions that store its progress. */
export interface Step {
  readonly deps: Deps;
  readonly evaluation: Evaluation;
  readonly asker: Asker;
  readonly claimed: LaneWork;
  /** Maximum evaluations in this step. */
  readonly most: number;
  /**
   * Runs one transaction. `work` returns its progress: `next` to continue in this step, `later` in another one, or neither
   * if it has stored or removed the work itself.
   * @returns the result of `work`, or `left` if the work was restarted elsewhere and this step must end
   */
  write<R extends object>(
    work: (judge: Judge) => Promise<R & { readonly next?: Work; readonly later?: Work }>,
  ): Promise<R | 'left'>;
}

export function beginStep(
  deps: Deps,
  evaluation: Evaluation,
  { claimed, signal, most }: Pick<Step, 'claimed' | 'most'> & { readonly signal: AbortSignal },
): Step {
  return {
    deps,
    evaluation,
    asker: { signal },
    claimed,
    most,
    async write(work) {
      signal.throwIfAborted();
      return deps.store.transact(async (tx) => {
        // Restarting work replaces the head of its lane.
        if (!(await isStillHead(tx, evaluationLanes, claimed))) return 'left';
        const said = await work(createJudge(deps, tx));
        const asked = (await tx.get(evaluationWork, claimed.work))?.doc;
        if (said.later) await goOnLater(tx, claimed, withAsked(said.later, asked));
        if (said.next) await tx.replace(evaluationWork, withAsked(said.next, asked));
        return said;
      });
    },
  };
}

/** Keeps a request to run again that was stored since the work was read. */
const withAsked = (work: Work, stored: Work | undefined): Work =>
  work.kind === 'policy' && stored?.kind === 'policy' && stored.again
    ? { ...work, again: true }
    : work;

/** Evaluated resources, from the first whose results are not stored yet. */
export interface Evaluated {
  readonly rows: readonly Versioned<StoredResource>[];
  readonly verdicts: Verdicts;
  /** Ids of resources that changed before their results were stored, and were evaluated again. */
  readonly repeated: ReadonlySet<string>;
}

/** Reads the current versions of resources that have changed since their evaluation. */
export async function readAgain(
  reader: Reader,
  rows: Evaluated['rows'],
): Promise<Pick<Evaluated, 'rows' | 'repeated'>> {
  const now: Versioned<StoredResource>[] = [];
  for (const row of rows) now.push((await reader.get(resources, row.doc.id)) ?? row);
  return { rows: now, repeated: new Set(now.map(({ doc }) => doc.id)) };
}

export interface RecordedSome {
  /** Number of processed rows. */
  readonly seen: number;
  /** One entry per policy and resource, for resources that still exist. */
  readonly found: readonly (Recorded & {
    readonly judged: JudgedPolicy;
    readonly resource: StoredResource['resource'];
  })[];
  /** Whether the next row or a policy has changed, so that the row must be evaluated again. */
  readonly isOutdated: boolean;
}

/** Maximum cost of the results that one transaction stores: some milliseconds, for which other changes wait. */
const costOfWrite = 2_000;

/**
 * Stores as many results as fit in one transaction. A resource that changes constantly must not block a step: each change
 * triggers its own evaluation, so from the second time on such a resource is only counted.
 */
export async function recordSome(
  judge: Judge,
  { rows, verdicts, repeated }: Evaluated,
  policiesOf: (
    judge: Judge,
    resource: StoredResource['resource'],
  ) => Promise<readonly JudgedPolicy[]>,
): Promise<RecordedSome> {
  const found: RecordedSome['found'][number][] = [];
  let cost = 0;
  let seen = 0;
  for (const row of rows) {
    if (cost >= costOfWrite || judge.isFull()) break;
    const { resource } = row.doc;
    const current = await judge.tx.get(resources, row.doc.id);
    // Deleting a resource has resolved its violations already.
    if (current) {
      const its = await policiesOf(judge, resource);
      const isCurrent = current.revision === row.revision;
      const isOutdated = !isCurrent || !areKnown(verdicts, its, resource);
      if (isOutdated && !repeated.has(row.doc.id)) return { seen, found, isOutdated };
      for (const judged of its) {
        const verdict = verdicts.of(judged.policy, resource);
        if (!verdict) continue;
        const recorded = await (isCurrent ? record : countOnly)(judge, judged, resource, verdict);
        found.push({ ...recorded, judged, resource });
        cost += costOf(recorded.finding);
      }
    }
    seen += 1;
    cost += 1;
  }
  return { seen, found, isOutdated: false };
}
