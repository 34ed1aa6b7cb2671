import type { Tally } from '../../engine/score.ts';
import type { Standing } from '../../engine/standing.ts';
import type { CollectionSpec, LaneSpec, LaneWork, Tx } from '../store/store.ts';

interface Due {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly due_at: number;
}

/** A policy is to be evaluated over the resources of its type. */
export interface PolicyWork extends Due {
  readonly kind: 'policy';
  /** When it was begun, in milliseconds since the epoch. */
  readonly began?: number;
  /** The resource that came last. */
  readonly after?: string;
  /** Violations of resources that the policy is no longer about are to be resolved, too. */
  readonly sweep?: true;
  /** The violation that was looked at last in doing so. */
  readonly swept?: string;
  /** Its end is told as the deployment of the policy; `tally` is what was found up to here. */
  readonly deploys?: true;
  readonly tally?: Tally;
  /** It was asked for again since it was begun: when it ends, it is begun once more. */
  readonly again?: true;
}

/** A scan is to go on. */
export interface ScanWork extends Due {
  readonly kind: 'scan';
  /** How often it has failed in a row. */
  readonly failures?: number;
  readonly after?: string;
  /** Resources in its scope when it began. */
  readonly total?: number;
  readonly tally: Tally;
  /** Of a scan of everything. */
  readonly standings?: readonly Standing[];
}

/** An exemption ends. */
interface ExpiryWork extends Due {
  readonly kind: 'expiry';
}

export type Work = PolicyWork | ScanWork | ExpiryWork;

/**
 * What is to be evaluated in the background, and how far it is: one row for each policy, scan or exemption, under its
 * id. Rows outlive the process, so whoever starts next goes on.
 */
export const evaluationWork: CollectionSpec<Work> = {
  name: 'evaluation_work',
  order: { id: (work) => work.id, due_at: (work) => work.due_at },
};

/** A lane for each row, under its id, which is its only work: put off until it is due. */
export const evaluationLanes: LaneSpec = { name: 'evaluation' };

/** Has work done from its time on, and from its beginning; what is under way of it counts no more. */
export async function putWork(tx: Tx, work: Work): Promise<void> {
  const known = await tx.get(evaluationWork, work.id);
  await (known ? tx.replace(evaluationWork, work) : tx.insert(evaluationWork, work));
  await layWork(tx, work);
}

/** Puts work into its lane. */
export async function layWork(tx: Tx, { id, due_at: due }: Work): Promise<void> {
  await tx.clear(evaluationLanes, id);
  await tx.append(evaluationLanes, id, id);
  await tx.putOff(evaluationLanes, id, due);
}

/** @returns whether there was any */
export async function removeWork(tx: Tx, id: string): Promise<boolean> {
  const known = (await tx.get(evaluationWork, id)) !== undefined;
  if (known) await tx.remove(evaluationWork, id);
  await tx.clear(evaluationLanes, id);
  return known;
}

/** Writes down how far work came. It goes on when the others that are due had their turn. */
export async function goOnLater(tx: Tx, claimed: LaneWork, work: Work): Promise<void> {
  await tx.replace(evaluationWork, work);
  await tx.append(evaluationLanes, claimed.lane, claimed.work);
  await tx.complete(evaluationLanes, claimed);
  // What is due longest is claimed first: at once is before everything else.
  await tx.putOff(evaluationLanes, claimed.lane, work.due_at);
}
