import { createPriors, fewestFailures, findRecurrence, recordAt } from './recurrence.ts';
import type { PairRecord, VerdictHistory } from './recurrence.ts';

const day = 86_400_000;
/** Days: one of the two baselines is that what failed in the last 30 days fails again. */
const recently = 30 * day;

/** How a policy's verdict on a resource changed. */
export interface VerdictSeries {
  readonly policy: string;
  readonly type: string;
  readonly history: VerdictHistory;
}

/** How forecasts are made: with `recurrence`, or with one of the two baselines that it must beat. */
type Way = 'recurrence' | 'recent' | 'never';

interface Tally {
  /** Series that it made predictions for. */
  readonly series: Set<VerdictSeries>;
  /** An alert that stays counts once, and again each time its horizon passes without a failure. */
  alerts: number;
  /** Alerts after which the series began to fail within the horizon. */
  right: number;
  /** Failures that it announced. */
  announced: number;
  /** The sum of the squared differences between the predicted chance and the outcome. */
  error: number;
}

/** The results of replaying one history, or several. */
export interface Replayed {
  /** Series that passed on a day that was looked at. */
  series: number;
  /** Of one series on one day. */
  forecasts: number;
  /** Times that a series began to fail. */
  failures: number;
  readonly by: Readonly<Record<Way, Tally>>;
}

export const noReplay = (): Replayed => {
  const none = (): Tally => ({ series: new Set(), alerts: 0, right: 0, announced: 0, error: 0 });
  const by = { recurrence: none(), recent: none(), never: none() };
  return { series: 0, forecasts: 0, failures: 0, by };
};

export interface ReplayOptions {
  /** In milliseconds since the epoch: the first forecast, and the end of what is known. */
  readonly from: number;
  readonly until: number;
  /** Days that a forecast looks ahead. */
  readonly horizon: number;
}

/**
 * Replays one history day by day. Each day's forecasts use only what was known then; they cover all series that pass, and
 * are compared with whether the series begins to fail within the horizon. The last ones are made one horizon before the
 * end. Yields after each day.
 * @param total results are added to it
 */
export function* replay(
  series: readonly VerdictSeries[],
  { from, until, horizon }: ReplayOptions,
  total: Replayed,
): Generator<void> {
  const ahead = horizon * day;
  const days = { from, until: until - ahead };
  const quiet = series.filter(({ history }) => history.every(([, state]) => state !== 'FAIL'));
  // Most series never fail, and are forecast never to fail: counting them is enough.
  for (const { history } of quiet) {
    const passed = countPassed(history, days);
    total.forecasts += passed;
    if (passed > 0) total.series += 1;
  }
  const isQuiet = new Set(quiet);
  const lively = series.filter((one) => !isQuiet.has(one)).map((one) => follow(one, total));
  for (const one of lively) {
    total.failures += one.falls.filter((at) => at > from && at <= until).length;
  }
  const ofPolicy = new Map<string, VerdictSeries[]>();
  for (const one of series) {
    const its = ofPolicy.get(one.policy);
    if (its) its.push(one);
    else ofPolicy.set(one.policy, [one]);
  }
  for (let now = from; now <= days.until; now += day) {
    const priors = new Map<string, ReturnType<typeof createPriors>>();
    const priorOf = ({ policy, type }: VerdictSeries) => {
      const found = priors.get(policy) ?? createPriors(poolsAt(ofPolicy.get(policy) ?? [], now));
      priors.set(policy, found);
      return found(type);
    };
    for (const one of lively) one.forecast(now, ahead, priorOf);
    yield;
  }
}

type PriorOf = (series: VerdictSeries) => Parameters<typeof findRecurrence>[1] | undefined;

interface Said {
  readonly chance: number;
  readonly isAlert: boolean;
}

/** A day, the end of its horizon, and when the series begins to fail between the two. */
interface Ahead {
  readonly now: number;
  readonly until: number;
  readonly coming: readonly number[];
}

