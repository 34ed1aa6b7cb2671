import { median } from '../forecast/median.ts';

const week = 7;
/** Weeks of which the same weekday says what is usual. */
const weeksBack = 4;
/** Days that say whether the level has moved since. */
const recentDays = 3;
/** Days whose deviations say how far they go without a reason, and how many there must be. */
const spreadDays = weeksBack * week;
const fewestDeviations = 14;
/** Days before the first that can be judged. */
export const warmUpDays = weeksBack * week + fewestDeviations;
/** Of a normal distribution, the standard deviation in median absolute deviations. */
const perDeviation = 1.4826;
/** Deviations from which on a value is an outlier, as Leys et al. recommend (2013, Journal of Experimental Social Psychology 49). */
const outlier = 2.5;
/** Days after which a level is the new normal. */
export const longestEpisode = 2 * week;
/** Usual days in an episode that do not end it. */
const mostUsual = 1;

/** What is no anomaly, whatever is usual. */
export interface Thresholds {
  /** Cost above the expected of all days of an episode, in the unit of the values. */
  readonly minImpact: number;
  /** Cost above the expected of a day, in percent of the expected. */
  readonly minPercent: number;
}

/** Days that followed each other, and cost more than could be expected. */
export interface Episode {
  /** Places of the first and of the last day. */
  readonly start: number;
  readonly end: number;
  /** Of all these days. */
  readonly expected: number;
  readonly actual: number;
  /** Of the day that exceeded the expected most, in percent of it; Infinity: nothing was expected. */
  readonly peakPercent: number;
}

/** A series of daily cost: one value a day, the oldest first. */
export type Series = readonly number[] | Float64Array;

/**
 * The episodes of a series. A day is judged by the days before it alone: it opens an episode where it exceeds what is
 * expected by a share, and by more than earlier deviations make plausible. The episode lasts as long as days exceed, by that
 * share, what was expected when it began, but two weeks at most: then the level is the new normal.
 * @param thresholdsOf for an episode that begins on this day
 * @param from the first day to judge
 */
export function findEpisodes(
  values: Series,
  thresholdsOf: (day: number) => Thresholds,
  from = 0,
): readonly Episode[] {
  const expectation = new Expectation(values);
  const episodes: Episode[] = [];
  for (let day = Math.max(from, warmUpDays); day < values.length; day++) {
    const { minImpact, minPercent } = thresholdsOf(day);
    if (!expectation.isExceeded(day, minPercent)) continue;
    const episode = follow(values, expectation, day, minPercent);
    if (episode.actual - episode.expected >= minImpact) episodes.push(episode);
    day = episode.end;
  }
  return episodes;
}

/** The episode that a day opens. */
function follow(
  values: Series,
  expectation: Expectation,
  start: number,
  minPercent: number,
): Episode {
  let episode: Episode = { start, end: start, expected: 0, actual: 0, peakPercent: 0 };
  let [expected, actual, peakPercent] = [0, 0, 0];
  const last = Math.min(values.length, start + longestEpisode);
  for (let day = start; day < last && day - episode.end <= mostUsual + 1; day++) {
    const value = values[day] ?? 0;
    const known = expectation.of(day, start);
    expected += known;
    actual += value;
    if (day > start && !exceeds(value, known, minPercent)) continue;
    peakPercent = Math.max(peakPercent, percentOver(value, known));
    episode = { start, end: day, expected, actual, peakPercent };
  }
  return episode;
}

/** How far a value is over what was expected, in percent of that. */
export const percentOver = (actual: number, expected: number): number =>
  expected === 0 ? Infinity : (100 * (actual - expected)) / Math.abs(expected);

const exceeds = (value: number, expected: number, percent: number): boolean =>
  value - expected > (percent / 100) * Math.abs(expected);

/** What is expected of each day of a series. */
class Expectation {
  /** By day, as known on the day before. */
  private readonly known = new Map<number, number>();

  constructor(private readonly values: Series) {}

  /** What is expected of a day as far as `asOf` knows, whose own value and later ones it doesn't. */
  of(day: number, asOf: number): number {
    const usual = this.usual(day, asOf);
    const recent: number[] = [];
    const moved: number[] = [];
    for (let at = asOf - recentDays; at < asOf; at++) {
      const value = this.values[at] ?? 0;
      recent.push(value);
      moved.push(value - this.usual(at, at));
    }
    let highest = -Infinity;
    for (let at = Math.max(0, asOf - week); at < asOf; at++) {
      highest = Math.max(highest, this.values[at] ?? 0);
    }
    // A level that has risen is what to expect now; one that fell may come back at any time in the first week.
    const risen = Math.min(median(recent), usual + median(moved));
    return Math.min(highest, Math.max(usual, risen));
  }

  /** Whether a day exceeds what is expected by a share, and by more than can be a coincidence. */
  isExceeded(day: number, percent: number): boolean {
    const value = this.values[day] ?? 0;
    const expected = this.before(day);
    return exceeds(value, expected, percent) && value - expected > outlier * this.spread(day);
  }

  private before(day: number): number {
    const known = this.known.get(day) ?? this.of(day, day);
    this.known.set(day, known);
    return known;
  }

  /** The median of the last four same weekdays that `asOf` knows. */
  private usual(day: number, asOf: number): number {
    const same: number[] = [];
    const back = Math.floor((day - asOf) / week) + 1;
    for (let at = day - back * week; same.length < weeksBack && at >= 0; at -= week) {
      same.push(this.values[at] ?? 0);
    }
    return same.length > 0 ? median(same) : 0;
  }

  /** The standard deviation of earlier deviations from what was expected, by the median of their distances from their median. */
  private spread(day: number): number {
    const deviations: number[] = [];
    for (let at = Math.max(weeksBack * week, day - spreadDays); at < day; at++) {
      deviations.push((this.values[at] ?? 0) - this.before(at));
    }
    const middle = median(deviations);
    return perDeviation * median(deviations.map((one) => Math.abs(one - middle)));
  }
}
