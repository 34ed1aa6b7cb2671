import { dueFirst } from '../store.ts';
import type { LanePlace, LaneWork } from '../store.ts';
import type { Lanes } from './lane.ts';
import { createLine } from './line.ts';
import type { Line, Place } from './line.ts';

/** Which lane of a family comes next. Knows durable work only, and keeps leases in memory: they end with the process. */
export interface Agenda {
  /** Looks at a lane anew that has changed. */
  update(lane: string): void;
  /**
   * Leases heads that are due, in turn by owner; of one owner those put off for too long first, then those due longest.
   */
  claim(now: number, most: number, longestPause?: number): LaneWork[];
  release(claimed: LaneWork): void;
  /** The lanes that are claimed before one. */
  ahead(of: LanePlace, longestPause?: number): string[];
  /** When the next head that can be claimed is due, 0 where one is at once; undefined where none waits. */
  nextDue(longestPause?: number): number | undefined;
  /** Calls back, soon after, when there may be more to claim. @returns ends it */
  onWork(listener: () => void): () => void;
}

/** Whose lanes are. */
export interface Owners {
  of(lane: string): string;
  /** Who was served before the start, longest ago first. */
  served(): Iterable<string>;
}

/** Positions as text, in their order: 2^53 has 16 digits. */
const inOrder = (position: number): string => String(position).padStart(16, '0');

export const createAgenda = (lanes: Lanes, owners: Owners): Agenda => {
  /** By owner, none of them empty; who was served longest ago comes first. */
  const lines = new Map<string, Line>();
  const places = new Map<string, Place>();
  /** By lane, what was claimed. */
  const leases = new Map<string, { readonly position: number; readonly owner: string }>();
  /** Leases by owner. */
  const leased = new Map<string, number>();
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

  const leave = (place: Place): void => {
    const { lane, owner } = place;
    const line = lines.get(owner);
    places.delete(lane);
    line?.remove(place);
    if (line?.isEmpty()) lines.delete(owner);
  };

  const enter = ({ lane, owner, dueAt }: Omit<LanePlace, 'now'>, id: string): Place => {
    const place: Place =
      dueAt === 0
        ? { value: (turns += 1), id, lane, owner, dueAt, since: latest }
        : { value: dueAt, id, lane, owner, dueAt, since: dueAt === dueFirst ? 0 : dueAt };
    const line = lines.get(owner) ?? createLine();
    lines.set(owner, line);
    places.set(lane, place);
    line.insert(place);
    return place;
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
    enter({ lane: name, owner: owners.of(name), dueAt }, id);
    if (!before || dueAt < before.dueAt) tell();
  };

  /** What is put off until after this time is so for longer than any pause: the clock was set back. */
  const strandedAfter = (longestPause: number): number =>
    latest > 0 ? latest + longestPause : Infinity;

  /**
   * What is due by a time, in the order of claims: one of each owner by turns. Who has fewest under way is served first, so
   * that nobody has all slots while others wait.
   */
  function* inTurn(by: number, longestPause: number): Generator<Place> {
    const stranded = strandedAfter(longestPause);
    let left = Array.from(lines, ([owner, line]) => ({
      underWay: leased.get(owner) ?? 0,
      due: line.due(by, stranded),
    }));
    for (let round = 0; left.length > 0; round += 1) {
      const skipped: typeof left = [];
      const served: typeof left = [];
      for (const line of left) {
        if (line.underWay > round) {
          skipped.push(line);
          continue;
        }
        const next = line.due.next();
        if (next.done) continue;
        served.push(line);
        yield next.value;
      }
      left = skipped.concat(served);
    }
  }

  const toTheEnd = (owner: string): void => {
    const line = lines.get(owner);
    if (!line) return;
    lines.delete(owner);
    lines.set(owner, line);
  };

  const lease = ({ lane, owner }: Place, position: number): void => {
    leases.set(lane, { position, owner });
    leased.set(owner, (leased.get(owner) ?? 0) + 1);
    toTheEnd(owner);
  };

  // After a start, who was served longest ago comes first, with the lanes whose heads are oldest.
  const served = new Map(Array.from(owners.served(), (owner, at) => [owner, at]));
  const heads = Array.from(lanes, ([name, { queue }]) => ({
    name,
    served: served.get(owners.of(name)) ?? -1,
    at: queue.head()?.position ?? 0,
  }));
  heads.sort((a, b) => a.served - b.served || a.at - b.at);
  for (const { name } of heads) update(name);

  return {
    update,
    claim(now, most, longestPause = Infinity) {
      latest = now;
      const next: Place[] = [];
      if (most > 0) {
        for (const place of inTurn(now, longestPause)) if (next.push(place) >= most) break;
      }
      return next.map((place) => {
        leave(place);
        const head = lanes.get(place.lane)?.queue.head();
        if (!head) throw new Error(`lane ${place.lane} is scheduled but has no work`);
        lease(place, head.position);
        return { lane: place.lane, ...head };
      });
    },
    release({ lane, position }) {
      const found = leases.get(lane);
      if (found?.position !== position) return;
      leases.delete(lane);
      const left = (leased.get(found.owner) ?? 1) - 1;
      if (left > 0) leased.set(found.owner, left);
      else leased.delete(found.owner);
      update(lane);
      // Who came meanwhile waits no longer for that.
      toTheEnd(found.owner);
    },
    ahead({ now, ...of }, longestPause = Infinity) {
      if (leases.has(of.lane)) return [];
      const known = places.get(of.lane);
      // Nobody sees it there: nothing else runs meanwhile.
      const place = known ?? enter(of, inOrder(Number.MAX_SAFE_INTEGER));
      const before: string[] = [];
      for (const { lane } of inTurn(Math.max(now, place.dueAt), longestPause)) {
        if (lane === of.lane) break;
        before.push(lane);
      }
      if (!known) leave(place);
      return before;
    },
    nextDue(longestPause = Infinity) {
      const stranded = strandedAfter(longestPause);
      let first: number | undefined;
      for (const line of lines.values()) {
        const due = line.nextDue(stranded);
        if (due === 0) return 0;
        if (due !== undefined && (first === undefined || due < first)) first = due;
      }
      return first;
    },
    onWork(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};
