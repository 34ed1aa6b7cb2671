import type { Awaitable } from '../awaitable.ts';
import { whenKnown } from '../awaitable.ts';
import type { LaneSpec, LaneWork, Reader } from '../store/store.ts';

/** Whether claimed work is still there: its lane may have been emptied meanwhile, or filled anew. */
export const isStillHead = (
  reader: Reader,
  lanes: LaneSpec,
  { lane, position }: LaneWork,
): Awaitable<boolean> =>
  whenKnown(reader.laneWork(lanes, { lane, limit: 1 }), ([head]) => head?.position === position);
