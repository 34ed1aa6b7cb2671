import { describe, expect, it } from 'vitest';
import { reportTypes } from '../../../src/contract/reports.ts';
import { sheetNames } from '../../../src/report/formats/excel/sheet-names.ts';
import type { Table } from '../../../src/report/model.ts';
import { madeReport } from '../../support/report-facts.ts';
import { compliance } from '../../../src/report/content/compliance.ts';
import { frameworksOf } from '../../../src/report/content/frameworks.ts';
import { createGroups } from '../../../src/report/content/counters.ts';
import { periodsOf } from '../../../src/report/content/periods.ts';
import { adviceOf, planOf } from '../../../src/report/content/remediation-plan.ts';
import { riskPoints } from '../../../src/report/content/risk-points.ts';
import { introduced } from '../../../src/report/content/shared.ts';
import { count, firstOf, lasting, listed, moment } from '../../../src/report/content/wording.ts';
import { factsOf, now, policyFact } from './facts-fixture.ts';

const day = 24 * 3_600_000;

describe('risk points', () => {
  it.each([
    ['CRITICAL', 0, undefined, 10],
    ['CRITICAL', 90 * day, 'production', 40],
    ['HIGH', 90 * day - 1, 'PRD-eu', 21],
    ['MEDIUM', 7 * day, 'staging', 4.69],
    ['LOW', 7 * day - 1, 'preprod', 1.25],
    ['LOW', 30 * day, 'dev', 1.13],
    ['HIGH', 0, 'reproduction', 7],
  ] as const)('of %s after %i ms in %s are %f', (severity, age, environment, points) => {
    expect(riskPoints(severity, age, environment)).toBe(points);
  });
});

describe('a plan', () => {
  it('goes by severity, effort and gain, and ends at what can be reached', () => {
    const facts = factsOf([
      policyFact('many', { severity: 'LOW', fail: 26, pass: 4 }),
      policyFact('some', { severity: 'LOW', fail: 25 }),
      policyFact('few', { severity: 'LOW', fail: 5 }),
      policyFact('itself', { severity: 'LOW', fail: 100, remediation_action: 'patch:{}' }),
      policyFact('severe', { severity: 'HIGH', fail: 3, error: 1 }),
      policyFact('fine', { severity: 'CRITICAL', pass: 9 }),
    ]);
    const plan = planOf(facts);
    expect(plan.map(({ policy, effort }) => [policy.name, effort])).toEqual([
      ['severe', 'small'],
      ['itself', 'automatic'],
      ['few', 'small'],
      ['some', 'medium'],
      ['many', 'large'],
    ]);
    // Weights: 160 LOW, 4 HIGH of 7, 9 CRITICAL of 10; one HIGH stays undecided.
    expect(plan[0]?.gain).toBe(7.55);
    expect(plan.at(-1)?.scoreAfter).toBe(Math.round((271 / 278) * 10_000) / 100);
  });
});

describe('policies with the same fix', () => {
  it('are one action, of the highest severity, which changes each resource once', () => {
    const messages = ['Encrypt the bucket.'];
    const [action, ...others] = planOf(
      factsOf([
        policyFact('soc2 encryption', { severity: 'MEDIUM', fail: 4, messages }),
        policyFact('pci encryption', { severity: 'HIGH', fail: 5, messages }),
      ]),
    );
    expect(others).toEqual([]);
    expect(action).toMatchObject({ step: 1, open: 9, failing: 9, effort: 'small', gain: 100 });
    expect(action?.policies.map(({ name }) => name)).toEqual(['pci encryption', 'soc2 encryption']);
  });

  it('are two actions where they are of different types of resources', () => {
    const messages = ['Encrypt it.'];
    const plan = planOf(
      factsOf([
        policyFact('buckets', { fail: 1, messages }),
        policyFact('disks', { fail: 1, messages, resource_type: 'AWS::EC2::Volume' }),
      ]),
    );
    expect(plan).toHaveLength(2);
  });
});