/** Makes the forecasts of one series, and compares them with what came. */
function follow(series: VerdictSeries, total: Replayed) {
  const { history } = series;
  const falls = history.flatMap(([at, state], i) =>
    state === 'FAIL' && history[i - 1]?.[1] === 'PASS' ? [at] : [],
  );
  /** When its alert appeared. */
  const standing = new Map<Way, number>();
  const announced = new Set<string>();
  let isSeen = false;

  const say = (way: Way, said: Said, { now, until, coming }: Ahead): void => {
    const tally = total.by[way];
    tally.error += (said.chance - (coming.length > 0 ? 1 : 0)) ** 2;
    if (!said.isAlert) standing.delete(way);
    // An alert that outlives its horizon was wrong, and counts as a new one from then on.
    else if (now >= (standing.get(way) ?? -Infinity) + (until - now)) {
      standing.set(way, now);
      tally.alerts += 1;
      if (coming.length > 0) tally.right += 1;
      const further = coming.filter((at) => !announced.has(`${way} ${at}`));
      for (const at of further) announced.add(`${way} ${at}`);
      tally.announced += further.length;
    }
  };

  return {
    falls,
    forecast(now: number, ahead: number, priorOf: PriorOf): void {
      const record = recordAt(history, now);
      if (record?.state !== 'PASS') {
        standing.clear();
        return;
      }
      total.forecasts += 1;
      if (!isSeen) total.series += 1;
      isSeen = true;
      const until = now + ahead;
      const coming = { now, until, coming: falls.filter((at) => at > now && at <= until) };
      const recurrence = recurrenceOf(record, () => priorOf(series));
      if (recurrence) total.by.recurrence.series.add(series);
      const isExpected = recurrence !== undefined && recurrence.medianDays * day <= ahead;
      // No alert says that it will not fail.
      const chance = isExpected ? recurrence.chanceWithin(ahead / day) : 0;
      say('recurrence', { chance, isAlert: isExpected }, coming);
      const isRecent = failedSince(history, now - recently, now);
      if (isRecent) total.by.recent.series.add(series);
      say('recent', { chance: isRecent ? 1 : 0, isAlert: isRecent }, coming);
      say('never', { chance: 0, isAlert: false }, coming);
    },
  };
}

function recurrenceOf(record: PairRecord, priorOf: () => ReturnType<PriorOf>) {
  if (record.failures < fewestFailures) return undefined;
  const prior = priorOf();
  return prior && findRecurrence(record, prior);
}

/** What was known at that time about the existing resources, by type. */
function poolsAt(series: readonly VerdictSeries[], now: number): Map<string, PairRecord[]> {
  const pools = new Map<string, PairRecord[]>();
  for (const { type, history } of series) {
    const record = recordAt(history, now);
    if (!record || record.state === 'gone') continue;
    const pool = pools.get(type);
    if (pool) pool.push(record);
    else pools.set(type, [record]);
  }
  return pools;
}

/** Whether it failed at any moment between the two. */
const failedSince = (history: VerdictHistory, from: number, to: number): boolean =>
  history.some(([at, state], i) => state === 'FAIL' && at <= to && (history[i + 1]?.[0] ?? to) > from); // prettier-ignore

/** The days, counted from `from`, on which it passed. */
function countPassed(
  history: VerdictHistory,
  { from, until }: Omit<ReplayOptions, 'horizon'>,
): number {
  const daysBefore = (moment: number): number => Math.max(0, Math.ceil((moment - from) / day));
  const end = Math.floor((until - from) / day) * day + from + 1;
  let passed = 0;
  for (const [i, [at, state]] of history.entries()) {
    if (state !== 'PASS') continue;
    const to = Math.min(history[i + 1]?.[0] ?? end, end);
    passed += Math.max(0, daysBefore(to) - daysBefore(at));
  }
  return passed;
}

/** How good a method was. Null: nothing to divide by. */
export interface Score {
  /** Series about which it said anything. */
  readonly n: number;
  readonly alerts: number;
  /** The share of alerts after which the series began to fail within the horizon. */
  readonly precision: number | null;
  /** The share of failures that it announced. */
  readonly recall: number | null;
  /** By how much its Brier score is better than that of a baseline: 1 is perfect, 0 no better, below 0 worse. */
  readonly skill_never: number | null;
  readonly skill_recent: number | null;
}

export function scoreOf({ by, forecasts, failures }: Replayed, way: Way): Score {
  const { series, alerts, right, announced, error } = by[way];
  const skillOver = ({ error: other }: Tally) =>
    forecasts === 0 || other === 0 ? null : 1 - error / other;
  return {
    n: series.size,
    alerts,
    precision: alerts === 0 ? null : right / alerts,
    recall: failures === 0 ? null : announced / failures,
    skill_never: skillOver(by.never),
    skill_recent: skillOver(by.recent),
  };
}

/** Whether it is better than both baselines, so that it may be on by default. */
export const beatsBoth = ({ skill_never: never, skill_recent: recent }: Score): boolean =>
  (never ?? 0) > 0 && (recent ?? 0) > 0;
