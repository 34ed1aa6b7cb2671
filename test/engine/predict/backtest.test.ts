import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beatsBoth, noReplay, replay, scoreOf } from '../../../src/engine/predict/backtest.ts';
import type { ReplayOptions, VerdictSeries } from '../../../src/engine/predict/backtest.ts';
import type { PairRecord } from '../../../src/engine/predict/recurrence.ts';

const day = 86_400_000;
const series = (...changes: [number, PairRecord['state']][]): VerdictSeries => ({
  policy: 'p',
  type: 't',
  history: changes.map(([days, state]) => [days * day, state]),
});

function run(all: readonly VerdictSeries[], options: Partial<ReplayOptions> = {}) {
  const total = noReplay();
  const days = replay(all, { from: 0, until: 100 * day, horizon: 10, ...options }, total);
  while (!days.next().done);
  return total;
}

/** Fails every 20 days, for one. */
const flapping = series(
  ...Array.from({ length: 20 }, (_, n): [number, PairRecord['state']] => [
    n * 10 + 0.5,
    n % 2 === 0 ? 'PASS' : 'FAIL',
  ]),
);
const steady = Array.from({ length: 30 }, () => series([0, 'PASS']));

describe('a backtest', () => {
  it('forecasts every series on each day on which it passes, up to one horizon before the end', () => {
    const { series: n, forecasts, failures } = run([series([0, 'PASS'], [50.5, 'FAIL'])]);
    expect({ n, forecasts, failures }).toEqual({ n: 1, forecasts: 51, failures: 1 });
    expect(run([series([0, 'PASS'])])).toMatchObject({ series: 1, forecasts: 91, failures: 0 });
    expect(run([series([0, 'PASS'], [50, 'gone'])]).forecasts).toBe(50);
  });

  it('counts an alert that stays once, and once more after each horizon in which nothing came', () => {
    const once = series([0, 'FAIL'], [1, 'PASS']);
    // It failed less than 30 days ago on the days 1 to 30: three horizons.
    expect(scoreOf(run([once]), 'recent')).toMatchObject({ n: 1, alerts: 3, precision: 0 });
    const again = series([0, 'FAIL'], [1, 'PASS'], [5, 'FAIL']);
    expect(scoreOf(run([again]), 'recent')).toMatchObject({ alerts: 1, precision: 1, recall: 1 });
  });

  it('finds that recurrence beats both baselines where some resources keep failing', () => {
    // The guess that what failed fails again is wrong about these.
    const once = Array.from({ length: 30 }, (_, n) =>
      series([0, 'PASS'], [n * 5 + 5, 'FAIL'], [n * 5 + 6, 'PASS']),
    );
    const total = run([flapping, ...once], { until: 200 * day, horizon: 20 });
    const score = scoreOf(total, 'recurrence');
    expect(score.n).toBe(1);
    // Of the flapping one, after two failures.
    expect(score).toMatchObject({ recall: 0.1, precision: 1 });
    expect(beatsBoth(score)).toBe(true);
  });

  it('says nothing of what cannot be divided', () => {
    expect(scoreOf(run([]), 'recurrence')).toEqual({ n: 0, alerts: 0, precision: null, recall: null, skill_never: null, skill_recent: null }); // prettier-ignore
    expect(beatsBoth(scoreOf(run(steady), 'recurrence'))).toBe(false);
  });

  const states = fc.constantFrom<PairRecord['state'][]>('PASS', 'FAIL', 'gone');
  const histories = fc.array(
    fc
      .array(fc.tuple(fc.nat(120), states), { minLength: 1, maxLength: 12 })
      .map((changes) => series(...changes.toSorted(([a], [b]) => a - b))),
    { minLength: 1, maxLength: 30 },
  );
  const scores = (all: readonly VerdictSeries[], options: Partial<ReplayOptions>) => {
    const total = run(all, options);
    const { series: n, forecasts, failures } = total;
    return {
      n,
      forecasts,
      failures,
      ...{ recurrence: scoreOf(total, 'recurrence'), recent: scoreOf(total, 'recent') },
    };
  };

  it('does not depend on anything after its end', () => {
    fc.assert(
      fc.property(histories, fc.nat(120), (all, end) => {
        const until = end * day;
        const cut = all
          .map((one) => ({ ...one, history: one.history.filter(([at]) => at <= until) }))
          .filter(({ history }) => history.length > 0);
        expect(scores(cut, { until })).toEqual(scores(all, { until }));
      }),
    );
  });

  it('counts what never fails as it counts everything else', () => {
    fc.assert(
      fc.property(histories, fc.nat(60), (all, from) => {
        const options = { from: from * day, until: 120 * day };
        const quiet = all.map((one) => ({
          ...one,
          history: one.history.filter(([, state]) => state !== 'FAIL'),
        }));
        // A failure after the end is not counted, but makes the series one that is followed.
        const failing = quiet.map((one) => ({
          ...one,
          history: [...one.history, [200 * day, 'FAIL'] as const],
        }));
        expect(scores(failing, options)).toEqual(scores(quiet, options));
      }),
    );
  });
});
