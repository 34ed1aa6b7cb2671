import { endEvaluation, OverBudget, spend, startEvaluation } from './budget.ts';
import type { Allowance } from './budget.ts';
import { notBool } from './access.ts';
import { startRun, toClosure } from './closures.ts';
import type { Frame, Run } from './closures.ts';
import { equal, less } from './compare.ts';
import { nowSlot, resourceSlot } from './compile.ts';
import type { CompiledCondition } from './compile.ts';
import type { Evaluator } from './evaluate.ts';
import { comparisons } from './js-operators.ts';
import { partsOf, termsOf } from './program.ts';
import type { Program, Term } from './program.ts';
import { timeFields, timestampOfMillis } from './time.ts';
import { undecided } from './undecided.ts';
import { Duration, Failure, Timestamp } from './values.ts';

/**
 * How a value moves while time goes on.
 * - `still`: not at all.
 * - `steady`: never back. `direction` is 0 where it is not known which way. `exact`: as fast as `now`, without steps.
 * - `clock`: fields of a clock. No two changes are closer to each other than `every` milliseconds.
 * - `other`: nothing is known.
 */
type Motion =
  | { readonly kind: 'still' }
  | { readonly kind: 'steady'; readonly direction: -1 | 0 | 1; readonly exact: boolean }
  | { readonly kind: 'clock'; readonly every: number }
  | { readonly kind: 'other' };

type Moving = Extract<Motion, { readonly kind: 'steady' | 'clock' }>;

const still: Motion = { kind: 'still' };
const other: Motion = { kind: 'other' };

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** The least time between two changes of a field, with room for the days and hours that summer time makes shorter. */
const leastTime: ReadonlyMap<string, number> = new Map([
  ['getFullYear', 364 * day],
  ['getMonth', 27 * day],
  ['getDate', 22 * hour],
  ['getDayOfMonth', 22 * hour],
  ['getDayOfWeek', 22 * hour],
  ['getDayOfYear', 22 * hour],
  ['getHours', 29 * minute],
  ['getMinutes', 59_000],
  ['getSeconds', 900],
]);

/** Two fields may be of two zones, whose hours begin a multiple of 15 minutes apart. */
const betweenZones = 14 * minute;

/** Of one run; each holds the values of that moment. */
const mostComparisons = 10_000;

/** A comparison that a run made, and whose answer depends on when it is made. */
export interface Comparison {
  /** As the condition has it. */
  readonly text: string;
  /**
   * The first moment after `after`, up to `until`, at which its answer may be another (both in milliseconds since the
   * epoch): none → undefined; not found within the allowance, or time is used in a way that can't be followed → 'unknown'.
   */
  nextChange(after: number, until: number, allowance: Allowance): number | undefined | 'unknown';
}

/** Runs a condition, and tells which comparisons with time it made on the way. */
export interface Watch {
  readonly decides: Evaluator;
  /** The comparisons since the last call: as long as none of them changes, neither does what was decided. */
  take(): readonly Comparison[];
}

/** Makes a condition ready to be watched. It decides as its evaluator does. */
export function watchCondition({ source, program }: CompiledCondition): Watch {
  const followed = followTime(source, program);
  let seen: Comparison[] = [];
  const run = toClosure(program.root, (term, inner) => {
    if (!followed.watched.has(term)) return inner;
    return (frame) => {
      if (seen.length < mostComparisons) {
        seen.push(followed.comparison(term, { slots: [...frame.slots] }));
      } else seen[0] = tooMany;
      return inner(frame);
    };
  });
  const { path } = program.root;
  return {
    decides(resource, now) {
      const frame = startRun(program);
      frame.slots[resourceSlot] = resource;
      frame.slots[nowSlot] = timestampOfMillis(now);
      try {
        spend(program.steps);
        const value = run(frame);
        if (typeof value === 'boolean') return value;
        return value instanceof Failure ? value : notBool(value, path);
      } catch (error) {
        return undecided(error);
      }
    },
    take() {
      const taken = seen;
      seen = [];
      return taken;
    },
  };
}

const tooMany: Comparison = { text: '', nextChange: () => 'unknown' };

interface Followed {
  /** Terms that are to be noted when they run. */
  readonly watched: ReadonlySet<Term>;
  /** @param frame with the values of all slots when it ran; is changed */
  comparison(term: Term, frame: Frame): Comparison;
}

const isComparison = (term: Term): term is Extract<Term, { readonly kind: 'call' }> =>
  term.kind === 'call' && (comparisons.has(term.name) || term.name === 'in');

