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

/** One step of background evaluation: a claimed piece of work, and the transactions that write down how far it came. */
export interface Step {
  readonly deps: Deps;
  readonly evaluation: Evaluation;
  readonly asker: Asker;
  readonly claimed: LaneWork;
  /** Evaluations that it is about at most. */
  readonly most: number;
  /**
   * One transaction. `work` says how far it came: work to go on with at once, or later; undefined: it has seen to it.
   * @returns what it said; `left`: somebody else has begun the work anew, so that this step is to end
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
        // Work that was begun anew has a lane that was filled anew.
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

/** What was asked for since work was read is still asked. */
const withAsked = (work: Work, stored: Work | undefined): Work =>
  work.kind === 'policy' && stored?.kind === 'policy' && stored.again
    ? { ...work, again: true }
    : work;

/** Resources that were evaluated, from the first that is not written down yet. */
export interface Evaluated {
  readonly rows: readonly Versioned<StoredResource>[];
  readonly verdicts: Verdicts;
  /** Ids of those that had changed when they were to be written down, and were evaluated again. */
  readonly repeated: ReadonlySet<string>;
}

/** Resources as they are now, in place of those that have changed since they were evaluated. */
export async function readAgain(
  reader: Reader,
  rows: Evaluated['rows'],
): Promise<Pick<Evaluated, 'rows' | 'repeated'>> {
  const now: Versioned<StoredResource>[] = [];
  for (const row of rows) now.push((await reader.get(resources, row.doc.id)) ?? row);
  return { rows: now, repeated: new Set(now.map(({ doc }) => doc.id)) };
}

export interface RecordedSome {
  /** Rows that are seen to. */
  readonly seen: number;
  /** One by one, of resources that are still there. */
  readonly found: readonly (Recorded & {
    readonly judged: JudgedPolicy;
    readonly resource: StoredResource['resource'];
  })[];
  /** The next row, or a policy, has changed since: it is to be evaluated again. */
  readonly isOutdated: boolean;
}

/** Evaluations that one transaction writes down, in thought: some milliseconds, for which other changes wait. */
const costOfWrite = 2_000;

/**
 * Writes down what one transaction takes of what was found. What changes constantly keeps no step from going on: its
 * own change has it evaluated, so that after the second time it only counts, as it was read.
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
    // One that is gone had its violations resolved as it went.
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