describe('a risk report', () => {
  it('ranks policies and violations by severity first, then by points', async () => {
    const { sections } = madeReport({ type: 'risk', findings: 30 });
    const severitiesOf = async (id: string): Promise<readonly unknown[]> => {
      const table = sections.flatMap(({ blocks }) => blocks).find((one): one is Table => one.kind === 'table' && one.id === id); // prettier-ignore
      const at = table?.columns.findIndex(({ type }) => type === 'severity') ?? -1;
      const found: unknown[] = [];
      for await (const rows of table?.rows() ?? []) found.push(...rows.map((row) => row[at]));
      return found;
    };
    const fromHighest = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'];
    for (const id of ['top_policies', 'violations']) {
      const found = await severitiesOf(id);
      expect(found.length).toBeGreaterThan(5);
      expect(found).toEqual(
        found.toSorted((a, b) => fromHighest.indexOf(String(a)) - fromHighest.indexOf(String(b))),
      );
    }
  });
});

it.each(reportTypes)(
  'the tables of a report of type %s have titles that fit on a sheet',
  (type) => {
    for (const { title: section, blocks } of madeReport({ type, findings: 30 }).sections) {
      const titles = blocks.flatMap((block) => (block.kind === 'table' ? [block.title] : []));
      const [only] = titles;
      const named = titles.length === 1 && only !== undefined ? [section] : titles;
      expect(sheetNames(named)).toEqual(named);
    }
  },
);

describe('advice', () => {
  it.each([
    ['webhook:https://fixes.example.com/x?key=secret', 'webhook: fixes.example.com'],
    ['webhook:secret', 'webhook: URL not shown'],
    [
      'notify:{"after_days":7,"then":"webhook:https://fixes.example.com/secret"}',
      'notify:{"after_days":7,"then":"webhook: fixes.example.com"}',
    ],
  ])('shows no more of an address than its host: %s', (remediation_action, shown) => {
    const advice = adviceOf({ ...policyFact('one', { remediation_action }), messages: [] });
    expect(advice).toContain(shown);
    expect(advice).not.toContain('secret');
  });
});

describe('a framework', () => {
  const mappings = [{ key: 'SOC2', framework: 'SOC2', controls: ['CC1', 'CC10', 'CC2'] }];

  it('is compliant only where nothing speaks against it, and controls are in the order people count', () => {
    const [good] = frameworksOf(
      factsOf([policyFact('p', { severity: 'HIGH', pass: 5, mappings })]),
    );
    expect(good).toMatchObject({ status: 'COMPLIANT', score: 100, because: [] });
    expect(good?.controls.map(({ control, status }) => [control, status])).toEqual([
      ['CC1', 'PASSED'],
      ['CC2', 'PASSED'],
      ['CC10', 'PASSED'],
    ]);
    for (const odd of [{ error: 1 }, { severity: 'CRITICAL' as const, fail: 1 }]) {
      const fact = policyFact('p', { severity: 'HIGH', pass: 99, mappings, ...odd });
      expect(frameworksOf(factsOf([fact]))[0]?.status).toBe('NON_COMPLIANT');
    }
    const low = policyFact('p', { severity: 'LOW', pass: 99, error: 1, mappings });
    expect(frameworksOf(factsOf([low]))[0]).toMatchObject({
      status: 'COMPLIANT',
      controls: [{ status: 'UNDECIDED' }, {}, {}],
    });
  });

  it('has controls with titles: those of the user, else ours', () => {
    const facts = factsOf([policyFact('p', { mappings })]);
    const titlesOf = (one: typeof facts) =>
      frameworksOf(one)[0]?.controls.map(({ title }) => title);
    expect(titlesOf({ ...facts, titleOf: (_, control) => `Own ${control}` })).toEqual([
      'Own CC1',
      'Own CC2',
      'Own CC10',
    ]);
    expect(titlesOf(facts)).toEqual([undefined, undefined, undefined]);
  });

  it('of the past fails by its violations then, not by what fails now', () => {
    const range = { start: '2026-03-01T00:00:00.000Z', end: '2026-03-02T00:00:00.000Z' };
    const facts = factsOf([policyFact('p', { fail: 1, pass: 99, mappings })], range);
    expect(frameworksOf(facts)[0]?.controls[0]).toMatchObject({ status: 'FAILED', open: 1 });
    const none = { ...facts, violations: { ...facts.violations, policies: new Map() } };
    expect(frameworksOf(none)[0]?.controls[0]).toMatchObject({ status: 'PASSED', open: 0 });
  });
});