/**
 * Finds where a program compares with time. What a comparison answers stands still until the answer changes, and so does
 * what is made of answers: only what leads from `now` to a comparison moves.
 */
function followTime(source: string, program: Program): Followed {
  const moving = new Set<Term>();
  const watched = new Set<Term>();
  /** Names for values that move: made anew when time has gone on. Outer ones first. */
  const named: { readonly slot: number; readonly value: Term; readonly run: Run }[] = [];
  const movingSlots = new Set([nowSlot]);

  const visit = (term: Term): void => {
    if (term.kind === 'bind') {
      visit(term.value);
      if (moving.has(term.value)) {
        movingSlots.add(term.slot);
        named.push({ slot: term.slot, value: term.value, run: toClosure(term.value) });
      }
      visit(term.body);
      if (moving.has(term.body)) moving.add(term);
      return;
    }
    if (term.kind === 'variable') {
      if (movingSlots.has(term.slot)) moving.add(term);
      return;
    }
    const parts = partsOf(term);
    for (const part of parts) visit(part);
    const movingParts = parts.filter((part) => moving.has(part));
    if (movingParts.length === 0) return;
    if (isComparison(term)) watched.add(term);
    else if (term.kind === 'and' || term.kind === 'or') {
      // Answers that no comparison gave.
      for (const part of movingParts) watched.add(part);
    } else if (
      term.kind === 'loop' &&
      !moving.has(term.over) &&
      !(term.yields && moving.has(term.yields))
    ) {
      if (term.test) watched.add(term.test);
    } else moving.add(term);
  };
  visit(program.root);
  if (moving.has(program.root)) watched.add(program.root);

  const motionOf = (term: Term, frame: Frame): Motion => {
    if (!moving.has(term)) return still;
    switch (term.kind) {
      case 'variable': {
        const name = named.find(({ slot }) => slot === term.slot);
        if (name) return motionOf(name.value, frame);
        return { kind: 'steady', direction: 1, exact: true };
      }
      case 'choose': {
        const decided = moving.has(term.condition) || asks(term.condition) ? undefined : toClosure(term.condition)(frame); // prettier-ignore
        if (typeof decided !== 'boolean') return other;
        return motionOf(decided ? term.then : term.otherwise, frame);
      }
      case 'chain': {
        let motion = motionOf(term.first, frame);
        for (const { name, operand } of term.steps) {
          motion = ofCall(name, [motion, motionOf(operand, frame)]);
        }
        return motion;
      }
      case 'call': {
        const [first] = term.args;
        const motions = term.args.map((arg) => motionOf(arg, frame));
        if (first && timeFields.includes(term.name)) {
          return ofField(term.name, motions, toClosure(first)(frame));
        }
        return ofCall(term.name, motions);
      }
      default:
        return other;
    }
  };
  /** Whether a term has comparisons with time in it: a comparison that does, too, has more than one reason to change. */
  const asks = (term: Term): boolean => [...termsOf(term)].some((part) => watched.has(part));

  return {
    watched,
    comparison(term, frame) {
      const at = (run: Run, moment: number): unknown => {
        frame.slots[nowSlot] = timestampOfMillis(moment);
        for (const { slot, run: make } of named) frame.slots[slot] = make(frame);
        return run(frame);
      };
      return {
        text: source.slice(term.start, term.end),
        nextChange(after, until, allowance) {
          const search = (ask: (moment: number) => unknown) => withBudget(ask, allowance);
          const motion = withBudget(() => {
            if (!isComparison(term) || term.args.some(asks)) return other;
            const [left = still, right = still] = term.args.map((arg) => motionOf(arg, frame));
            return term.name === 'in' && !(left.kind === 'clock' && right.kind === 'still')
              ? other
              : together(left, right, -1);
          }, allowance)(after);
          if (motion === undefined || motion.kind === 'other' || !isComparison(term))
            return 'unknown';
          if (motion.kind === 'still') return undefined;
          const [left, right] = term.args.map((arg) => toClosure(arg));
          const isEquality = term.name === '==' || term.name === '!=';
          const run = toClosure(term);
          if (motion.kind === 'clock') {
            const ask = search((moment) => answer(at(run, moment)));
            return firstOnClock(ask, after, until, motion.every);
          }
          // Equal only for a while, perhaps between two moments: which of both is less changes once.
          const ask =
            isEquality && left && right
              ? search((moment) => order(at(left, moment), at(right, moment)))
              : search((moment) => answer(at(run, moment)));
          return firstChange(ask, after, until);
        },
      };
    },
  };
}

