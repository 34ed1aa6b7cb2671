import type { Deps } from '../deps.ts';
import { resources } from '../resources/collection.ts';
import type { StoredResource } from '../resources/collection.ts';
import type { LaneWork, Versioned } from '../store/store.ts';
import type { Evaluation } from './evaluation.ts';
import type { Verdicts } from './verdicts.ts';
import { areKnown, costOf, createJudge, record } from './judge.ts';
import type { Judge, JudgedPolicy, Recorded } from './judge.ts';
import type { Asker } from '../threads/threads.ts';
import { evaluationWork, goOnLater } from './work.ts';
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
  {
    claimed,
    revision,
    signal,
    most,
  }: Pick<Step, 'claimed' | 'most'> & { readonly revision: number; readonly signal: AbortSignal },
): Step {
  /** Of the row: another's is of work that was begun anew. */
  let expected = revision;
  return {
    deps,
    evaluation,
    asker: { signal },
    claimed,
    most,
    async write(work) {
      signal.throwIfAborted();
      const written = await deps.store.transact(async (tx) => {
        const row = await tx.get(evaluationWork, claimed.work);
        if (row?.revision !== expected) return 'left';
        const said = await work(createJudge(deps, tx));
        if (said.later) await goOnLater(tx, claimed, said.later);
        const next = said.next && (await tx.replace(evaluationWork, said.next));
        return { said, revision: next?.revision };
      });
      if (written === 'left') return 'left';
      if (written.revision !== undefined) expected = written.revision;
      return written.said;
    },
  };
}

/** Resources that were evaluated, from the first that is not written down yet. */
export interface Evaluated {
  readonly rows: readonly Versioned<StoredResource>[];
  readonly verdicts: Verdicts;
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

/** Writes down what one transaction takes of what was found. */
export async function recordSome(
  judge: Judge,
  { rows, verdicts }: Evaluated,
  policiesOf: (
    judge: Judge,
    resource: StoredResource['resource'],
  ) => Promise<readonly JudgedPolicy[]>,
): Promise<RecordedSome> {
  const found: RecordedSome['found'][number][] = [];
  let cost = 0;
  let seen = 0;
  for (const row of rows) {
    if (cost >= costOfWrite) break;
    const { resource } = row.doc;
    const current = await judge.tx.get(resources, row.doc.id);
    // One that is gone had its violations resolved as it went.
    if (current) {
      const its = await policiesOf(judge, resource);
      const isOutdated = current.revision !== row.revision || !areKnown(verdicts, its, resource);
      if (isOutdated) return { seen, found, isOutdated };
      for (const judged of its) {
        const verdict = verdicts.of(judged.policy, resource);
        if (!verdict) continue;
        const recorded = await record(judge, judged, resource, verdict);
        found.push({ ...recorded, judged, resource });
        cost += costOf(recorded.finding);
      }
    }
    seen += 1;
    cost += 1;
  }
  return { seen, found, isOutdated: false };
}
