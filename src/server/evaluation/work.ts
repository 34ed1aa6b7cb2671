import { hash } from 'node:crypto';
import type { Tally } from '../../engine/score.ts';
import type { Standing } from '../../engine/standing.ts';
import type { CollectionSpec, LaneSpec, LaneWork, Tx } from '../store/store.ts';
import * as z from 'zod';
import { Count, Id, Key, Moment, keyed, shape, variants } from '../shape.ts';

interface Due {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly due_at: number;
}

/** Evaluate a policy on all resources of its type. */
export interface PolicyWork extends Due {
  readonly kind: 'policy';
  /** Start of the work, in milliseconds since the epoch. */
  readonly began?: number;
  /** Id of the last evaluated resource. */
  readonly after?: string;
  /** Also resolve violations of resources that the policy no longer applies to. */
  readonly sweep?: true;
  /** Ids of the last violation and the last outcome that the sweep checked. */
  readonly swept?: string;
  readonly sweptOutcome?: string;
  /** Emit the end as the policy's deployment; `tally` counts the findings so far. */
  readonly deploys?: true;
  readonly tally?: Tally;
  /** It was requested again since its start, so it starts again when it ends. */
  readonly again?: true;
  /** It follows no change: an hour has passed, or the policy has no resources yet. */
  readonly routine?: true;
}

/** Continue a scan. */
export interface ScanWork extends Due {
  readonly kind: 'scan';
  /** Number of consecutive failures. */
  readonly failures?: number;
  readonly after?: string;
  /** Resources in its scope at the start. */
  readonly total?: number;
  readonly tally: Tally;
  /** Only for scans of the whole inventory. */
  readonly standings?: readonly Standing[];
}

/** Apply the expiry of an exemption. */
interface ExpiryWork extends Due {
  readonly kind: 'expiry';
}

/** The ID of such work: the same for the same key. */
export const coverId = (key: string): string => `cover_${hash('sha256', key, 'hex').slice(0, 26)}`;

/** Exemptions that name policies by their key in git have changed: have those policies evaluated, some at a time. */
export interface CoverWork extends Due {
  readonly kind: 'cover';
  readonly key: string;
  /** Id of the last policy that was taken. */
  readonly after: string;
}

/** Look for trends and recurrences, policy by policy. */
export interface ForecastWork extends Due {
  readonly kind: 'forecast';
  /** Start of this pass, in milliseconds since the epoch. */
  readonly began?: number;
  /** Id of the last policy that was looked at. */
  readonly after?: string;
}

export type Work = PolicyWork | ScanWork | ExpiryWork | CoverWork | ForecastWork;

/** Why violations may be those before, until the work ends: it follows a change, or an exemption expires. */
function awaitedFor(work: Work): string | undefined {
  if (work.kind === 'policy') return !work.routine || work.again === true ? 'change' : undefined;
  if (work.kind === 'cover') return 'change';
  return work.kind === 'expiry' ? 'expiry' : undefined;
}

/** Finds the work that violations may lack, once it is due. */
export const awaited = { awaited: { any: ['change', 'expiry'] } };
/** Without expiries, of which every active exemption has one. */
export const awaitedChanges = { awaited: { any: ['change'] } };

/**
 * Pending background evaluations and their progress: one row per policy, scan, exemption or key, with its id. Rows survive
 * restarts, and the next process continues the work.
 */
export const evaluationWork: CollectionSpec<Work> = {
  name: 'evaluation_work',
  index: { awaited: awaitedFor },
  order: { id: (work) => work.id, due_at: (work) => work.due_at },
};

/** One lane per row, with the row's id. Its only work is the row itself, delayed until it is due. */
export const evaluationLanes: LaneSpec = { name: 'evaluation' };

/** Schedules work from its start, at its due time. A step of the same work that is in progress becomes void. */
export async function putWork(tx: Tx, work: Work): Promise<void> {
  const known = await tx.get(evaluationWork, work.id);
  await (known ? tx.replace(evaluationWork, work) : tx.insert(evaluationWork, work));
  await layWork(tx, work);
}

/** Adds work to its lane. */
export async function layWork(tx: Tx, { id, due_at: due }: Work): Promise<void> {
  await tx.clear(evaluationLanes, id);
  await tx.append(evaluationLanes, id, id);
  await tx.putOff(evaluationLanes, id, due);
}

/** @returns whether there was such work */
export async function removeWork(tx: Tx, id: string): Promise<boolean> {
  const known = (await tx.get(evaluationWork, id)) !== undefined;
  if (known) await tx.remove(evaluationWork, id);
  await tx.clear(evaluationLanes, id);
  return known;
}

/** Stores the progress of work, which continues after other due work. */
export async function goOnLater(tx: Tx, claimed: LaneWork, work: Work): Promise<void> {
  await tx.replace(evaluationWork, work);
  await tx.append(evaluationLanes, claimed.lane, claimed.work);
  await tx.complete(evaluationLanes, claimed);
  // The longest overdue lane is claimed first, so a lane without a due time would go before all others.
  await tx.putOff(evaluationLanes, claimed.lane, work.due_at);
}

const tallyShape = shape<Tally>({
  evaluated: Count,
  pass: Count,
  fail: Count,
  error: Count,
  exempt: Count,
  met: Count,
  all: Count,
});

const standingShape = shape<Standing>({
  framework: z.string(),
  account_id: z.string().optional(),
  met: Count,
  all: Count,
  critical: z.literal(true).optional(),
  undecided: z.literal(true).optional(),
  failed: z.array(z.tuple([z.string(), z.string()])),
  partial: z.literal(true).optional(),
});

const due = { id: Id, due_at: Moment };

export const workShape = variants<Work>('kind', [
  shape<PolicyWork>({
    ...due,
    kind: z.literal('policy'),
    began: Moment.optional(),
    after: Key.optional(),
    sweep: z.literal(true).optional(),
    swept: Key.optional(),
    sweptOutcome: Key.optional(),
    deploys: z.literal(true).optional(),
    tally: tallyShape.optional(),
    again: z.literal(true).optional(),
    routine: z.literal(true).optional(),
  }),
  shape<ScanWork>({
    ...due,
    kind: z.literal('scan'),
    failures: Count.optional(),
    after: Key.optional(),
    total: Count.optional(),
    tally: tallyShape,
    standings: z.array(standingShape).optional(),
  }),
  shape<ExpiryWork>({ ...due, kind: z.literal('expiry') }),
  keyed(
    shape<CoverWork>({ ...due, kind: z.literal('cover'), key: z.string(), after: Key }),
    ({ key }) => coverId(key),
  ),
  shape<ForecastWork>({
    ...due,
    kind: z.literal('forecast'),
    began: Moment.optional(),
    after: Key.optional(),
  }),
]);