/** Asks within what is left, undefined where nothing is. */
const withBudget =
  <T>(ask: (moment: number) => T, allowance: Allowance) =>
  (moment: number): T | undefined => {
    startEvaluation(allowance);
    try {
      return ask(moment);
    } catch (error) {
      if (error instanceof OverBudget) return undefined;
      throw error;
    } finally {
      endEvaluation(allowance);
    }
  };

/** Two answers that are the same decide the same: why there is none does not count. */
const answer = (value: unknown): unknown => (value instanceof Failure ? 'none' : value);

function order(left: unknown, right: unknown): unknown {
  if (left instanceof Failure || right instanceof Failure) return 'none';
  if (equal(left, right) === true) return 0;
  const isLess = less(left, right);
  return isLess instanceof Failure ? 'none' : isLess;
}

type Ask = (moment: number) => unknown;

/** The first moment of another answer, where it changes once at most. */
function firstChange(ask: Ask, after: number, until: number): number | undefined | 'unknown' {
  const before = ask(after);
  const last = ask(until);
  if (before === undefined || last === undefined) return 'unknown';
  if (last === before) return undefined;
  let low = after;
  let high = until;
  // Others have changed at this moment, and equal dates are common.
  if (until - after > 1 && ask(until - 1) === before) return until;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const value = ask(middle);
    if (value === undefined) return 'unknown';
    if (value === before) low = middle;
    else high = middle;
  }
  return high;
}

function firstOnClock(
  ask: Ask,
  after: number,
  until: number,
  every: number,
): number | undefined | 'unknown' {
  for (let from = after; from < until; from += every) {
    const found = firstChange(ask, from, Math.min(from + every, until));
    if (found !== undefined) return found;
  }
  return undefined;
}

const isMoving = (motion: Motion): motion is Moving =>
  motion.kind === 'steady' || motion.kind === 'clock';

const turned = (motion: Motion): Motion =>
  motion.kind === 'steady' ? { ...motion, direction: motion.direction === 0 ? 0 : motion.direction === 1 ? -1 : 1 } : motion; // prettier-ignore

/** The motion of a sum, or (`sign` -1) of a difference. */
function together(left: Motion, given: Motion, sign: 1 | -1): Motion {
  const right = sign === 1 ? given : turned(given);
  if (left.kind === 'still') return right;
  if (right.kind === 'still') return left;
  if (!isMoving(left) || !isMoving(right)) return other;
  if (left.kind === 'clock' && right.kind === 'clock') {
    return { kind: 'clock', every: Math.min(left.every, right.every, betweenZones) };
  }
  if (left.kind !== 'steady' || right.kind !== 'steady') return other;
  const exact = left.exact && right.exact;
  if (left.direction !== 0 && left.direction === right.direction) return { ...left, exact };
  return exact ? { kind: 'steady', direction: 0, exact } : other;
}

function ofField(
  name: string,
  [motion = still, zone = still]: readonly Motion[],
  receiver: unknown,
): Motion {
  if (motion.kind !== 'steady' || zone.kind !== 'still') return other;
  const every = leastTime.get(name);
  if (every === undefined) return other;
  if (receiver instanceof Duration) return { ...motion, exact: false };
  return receiver instanceof Timestamp ? { kind: 'clock', every } : other;
}

const conversions: ReadonlySet<string> = new Set(['int', 'uint', 'double']);

/** The motion of what a function makes of values that move. */
function ofCall(name: string, [left = still, right]: readonly Motion[]): Motion {
  if (right === undefined) {
    if (name === '-_') return turned(left);
    if (name === 'dyn' || name === 'timestamp') return left;
    if (!conversions.has(name) || !isMoving(left)) return other;
    return left.kind === 'steady' ? { ...left, exact: false } : left;
  }
  if (name === '+') return together(left, right, 1);
  if (name === '-') return together(left, right, -1);
  // Fields of clocks change at the same moments, whatever is calculated with them.
  if (left.kind === 'clock' || right.kind === 'clock') {
    return name === '*' || name === '/' || name === '%' ? together(left, right, 1) : other;
  }
  const isScaled =
    name === '*'
      ? left.kind === 'still' || right.kind === 'still'
      : name === '/' && right.kind === 'still';
  return isScaled && (left.kind === 'steady' || right.kind === 'steady')
    ? { kind: 'steady', direction: 0, exact: false }
    : other;
}
