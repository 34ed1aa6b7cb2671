import { lastFire, nextFire } from '../../calendar/fires.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import type { CreateLaneRunner, LaneRunner } from '../lanes/runner.ts';
import type { LaneWork, Reader, Tx } from '../store/store.ts';
import { withoutAbsent } from '../without-absent.ts';
import { fireKey, longestSleep, runs, scheduleLanes, schedules } from './collection.ts';
import type { StoredSchedule } from './collection.ts';
import { startRun, withLast, zoneOf } from './run.ts';

/** Milliseconds after which a fire is called missed: a busy server is not late. */
const lateAfter = 60_000;
/** Schedules that fire at once; each is one short transaction. */
const mostAtOnce = 4;
/** Fires that have been already which are looked through for one that has not. */
const mostRepeats = 1_000;

/** Fires schedules as they become due, from now until it is stopped. */
export const startScheduleFires = (deps: Deps, createRunner: CreateLaneRunner): LaneRunner =>
  createRunner(deps, {
    lanes: scheduleLanes,
    most: mostAtOnce,
    perform: (claimed) => deps.store.transact((tx) => fireDue(deps, tx, claimed)),
  });

async function fireDue(deps: Deps, tx: Tx, claimed: LaneWork): Promise<void> {
  const before = (await tx.get(schedules, claimed.work))?.doc;
  if (before?.next_run_at === undefined) {
    await tx.complete(scheduleLanes, claimed);
    return;
  }
  const now = deps.clock.now();
  const due = Date.parse(before.next_run_at);
  const schedule = due > now ? await broughtForward(tx, before, now) : await fire(deps, tx, before);
  if (schedule !== before) await tx.replace(schedules, schedule);
  await sleepUntilNext(tx, schedule, now);
}

/** Of several that were missed, the last one fires. */
async function fire(deps: Deps, tx: Tx, schedule: StoredSchedule): Promise<StoredSchedule> {
  const now = deps.clock.now();
  const due = Date.parse(schedule.next_run_at ?? '');
  const at = lastFire(schedule.schedule.cron, zoneOf(schedule), due, now);
  const next = withNext(schedule, now);
  // A clock that was set back comes to the same time again.
  if (await tx.find(runs, 'fire', fireKey(schedule.id, timestamp(at)))) return next;
  const isMissed = at > due || now - at >= lateAfter;
  const cause = isMissed ? 'missed' : 'schedule';
  const { last } = await startRun(deps, tx, schedule, { at, cause });
  return withLast(next, last);
}

/** A clock that was ahead, and is right again, has put its next fire too far off. */
async function broughtForward(
  reader: Reader,
  schedule: StoredSchedule,
  now: number,
): Promise<StoredSchedule> {
  const due = Date.parse(schedule.next_run_at ?? '');
  let at: number | undefined = now;
  for (let tries = 0; tries < mostRepeats; tries += 1) {
    at = nextFire(schedule.schedule.cron, zoneOf(schedule), at);
    if (at === undefined || at >= due) return schedule;
    const next = timestamp(at);
    if (!(await reader.find(runs, 'fire', fireKey(schedule.id, next)))) {
      return { ...schedule, next_run_at: next };
    }
  }
  return schedule;
}

/** A schedule with its next fire after now; without one while it is disabled. */
export function withNext(schedule: StoredSchedule, now: number): StoredSchedule {
  const { cron } = schedule.schedule;
  const at = schedule.enabled ? nextFire(cron, zoneOf(schedule), now) : undefined;
  return withoutAbsent({
    ...schedule,
    next_run_at: at === undefined ? undefined : timestamp(at),
  }) as StoredSchedule; // only what is optional can be absent
}

/** Puts a schedule into its lane anew, or takes it out: it was written, or its next fire changed. */
export async function relay(tx: Tx, schedule: StoredSchedule, now: number): Promise<void> {
  await tx.clear(scheduleLanes, schedule.id);
  if (schedule.next_run_at === undefined) return;
  await tx.append(scheduleLanes, schedule.id, schedule.id);
  await sleepUntilNext(tx, schedule, now);
}

async function sleepUntilNext(tx: Tx, schedule: StoredSchedule, now: number): Promise<void> {
  const due = schedule.next_run_at === undefined ? now : Date.parse(schedule.next_run_at);
  await tx.putOff(scheduleLanes, schedule.id, Math.min(due, now + longestSleep));
}
