import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { drawChart } from '../../../src/report/charts/draw-chart.ts';
import type { Chart, Series, SeriesColour } from '../../../src/report/model.ts';
import { boundsOf, labelsOf, measure, textsOf } from './drawing-bounds.ts';

const chart = (fields: Partial<Chart>): Chart => ({
  kind: 'chart',
  id: 'c',
  title: 'Violations',
  description: 'Violations by environment.',
  form: 'bars',
  categories: ['production', 'staging'],
  series: [{ name: 'Critical', colour: 'critical', values: [12, 3] }],
  ...fields,
});
const draw = (fields: Partial<Chart>, width = 600) => drawChart(chart(fields), { width, measure });
const names = (count: number, name = 'account') =>
  Array.from({ length: count }, (_, at) => `${name}-${at + 1}`);

const severities: readonly Series[] = [
  { name: 'Critical', colour: 'critical', values: [1, 2] },
  { name: 'High', colour: 'high', values: [30, null] },
  { name: 'Low', colour: 'low', values: [0, 500] },
];

/** The left and right end of each area, from its path. */
const spansOf = (drawing: ReturnType<typeof drawChart>) =>
  drawing.shapes.flatMap((shape) => {
    const found = shape.kind === 'path' && shape.label !== undefined && /^M([\d.]+),([\d.]+)H([\d.]+)V([\d.]+)H/.exec(shape.d); // prettier-ignore
    if (!found) return [];
    const [left = 0, top = 0, right = 0, bottom = 0] = found.slice(1).map(Number);
    return [{ left, right, top, bottom, fill: shape.fill }];
  });

test('a waterfall has each bar start where the one before ended, on a scale that shows the steps', () => {
  const drawing = draw({
    drawn: 'waterfall',
    categories: ['now', 'first', 'second'],
    series: [{ name: 'Score', colour: 'first', values: [97, 98, 97.5] }],
    unit: '%',
    most: 100,
  });
  const [now, first, second] = spansOf(drawing);
  expect(first?.left).toBeCloseTo(now?.right ?? 0, 1);
  expect(second?.right).toBeCloseTo(first?.right ?? 0, 1);
  expect([now?.fill, first?.fill, second?.fill]).toEqual(['first', 'pass', 'fail']);
  // One point of a hundred is a good part of the width.
  expect((first?.right ?? 0) - (first?.left ?? 0)).toBeGreaterThan(100);
});

test('the axis of a line that stays the same begins at 0', () => {
  const values = [7, 7];
  const categories = ['2026-10-01T00:00:00.000Z', '2026-10-02T00:00:00.000Z'];
  const texts = textsOf(draw({ form: 'lines', categories, series: [{ name: 'Open', colour: 'first', values }] })); // prettier-ignore
  expect(texts).toContain('0');
  expect(texts).toContain('7');
});

test('columns stand on the axis, side by side, as high as their values', () => {
  const drawing = draw({
    form: 'lines',
    drawn: 'columns',
    categories: ['2026-10-01T00:00:00.000Z', '2026-10-02T00:00:00.000Z'],
    series: [
      { name: 'Opened', colour: 'fail', values: [10, 5] },
      { name: 'Resolved', colour: 'pass', values: [0, 10] },
    ],
  });
  const columns = spansOf(drawing);
  const height = (n: number): number => (columns[n]?.bottom ?? 0) - (columns[n]?.top ?? 0);
  expect(height(0)).toBeCloseTo(2 * height(1), 1);
  // Those of the second series are outlines, whose line is a point wide.
  expect(columns.map(({ fill }) => fill)).toEqual(['fail', 'fail', 'background']);
  expect(height(0)).toBeCloseTo(height(2) + 1, 1);
  expect(columns[2]?.left).toBeGreaterThanOrEqual(columns[1]?.right ?? Infinity);
});

