import type { LaneState, LaneWork } from '../../../src/server/store/store.ts';

interface Lane {
  work: LaneWork[];
  held: boolean;
  dueAt: number;
}

export type Step =
  | { readonly kind: 'append'; readonly lane: string }
  | { readonly kind: 'putOff'; readonly lane: string; readonly dueAt: number }
  | { readonly kind: 'hold'; readonly lane: string; readonly held: boolean }
  | { readonly kind: 'clear'; readonly lane: string }
  | { readonly kind: 'complete'; readonly claimed: number };

/** What lanes should answer, computed in the plainest way. `claimed` is all that was ever claimed. */
export interface LaneModel {
  apply(step: Step, claimed: readonly LaneWork[]): void;
  state(lane: string): LaneState;
  work(lane: string | undefined, after: number, limit: number): LaneWork[];
  /** Lanes that can be claimed sooner or later, with the time until when they are put off. */
  open(): Map<string, number>;
  head(lane: string): LaneWork | undefined;
  lease(work: LaneWork): void;
  release(work: LaneWork): void;
  endLeases(): void;
  copy(): unknown;
  restore(copy: unknown): void;
}

export const createLaneModel = (): LaneModel => {
  let lanes = new Map<string, Lane>();
  let position = 0;
  const leases = new Map<string, number>();

  const laneOf = (name: string): Lane => {
    const lane = lanes.get(name) ?? { work: [], held: false, dueAt: 0 };
    lanes.set(name, lane);
    return lane;
  };

  return {
    apply(step, claimed) {
      if (step.kind === 'append') {
        position += 1;
        laneOf(step.lane).work.push({ lane: step.lane, position, work: `w${position}` });
      } else if (step.kind === 'putOff') {
        if (laneOf(step.lane).work.length > 0) laneOf(step.lane).dueAt = step.dueAt;
      } else if (step.kind === 'hold') laneOf(step.lane).held = step.held;
      else if (step.kind === 'clear') lanes.delete(step.lane);
      else {
        const work = claimed[step.claimed];
        const lane = work && laneOf(work.lane);
        if (lane?.work[0]?.position !== work?.position) return;
        lane?.work.shift();
        if (lane) lane.dueAt = 0;
      }
    },
    state(name) {
      const { work, held, dueAt } = laneOf(name);
      return { waiting: work.length, held, ...(dueAt > 0 && { dueAt }) };
    },
    work: (lane, after, limit) =>
      [...lanes.entries()]
        .flatMap(([name, { work }]) => (lane === undefined || lane === name ? work : []))
        .filter((one) => one.position > after)
        .sort((a, b) => a.position - b.position)
        .slice(0, limit),
    open: () =>
      new Map(
        [...lanes].flatMap(([name, { work, held, dueAt }]) =>
          work.length > 0 && !held && !leases.has(name) ? [[name, dueAt]] : [],
        ),
      ),
    head: (name) => laneOf(name).work[0],
    lease: (work) => void leases.set(work.lane, work.position),
    release(work) {
      if (leases.get(work.lane) === work.position) leases.delete(work.lane);
    },
    endLeases: () => leases.clear(),
    copy: () => [structuredClone(lanes), position],
    restore(copy) {
      [lanes, position] = copy as [typeof lanes, number]; // made by `copy`
    },
  };
};
