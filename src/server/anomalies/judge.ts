import { findEpisodes, percentOver } from '../../cost/anomalies/detect.ts';
import type { Episode, Thresholds } from '../../cost/anomalies/detect.ts';
import { dayNumber, dayText } from '../../cost/table/days.ts';
import { nextTurn } from '../next-turn.ts';
import { groupOf } from './collection.ts';
import type { StoredAnomaly } from './collection.ts';
import type { GroupName, GroupSeries } from './series.ts';

/** An anomaly as the charges have it now. */
export interface FoundAnomaly {
  readonly group: string;
  readonly name: GroupName;
  readonly start: string;
  readonly end: string;
  readonly ongoing: boolean;
  readonly expected: number;
  readonly actual: number;
  readonly impact: number;
  readonly impactPercent: number;
  readonly peakPercent: number;
  readonly severity: StoredAnomaly['severity'];
  readonly trend: { readonly start: string; readonly costs: readonly number[] };
}

/** What people said they expect: of the same group, later episodes that go no higher are no anomalies. */
export type Expected = Pick<StoredAnomaly, 'group' | 'end' | 'impact' | 'peak_percent'>;

/** Days that this counts for. */
const expectedFor = 365;
/** The share of a total's impact from which on the anomalies of groups explain it. */
const explained = 0.5;
const trendBefore = 28;
const trendAfter = 7;
/** An episode may go on after one usual day. */
const mostUsual = 1;
const groupsPerTurn = 20;

/** The anomalies of all groups, and of the totals that these do not explain. */
export async function judge(
  all: readonly GroupSeries[],
  {
    first,
    from,
    thresholds,
    expected,
  }: {
    /** The day of the first cost of each series, and the first to judge, since 1970-01-01. */
    readonly first: number;
    readonly from: number;
    readonly thresholds: Thresholds;
    readonly expected: readonly Expected[];
  },
  signal: AbortSignal,
): Promise<readonly FoundAnomaly[]> {
  const totals = new Map(
    all.flatMap(({ name, costs }) =>
      name.scope === 'total' ? [[name.currency, costs] as const] : [],
    ),
  );
  const found: FoundAnomaly[] = [];
  /** As if nobody had said what is expected: what explains a group explains the total, too. */
  const plain: FoundAnomaly[] = [];
  for (const [at, { name, costs }] of all.entries()) {
    if (at % groupsPerTurn === groupsPerTurn - 1) await nextTurn();
    signal.throwIfAborted();
    const group = groupOf(name);
    const total = name.scope === 'total' ? undefined : totals.get(name.currency);
    const find = (thresholdsOf: (day: number) => Thresholds): readonly FoundAnomaly[] =>
      findEpisodes(costs, thresholdsOf, from - first).map((episode) => ({
        group,
        name,
        ...describe(episode, costs, first, total),
      }));
    const known = expected.filter((one) => one.group === group);
    const own = find(() => thresholds);
    plain.push(...own);
    found.push(...(known.length > 0 ? find((day) => raised(thresholds, known, first + day)) : own));
  }
  return found.filter((one) => !isExplained(one, plain));
}

/** The thresholds of an episode that begins on a day. */
function raised(
  { minImpact, minPercent }: Thresholds,
  expected: readonly Expected[],
  day: number,
): Thresholds {
  const valid = expected.filter(({ end }) => {
    const since = day - dayNumber(end);
    return since > 0 && since <= expectedFor;
  });
  return {
    minPercent: Math.max(minPercent, ...valid.map(({ peak_percent: peak }) => peak ?? 0)),
    minImpact: Math.max(
      minImpact,
      // Where nothing was expected, there is no share to compare with.
      ...valid.map(({ peak_percent: peak, impact }) => (peak === null ? Number(impact) : 0)),
    ),
  };
}

function describe(
  { start, end, expected, actual, peakPercent }: Episode,
  costs: Float64Array,
  first: number,
  total: Float64Array | undefined,
): Omit<FoundAnomaly, 'group' | 'name'> {
  const impact = actual - expected;
  const all = total ? total.slice(start, end + 1).reduce((sum, cost) => sum + cost, 0) - impact : expected; // prettier-ignore
  const from = Math.max(0, start - trendBefore);
  return {
    start: dayText(first + start),
    end: dayText(first + end),
    ongoing: end + mostUsual >= costs.length - 1,
    expected,
    actual,
    impact,
    impactPercent: percentOver(actual, expected),
    peakPercent,
    severity: severityOf(all > 0 ? impact / all : Infinity),
    trend: {
      start: dayText(first + from),
      costs: [...costs.slice(from, end + 1 + trendAfter)],
    },
  };
}

function severityOf(share: number): StoredAnomaly['severity'] {
  if (share >= 0.5) return 'critical';
  if (share >= 0.1) return 'high';
  return share >= 0.02 ? 'medium' : 'low';
}

/** Whether an anomaly of a total is no more than those of its groups on the same days. */
function isExplained({ name, start, end, impact }: FoundAnomaly, all: readonly FoundAnomaly[]) {
  if (name.scope === 'group') return false;
  const parts = all.filter(
    (one) =>
      one.name.scope === 'group' &&
      one.name.currency === name.currency &&
      one.start <= end &&
      one.end >= start,
  );
  return parts.reduce((sum, one) => sum + one.impact, 0) >= explained * impact;
}
