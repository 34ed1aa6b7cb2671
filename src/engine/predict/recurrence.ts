/** How a policy's verdict on a resource turned out, up to a moment. */
export interface PairRecord {
  readonly state: 'PASS' | 'FAIL' | 'gone';
  /** Times that it failed, from the beginning on or after it had passed. */
  readonly failures: number;
  /** Times that it began to fail after it had passed. */
  readonly falls: number;
  /** Days in which it passed, and so could have begun to fail. */
  readonly days: number;
}

/** Changes of a verdict in the order of time, in milliseconds since the epoch. */
export type VerdictHistory = readonly (readonly [at: number, state: PairRecord['state']])[];

const day = 86_400_000;

/** What was known at a moment: nothing after it is looked at. Undefined: nothing was known. */
export function recordAt(history: VerdictHistory, moment: number): PairRecord | undefined {
  let state: PairRecord['state'] | undefined;
  let [failures, falls, passed, since] = [0, 0, 0, 0];
  for (const [at, next] of history) {
    if (at > moment) break;
    if (state === 'PASS') passed += at - since;
    if (next === 'FAIL' && state !== 'FAIL') failures += 1;
    if (next === 'FAIL' && state === 'PASS') falls += 1;
    [state, since] = [next, at];
  }
  if (state === undefined) return undefined;
  if (state === 'PASS') passed += moment - since;
  return { state, failures, falls, days: passed / day };
}

/** How often resources of one kind begin to fail: a gamma distribution of rates per day. */
export interface Prior {
  readonly shape: number;
  /** In days. */
  readonly rate: number;
}

/** Fewer resources are too few to estimate how much their rates differ. */
export const fewestPooled = 20;

/** If rates in a pool vary no more than by chance, its mean weighs this many times its days. */
const certainty = 1_000;

/**
 * How the rates of a pool are distributed, by their mean and their variance (R. J. Marshall's estimator for counts over
 * unequal times: Applied Statistics 40, 1991, 283–294). Undefined: too few, or nothing fell.
 */
export function fitPrior(pool: readonly Pick<PairRecord, 'falls' | 'days'>[]): Prior | undefined {
  const exposed = pool.filter(({ days }) => days > 0);
  const days = exposed.reduce((sum, one) => sum + one.days, 0);
  const falls = exposed.reduce((sum, one) => sum + one.falls, 0);
  if (exposed.length < fewestPooled || falls === 0) return undefined;
  const mean = falls / days;
  const spread =
    exposed.reduce((sum, one) => sum + one.days * (one.falls / one.days - mean) ** 2, 0) / days;
  const variance = spread - mean / (days / exposed.length);
  const rate = variance > 0 ? mean / variance : Infinity;
  const most = certainty * days;
  return { shape: mean * Math.min(rate, most), rate: Math.min(rate, most) };
}

/**
 * The prior of each type of resource: of those of the type, or of all where those are too few.
 * @param pools by type
 */
export function createPriors(
  pools: ReadonlyMap<string, readonly PairRecord[]>,
): (type: string) => Prior | undefined {
  const known = new Map<string, Prior | undefined>();
  return (type) => {
    if (!known.has(type)) {
      known.set(type, fitPrior(pools.get(type) ?? []) ?? fitPrior([...pools.values()].flat()));
    }
    return known.get(type);
  };
}

/** With fewer failures there is no prediction. */
export const fewestFailures = 2;

/** What is said of one that passes now, and failed before. */
export interface Recurrence {
  /** The chance that it begins to fail within so many days, from 0 to 1. */
  chanceWithin(days: number): number;
  /** Days until it has begun to fail with a chance of a half. */
  readonly medianDays: number;
}

/**
 * When it begins to fail again: falls come as a Poisson process whose rate is that of its kind, moved by its own falls
 * (gamma–Poisson; A. Gelman et al., Bayesian Data Analysis, third edition, section 2.6). Undefined: it does not pass, or
 * failed less than twice.
 */
export function findRecurrence(
  { state, failures, falls, days }: PairRecord,
  prior: Prior,
): Recurrence | undefined {
  if (state !== 'PASS' || failures < fewestFailures) return undefined;
  const shape = prior.shape + falls;
  const rate = prior.rate + days;
  // By logarithms, as the rate may be very large.
  return {
    chanceWithin: (within) => -Math.expm1(-shape * Math.log1p(within / rate)),
    medianDays: rate * Math.expm1(Math.LN2 / shape),
  };
}
