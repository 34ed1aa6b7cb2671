import type { LaneSpec, Tx } from '../store.ts';
import { applyToLane } from './lane.ts';
import type { Lanes } from './lane.ts';
import { laneDueAt, laneHead, laneState, laneWork } from './lane-view.ts';
import type { LanesView } from './lane-view.ts';
import type { LaneOperation } from './operation.ts';

/** What a transaction's work on lanes rests on. */
interface Below {
  assertOpen(): void;
  /** What is committed, on disk or on its way there. */
  lanesOf(family: string): LanesView;
  /** Draws from a sequence. */
  next(sequence: string): number;
  /** The number drawn last. */
  current(sequence: string): number;
}

type LaneTx = Pick<
  Tx,
  'laneState' | 'laneWork' | 'append' | 'complete' | 'drop' | 'putOff' | 'hold' | 'clear'
>;

/** The sequence that counts the positions of a family. */
const positionsOf = ({ name }: LaneSpec): string => `lanes:${name}`;

/** The part of a transaction that is about lanes. `operations` grow in the order of the calls. */
export const beginLaneChanges = (
  below: Below,
): { readonly tx: LaneTx; readonly operations: readonly LaneOperation[] } => {
  const operations: LaneOperation[] = [];
  const own = new Map<string, Lanes>();

  const viewOf = ({ name }: LaneSpec): LanesView => {
    below.assertOpen();
    const lanes = own.get(name);
    return lanes ? [...below.lanesOf(name), lanes] : below.lanesOf(name);
  };

  const change = (operation: LaneOperation): void => {
    const [, family] = operation;
    let lanes = own.get(family);
    if (!lanes) own.set(family, (lanes = new Map()));
    applyToLane(lanes, 0, operation);
    operations.push(operation);
  };

  const setDue = (spec: LaneSpec, lane: string, at: number): void => {
    if (laneDueAt(viewOf(spec), lane) !== at) change(['due', spec.name, lane, at]);
  };

  const setHeld = (spec: LaneSpec, lane: string, held: boolean): void => {
    if (laneState(viewOf(spec), lane).held !== held) change(['hold', spec.name, lane, held]);
  };

  const tx: LaneTx = {
    laneState: (spec, lane) => laneState(viewOf(spec), lane),
    laneWork: (spec, query) => laneWork(viewOf(spec), query),
    async append(spec, lane, work) {
      below.assertOpen();
      below.lanesOf(spec.name);
      change(['add', spec.name, lane, below.next(positionsOf(spec)), work]);
    },
    async complete(spec, { lane, position }) {
      if (laneHead(viewOf(spec), lane)?.position !== position) return;
      change(['done', spec.name, lane, position]);
      setDue(spec, lane, 0);
    },
    async drop(spec, lane, position) {
      const head = laneHead(viewOf(spec), lane);
      if (!head || head.position > position) return;
      change(['done', spec.name, lane, position]);
      if (!laneHead(viewOf(spec), lane)) setDue(spec, lane, 0);
    },
    async putOff(spec, lane, dueAt) {
      if (!Number.isFinite(dueAt)) throw new Error(`a lane cannot be postponed until ${dueAt}`);
      if (laneHead(viewOf(spec), lane)) setDue(spec, lane, Math.max(0, dueAt));
    },
    async hold(spec, lane, held) {
      setHeld(spec, lane, held);
    },
    async clear(spec, lane) {
      if (laneHead(viewOf(spec), lane)) {
        change(['done', spec.name, lane, below.current(positionsOf(spec))]);
      }
      setDue(spec, lane, 0);
      setHeld(spec, lane, false);
    },
  };
  return { tx, operations };
};