describe('periods', () => {
  it('are 31 at most, cover the range without a gap, and count back from what is open', () => {
    const range = { start: '2025-01-01T00:00:00.000Z', end: '2026-03-01T00:00:00.000Z' };
    const facts = factsOf([], range);
    const ticks = new Map([
      [0, { opened: 4, resolved: 0, exempted: 0 }],
      [423, { opened: 1, resolved: 2, exempted: 1 }],
    ]);
    const total = { ...facts.violations.total, open: 2 };
    const periods = periodsOf({ ...facts, violations: { ...facts.violations, ticks, total } });
    expect(periods.length).toBeLessThanOrEqual(31);
    expect(periods[0]).toMatchObject({ start: Date.parse(range.start), opened: 4, open: 4 });
    expect(periods.at(-1)).toMatchObject({ end: Date.parse(range.end), resolved: 2, open: 2 });
    for (const [at, period] of periods.entries()) {
      if (at > 0) expect(period.start).toBe(periods[at - 1]?.end);
    }
  });

  it('begin with the first change where there is no range; without one there are none', () => {
    const facts = factsOf([]);
    expect(periodsOf(facts)).toEqual([]);
    const today = Math.floor(now / day);
    const ticks = new Map([[today - 2, { opened: 1, resolved: 1, exempted: 0 }]]);
    const periods = periodsOf({ ...facts, violations: { ...facts.violations, ticks } });
    expect(periods).toHaveLength(3);
    expect(periods.at(-1)?.end).toBe(now);
  });
});

describe('values that are told apart', () => {
  it('are 500 at most; the others are counted as one', () => {
    const groups = createGroups(() => ({ count: 0 }));
    for (let at = 0; at < 2_000; at += 1) groups.of(`v${at}`).count += 1;
    groups.of(undefined).count += 1;
    expect(groups.entries()).toHaveLength(501);
    expect(groups.entries()).toContainEqual(['all others', { count: 1_501 }]);
    groups.of('__proto__').count += 1;
  });
});

describe('figures', () => {
  it('are written alike in tiles and in what charts say', () => {
    const facts = factsOf([policyFact('p', { error: 1_520 })]);
    const total = {
      ...facts.violations.total,
      open: 1_955,
      bySeverity: { CRITICAL: 0, HIGH: 1_955, MEDIUM: 0, LOW: 0 },
    };
    const many = { ...facts, violations: { ...facts.violations, total } };
    const blocks = introduced(many, compliance.sections(many)).flatMap(({ blocks }) => blocks);
    const [tiles] = blocks.flatMap((one) => (one.kind === 'figures' ? [one.items] : []));
    expect(tiles?.[1]).toMatchObject({ label: 'Open violations', value: '1,955' });
    const charts = blocks.flatMap((one) => (one.kind === 'chart' ? [one.description] : []));
    expect(charts).toEqual([
      'passed 0, failed 0, exempt 0, errors 1,520',
      'CRITICAL 0, HIGH 1,955, MEDIUM 0, LOW 0',
    ]);
  });
});

describe('words', () => {
  it('fit their numbers', () => {
    expect(count(1, 'policy', 'policies')).toBe('1 policy');
    expect(count(1_234_567, 'row')).toBe('1,234,567 rows');
    expect(count(0, 'row')).toBe('0 rows');
    expect(listed(['a', 'b', 'c'])).toBe('a, b and c');
    expect(firstOf(['a', 'b', 'c'], 2)).toBe('a, b and 1 more');
    expect(lasting(36 * 3_600_000)).toBe('1.5 days');
    expect(lasting(1_000)).toBe('1 second');
    expect(moment(Date.UTC(2026, 0, 1, 23, 30), 'Europe/Berlin')).toBe(
      '2026-01-02 00:30 Europe/Berlin',
    );
  });
});
