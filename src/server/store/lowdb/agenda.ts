import type { LaneWork } from '../store.ts';
import type { Lanes } from './lane.ts';
import { OrderedView } from './sorted-keys.ts';

/** Which lane of a family comes next. Knows durable work only, and keeps leases in memory: they end with the process. */
export interface Agenda {
  /** Looks at a lane anew that has changed. */
  update(lane: string): void;
  /** Leases heads that are due, those put off for too long first, then those due longest. */
  claim(now: number, most: number, longestPause?: number): LaneWork[];
  release(claimed: LaneWork): void;
  /** When the next head that can be claimed is due, 0 where one is at once; undefined where none waits. */
  nextDue(longestPause?: number): number | undefined;
  /** Calls back, soon after, when there may be more to claim. @returns ends it */
  onWork(listener: () => void): () => void;
}

/** A lane in the line of those to be claimed. */
interface Place {
  readonly value: number;
  readonly id: string;
  readonly lane: string;
  /** 0: at once. */
  readonly dueAt: number;
  /** Since when it has waited in its line. */
  readonly since: number;
}

const itself = (place: Place): Place => place;

/** Positions as text, in their order: 2^53 has 16 digits. */
const inOrder = (position: number): string => String(position).padStart(16, '0');

export const createAgenda = (lanes: Lanes): Agenda => {
  /** Due at once, in the order in which they became so: whoever goes on comes after all that wait already. */
  const ready = new OrderedView(itself);
  /** Put off, by the time until when, then by their heads. */
  const putOff = new OrderedView(itself);
  const places = new Map<string, Place>();
  /** By lane, the position of the head that was claimed. */
  const leases = new Map<string, number>();
  const listeners = new Set<() => void>();
  let telling = false;
  let turns = 0;
  /** The time of the last claim; 0: there was none. */
  let latest = 0;

  const tell = (): void => {
    if (telling || listeners.size === 0) return;
    telling = true;
    queueMicrotask(() => {
      telling = false;
      for (const listener of listeners) listener();
    });
  };

  const lineOf = ({ dueAt }: Place): OrderedView<Place> => (dueAt === 0 ? ready : putOff);

  const leave = (place: Place): void => {
    places.delete(place.lane);
    lineOf(place).remove(place);
  };

  const enter = (lane: string, dueAt: number, id: string): void => {
    const place: Place =
      dueAt === 0
        ? { value: (turns += 1), id, lane, dueAt, since: latest }
        : { value: dueAt, id, lane, dueAt, since: dueAt };
    places.set(lane, place);
    lineOf(place).insert(place);
  };

  const update = (name: string): void => {
    const lane = lanes.get(name);
    const head = lane?.queue.head();
    const before = places.get(name);
    if (!lane || !head || lane.held || leases.has(name)) {
      if (before) leave(before);
      return;
    }
    const dueAt = lane.dueAt ?? 0;
    // Turns are all different: among those due at once nothing else decides.
    const id = dueAt === 0 ? name : inOrder(head.position);
    if (before?.dueAt === dueAt && before.id === id) return;
    if (before) leave(before);
    enter(name, dueAt, id);
    if (!before || dueAt < before.dueAt) tell();
  };

  /** The one put off for longest, where no pause is that long: the clock was set back. */
  const strandedIn = (longestPause: number): Place | undefined => {
    const last = putOff.last();
    return last && latest > 0 && last.dueAt > latest + longestPause ? last : undefined;
  };

  const next = (now: number, longestPause: number): Place | undefined => {
    const stranded = strandedIn(longestPause);
    if (stranded) return stranded;
    const first = ready.first();
    const due = putOff.first();
    if (!due || due.dueAt > now) return first;
    return first && first.since < due.since ? first : due;
  };

  // After a start, the lanes whose heads are oldest come first.
  const heads = Array.from(lanes, ([name, { queue }]) => ({
    name,
    at: queue.head()?.position ?? 0,
  }));
  for (const { name } of heads.sort((a, b) => a.at - b.at)) update(name);

  return {
    update,
    claim(now, most, longestPause = Infinity) {
      latest = now;
      const claimed: LaneWork[] = [];
      while (claimed.length < most) {
        const place = next(now, longestPause);
        if (!place) break;
        leave(place);
        const head = lanes.get(place.lane)?.queue.head();
        if (!head) throw new Error(`lane ${place.lane} is in line but has no work`);
        leases.set(place.lane, head.position);
        claimed.push({ lane: place.lane, ...head });
      }
      return claimed;
    },
    release({ lane, position }) {
      if (leases.get(lane) !== position) return;
      leases.delete(lane);
      update(lane);
    },
    nextDue: (longestPause = Infinity) =>
      strandedIn(longestPause) ? 0 : (ready.first() ?? putOff.first())?.dueAt,
    onWork(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};