describe('any chart', () => {
  const colours: SeriesColour[] = ['critical', 'high', 'pass', 'fail', 'first', 'second'];
  const value = fc.option(
    fc.oneof(fc.nat(100), fc.double(), fc.constantFrom(0, -3, 1e15, Number.MAX_VALUE, 5e-324, NaN, -Infinity)), // prettier-ignore
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.constant('契约'.repeat(90)),
  );
  const time = fc
    .date({ min: new Date(0), max: new Date('2099-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString());
  const charts = fc
    .record({
      form: fc.constantFrom('bars', 'lines', 'ring'),
      drawn: fc.constantFrom(undefined, 'columns', 'waterfall'),
      categories: fc.oneof(fc.array(text, { maxLength: 60 }), fc.array(time, { maxLength: 60 })),
      names: fc.array(text, { maxLength: 6 }),
      unit: fc.option(fc.oneof(fc.constant('%'), text), { nil: undefined }),
      most: fc.option(fc.constantFrom(100, 0, -1, NaN), { nil: undefined }),
      values: fc.array(value, { minLength: 1, maxLength: 90 }),
    })
    .map(({ names, unit, most, values, drawn, ...rest }): Chart => {
      const series = names.map((name, at) => ({
        name,
        colour: colours[at % colours.length] ?? 'first',
        values: rest.categories.map((_, which) => values[(at * 7 + which) % values.length] ?? null),
      }));
      return chart({ ...rest, series, ...(drawn && { drawn }), ...(unit !== undefined && { unit }), ...(most !== undefined && { most }) }); // prettier-ignore
    });

  test('stays within its bounds, has numbers only, and is the same each time', () => {
    fc.assert(
      fc.property(charts, fc.integer({ min: 0, max: 900 }), (one, width) => {
        const drawing = drawChart(one, { width, measure });
        expect(drawChart(one, { width, measure })).toEqual(drawing);
        expect(drawing.width).toBe(Math.max(160, width));
        for (const shape of drawing.shapes) {
          const { left, right, top, bottom } = boundsOf(shape);
          const within =
            left >= -0.05 &&
            top >= -0.05 &&
            right <= drawing.width + 0.05 &&
            bottom <= drawing.height + 0.05;
          if (!within) throw new Error(JSON.stringify({ shape, left, right, top, bottom, height: drawing.height })); // prettier-ignore
        }
      }),
      { numRuns: 150 },
    );
  });

  test.each(['bars', 'lines', 'ring'] as const)('says that it has no data (%s)', (form) => {
    const nothing = [{ name: 'Critical', colour: 'critical', values: [null, null] }] as const;
    for (const fields of [{ categories: [] }, { series: [] }, { series: nothing }]) {
      expect(textsOf(draw({ form, ...fields }))).toEqual(['There is no data for this chart.']);
    }
  });
});

describe('bars', () => {
  test('have their values beside them, in the order of the series that their heads name', () => {
    expect(textsOf(draw({ series: severities }))).toEqual(
      ['Critical', 'High', 'Low', '0', '100', '200', '300', '400', '500', '600', 'production', '1', '30', '0', 'staging', '2', '–', '500'], // prettier-ignore
    );
  });

  test('have labels and values above them where it is narrow', () => {
    const texts = textsOf(draw({ series: severities }, 330));
    expect(texts.slice(0, 3)).toEqual(['Critical', 'High', 'Low']);
    expect(texts.slice(-4)).toEqual(['production', '1 · 30 · 0', 'staging', '2 · – · 500']);
  });

  test('say what each part stands for', () => {
    expect(labelsOf(draw({ series: severities, unit: 'violations' }))).toEqual([
      'production, Critical: 1 violations',
      'production, High: 30 violations',
      'staging, Critical: 2 violations',
      'staging, Low: 500 violations',
    ]);
  });

  test('sum up what is beyond the twentieth row', () => {
    const values = names(50).map((_, at) => at);
    const drawing = draw({ categories: names(50), series: [{ name: 'All', colour: 'first', values }] }); // prettier-ignore
    expect(textsOf(drawing).slice(-4)).toEqual(['account-19', '18', 'others (31)', '1,054']);
  });

  test('show a mean of other percentages, which have no sum', () => {
    const values = names(21).map((_, at) => (at < 19 ? 100 : at));
    const drawing = draw({ unit: '%', categories: names(21), series: [{ name: 'Score', colour: 'pass', values }] }); // prettier-ignore
    expect(textsOf(drawing).slice(-2)).toEqual(['others (2), mean', '19.5%']);
  });

  test('cut a label that is too long in its middle, and none that fits', () => {
    const categories = ['契约'.repeat(40), 'a'.repeat(400), 'short'];
    const texts = textsOf(draw({ categories })).filter((text) => /契|aa|short/.test(text));
    expect(texts).toHaveLength(3);
    expect(texts[0]).toMatch(/^[契约]+…[契约]+$/);
    expect(texts[1]).toMatch(/^a+…a+$/);
    expect(texts[2]).toBe('short');
  });

  test('end where the whole is known to end', () => {
    const drawing = draw({ unit: '%', most: 100, series: [{ name: 'Score', colour: 'pass', values: [40, 61.5] }] }); // prettier-ignore
    expect(textsOf(drawing)).toEqual(expect.arrayContaining(['0%', '100%', '40%', '61.5%']));
    expect(textsOf(drawing)).not.toContain('120%');
  });

  test('write huge numbers short', () => {
    const series = [{ name: 'All', colour: 'first', values: [12_345_678, 9e299] }] as const;
    expect(textsOf(draw({ series }))).toEqual(expect.arrayContaining(['12.3M', '9.0e+299']));
  });
});

describe('lines', () => {
  const categories = ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04'];
  const lines = (values: readonly (number | null)[], more: Partial<Chart> = {}) =>
    draw({ form: 'lines', categories, series: [{ name: 'Score', colour: 'first', values }], ...more }); // prettier-ignore
  const strokes = (drawing: ReturnType<typeof draw>) =>
    drawing.shapes.flatMap((shape) =>
      shape.kind === 'path' && shape.stroke && shape.stroke !== 'grid' ? [shape] : [],
    );

  test('break where there is no value, and mark every point', () => {
    const drawing = lines([1, 2, null, 4]);
    expect(strokes(drawing).map(({ d }) => d.match(/M/g)?.length)).toEqual([2]);
    expect(labelsOf(drawing)).toEqual(['2026-01-01: 1', '2026-01-02: 2', '2026-01-04: 4']);
  });

  test('stand at their times, whatever the order they came in', () => {
    const there = lines([1, 2, 3, 4]);
    const back = lines([4, 3, 2, 1], { categories: categories.toReversed() });
    expect(back).toEqual(there);
  });

  test('are told apart by dashes and marks', () => {
    const three = severities.map((one) => ({ ...one, values: [1, 2, 3, 4] }));
    const dashes = strokes(lines([], { series: three })).map(({ dash }) => dash?.join(' '));
    // In the legend and in the chart.
    expect(new Set(dashes)).toEqual(new Set([undefined, '5 3', '1.5 2']));
    expect(dashes).toHaveLength(6);
  });

  test('have one point in the middle, with its day', () => {
    const drawing = lines([87.5], { categories: ['2026-03-01T12:00:00Z'], unit: '%' });
    expect(textsOf(drawing)).toEqual(expect.arrayContaining(['2026-03-01', '87.5%']));
  });

  test('thin the names of their times until none touch', () => {
    const days = Array.from({ length: 365 }, (_, at) => new Date(at * 86_400_000).toISOString());
    const texts = textsOf(lines(days.map((_, at) => at), { categories: days })); // prettier-ignore
    const dates = texts.filter((text) => /^1970-/.test(text));
    expect(dates.length).toBeGreaterThan(3);
    expect(dates.length).toBeLessThan(12);
  });
});

describe('a chart of nothing but zeros', () => {
  test.each(['bars', 'lines', 'ring'] as const)('says so instead of drawing %s', (form) => {
    const series = [{ name: 'All', colour: 'first', values: [0, 0] } as const];
    expect(textsOf(draw({ form, series }))).toEqual(['All values are 0.']);
  });

  test('is drawn where they are scores', () => {
    const series = [{ name: 'Score', colour: 'first', values: [0, 0] } as const];
    expect(textsOf(draw({ form: 'bars', series, unit: '%' }))).toContain('staging');
  });
});

describe('a ring', () => {
  test('has its shares around it, clockwise, and in the legend in the same order', () => {
    const drawing = draw({
      form: 'ring',
      categories: ['PASS', 'FAIL', 'EXEMPT'],
      colours: ['pass', 'fail', 'exempt'],
      series: [{ name: 'Evaluations', colour: 'first', values: [70, 29.9, 0.1] }],
      unit: 'evaluations',
    });
    expect(textsOf(drawing)).toEqual(
      ['70%', '30%', '<1%', '100', 'evaluations', 'PASS', '70', '70%', 'FAIL', '29.9', '30%', 'EXEMPT', '0.1', '<1%'], // prettier-ignore
    );
    expect(drawing.shapes.flatMap((shape) => (shape.kind === 'path' && shape.label ? [shape.fill] : []))).toEqual(['pass', 'fail', 'exempt']); // prettier-ignore
  });

  test('leaves out the label of the smaller one of two shares whose labels do not fit', () => {
    const categories = ['PASS', 'FAIL', 'EXEMPT', 'ERROR'];
    const series = [
      { name: 'Evaluations', colour: 'first' as const, values: [78, 20.5, 0.2, 1.3] },
    ];
    const [, , third] = textsOf(draw({ form: 'ring', categories, series, unit: 'evaluations' }));
    expect(third).toBe('1%');
  });

  test('sums up what is beyond the eighth share', () => {
    const values = names(12).map(() => 1);
    const texts = textsOf(draw({ form: 'ring', categories: names(12), series: [{ name: 'All', colour: 'first', values }] })); // prettier-ignore
    expect(texts.slice(-3)).toEqual(['others (5)', '5', '42%']);
  });
});
