import { findRecurrence, fitPrior, recordAt } from './recurrence.ts';
import type { PairRecord, Prior, VerdictHistory } from './recurrence.ts';
import { findTrend } from './trend.ts';
import type { Point } from './trend.ts';

/** What is known of a policy and a resource, over time. */
export interface Series {
  /** The policy and the type: series of one kind are pooled. */
  readonly kind: string;
  readonly history: VerdictHistory;
  /** Numbers that the policy compares with others, and the values at which it fails. */
  readonly numbers?: readonly { readonly points: readonly Point[]; readonly target: number }[];
}

export type LearnedMethod = 'trend' | 'recurrence';

/** What a method says of one series at one moment. */
export interface Said {
  readonly series: number;
  /** In milliseconds since the epoch. */
  readonly at: number;
  /** The chance that it begins to fail within the horizon. */
  readonly chance: number;
}

const day = 86_400_000;
/** As likely as not. */
const alertFrom = 0.5;

/** Moments are the same whatever the history, so that more of it changes nothing of what was said before. */
const step = 7 * day;

/**
 * What a method would have said each week, of series that passed then: at each moment only what was known by then is
 * looked at. What it says nothing of has a chance of 0, and is left out.
 * @param horizon in days
 */
export function* replay(
  method: LearnedMethod,
  series: readonly Series[],
  {
    from,
    until,
    horizon,
  }: { readonly from: number; readonly until: number; readonly horizon: number },
): Generator<Said> {
  for (let at = Math.ceil(from / step) * step; at <= until; at += step) {
    const records = series.map(({ history }) => recordAt(history, at));
    const priorOf = pooled(series, records);
    for (const [i, one] of series.entries()) {
      const record = records[i];
      if (record?.state !== 'PASS') continue;
      const chance =
        method === 'trend'
          ? chanceOfTrend(one, at, horizon)
          : chanceOfRecurrence(record, () => priorOf(one.kind), horizon);
      if (chance > 0) yield { series: i, at, chance };
    }
  }
}

/** The distribution of rates of each kind, of all of them where a kind is too small. */
function pooled(series: readonly Series[], records: readonly (PairRecord | undefined)[]) {
  const priors = new Map<string, Prior | undefined>();
  const poolOf = (kind?: string): PairRecord[] =>
    records.filter(
      (record, i): record is PairRecord =>
        record !== undefined && (kind === undefined || series[i]?.kind === kind),
    );
  return (kind: string): Prior | undefined => {
    if (!priors.has(kind)) priors.set(kind, fitPrior(poolOf(kind)) ?? fitPrior(poolOf()));
    return priors.get(kind);
  };
}

function chanceOfRecurrence(
  record: PairRecord,
  prior: () => Prior | undefined,
  horizon: number,
): number {
  if (record.failures < 2) return 0;
  const known = prior();
  return known ? (findRecurrence(record, known)?.chanceWithin(horizon) ?? 0) : 0;
}

function chanceOfTrend({ numbers = [] }: Series, at: number, horizon: number): number {
  const chances = numbers.map(({ points, target }) => {
    const known = points.filter(([moment]) => moment <= at);
    const last = known.at(-1);
    if (!last) return 0;
    const now: Point = [at, last[1]];
    const trend = findTrend(last[0] === at ? known : [...known, now], target);
    return trend?.chanceBy(at + horizon * day) ?? 0;
  });
  return Math.max(0, ...chances);
}

export interface Score {
  /** Moments at which a passing series was looked at, and whose outcome is known. */
  readonly n: number;
  /** Of them, those at which it began to fail within the horizon. */
  readonly failed: number;
  /** Times that a series began to fail. */
  readonly episodes: number;
  /** Alerts, each counted once however many weeks it stood. */
  readonly alerts: number;
  /** The share of alerts that came true; null without an alert. */
  readonly precision: number | null;
  /** The share of episodes that were announced; null without an episode. */
  readonly recall: number | null;
  /** Brier skill: 1 is perfect, 0 no better than the guess, less is worse; null where the guess was never wrong. */
  readonly skill: { readonly never: number | null; readonly failedLately: number | null };
}

/**
 * How good it was (G. W. Brier, Monthly Weather Review 78, 1950, 1–3). It is compared with two plain guesses: that nothing
 * begins to fail, and that whatever failed in the last 30 days does so again.
 * @param until the end of what is known: what is not decided by then does not count
 */
export function score(
  series: readonly Series[],
  said: Iterable<Said>,
  {
    from,
    until,
    horizon,
  }: { readonly from: number; readonly until: number; readonly horizon: number },
): Score {
  const chances = new Map<string, number>();
  for (const { series: i, at, chance } of said) chances.set(`${i} ${at}`, chance);
  const falls = series.map(({ history }) => fallsOf(history));
  let [n, failed, alerts, right, episodes, announced] = [0, 0, 0, 0, 0, 0];
  const errors = { method: 0, never: 0, lately: 0 };
  for (const [i, { history }] of series.entries()) {
    const its = falls[i] ?? [];
    episodes += its.filter((at) => at > from && at <= until).length;
    /** The end of the alert that stands. */
    let standing: number | undefined;
    const told = new Set<number>();
    for (let at = Math.ceil(from / step) * step; at <= until; at += step) {
      if (recordAt(history, at)?.state !== 'PASS') {
        standing = undefined;
        continue;
      }
      const next = its.find((fall) => fall > at);
      const falling = next !== undefined && next <= at + horizon * day && next <= until;
      const chance = chances.get(`${i} ${at}`) ?? 0;
      const isKnown = falling || at + horizon * day <= until;
      if (isKnown) {
        const outcome = falling ? 1 : 0;
        const lately = its.some((fall) => fall <= at && fall > at - 30 * day) ? 1 : 0;
        n += 1;
        failed += outcome;
        errors.method += (chance - outcome) ** 2;
        errors.never += outcome;
        errors.lately += (lately - outcome) ** 2;
      }
      if (chance < alertFrom) standing = undefined;
      else {
        if (isKnown && falling) told.add(next);
        if (isKnown && standing === undefined) {
          alerts += 1;
          right += falling ? 1 : 0;
        }
        standing = at;
      }
    }
    announced += told.size;
  }
  const skill = (guess: number): number | null => (guess === 0 ? null : 1 - errors.method / guess);
  return {
    n,
    failed,
    episodes,
    alerts,
    precision: alerts === 0 ? null : right / alerts,
    recall: episodes === 0 ? null : announced / episodes,
    skill: { never: skill(errors.never), failedLately: skill(errors.lately) },
  };
}

/** When a series began to fail after it had passed. */
function fallsOf(history: VerdictHistory): readonly number[] {
  return history.flatMap(([at, state], i) =>
    state === 'FAIL' && history[i - 1]?.[1] === 'PASS' ? [at] : [],
  );
}

/** Whether a method is worth turning on: it beats both guesses. */
export const beatsGuesses = ({ skill }: Score): boolean =>
  skill.never !== null && skill.never > 0 && skill.failedLately !== null && skill.failedLately > 0;
