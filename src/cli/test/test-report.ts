import { coveragePercent } from '../../project/check/coverage.ts';
import type { PolicyCoverage } from '../../project/check/coverage.ts';
import type { CaseFailure } from '../../project/check/run-suite.ts';
import type { LocalPolicy, Problem } from '../../project/model.ts';
import type { Context } from '../context.ts';
import type { View } from '../terminal/output.ts';
import { fromWorkspace, renderGithub } from '../formats/github.ts';
import { renderJunitCases } from '../formats/junit.ts';
import type { JunitCase } from '../formats/junit.ts';
import { renderMarkdown } from '../formats/markdown.ts';
import { count, inThrees } from '../terminal/printable.ts';
import { describeCoverage, gapsOf, renderCoverage } from './coverage-text.ts';
import type { TestedCase } from './test-text.ts';
import { describeFailure, renderCases } from './test-text.ts';

export interface TestReport {
  readonly summary: TestSummary;
  readonly cases: readonly TestedCase[];
  /** Policies without a test, where each must have one. */
  readonly untested: readonly LocalPolicy[];
  /** Policies that cases don't cover, where too few rules are covered. */
  readonly uncovered: readonly PolicyCoverage[];
  readonly coverage?: readonly PolicyCoverage[];
}

interface TestSummary {
  /** Test documents. */
  readonly tests: number;
  readonly cases: number;
  readonly pass: number;
  readonly fail: number;
  /** Of the rules, where it was counted. */
  readonly coverage_percent?: number;
}

export function summariseTests(
  tests: number,
  cases: readonly TestedCase[],
  coverage?: readonly PolicyCoverage[],
): TestSummary {
  const pass = cases.filter(({ status }) => status === 'pass').length;
  return {
    tests,
    cases: cases.length,
    pass,
    fail: cases.length - pass,
    ...(coverage ? { coverage_percent: coveragePercent(coverage) } : {}),
  };
}

/** A run of tests in every format. */
export function testView({ world, flags }: Context, report: TestReport): View {
  const { summary, cases, untested, uncovered, coverage } = report;
  const failed = cases.filter(({ status }) => status === 'fail');
  const problems = [
    ...failed.flatMap(problemsOf),
    ...untested.map(untestedProblem),
    ...uncovered.map(uncoveredProblem),
  ];
  const verdict = [
    describeTests(summary),
    ...(untested.length > 0
      ? [`${count(untested.length, 'policy has', 'policies have')} no test.`]
      : []),
    ...(coverage ? [describeCoverage(coverage)] : []),
  ];
  return {
    value: {
      summary,
      results: cases,
      ...(untested.length > 0 ? { untested: untested.map(untestedValue) } : {}),
      ...(coverage ? { coverage: coverage.map((each) => ({ ...each, gaps: gapsOf(each) })) } : {}),
    },
    rows: () => cases,
    human: (style, columns) => {
      const [first = '', ...rest] = verdict;
      const colour = problems.length > 0 ? style.red : style.green;
      const blocks = [
        ...(flags.quiet ? [] : [renderCases(failed, untested, style, columns)]),
        ...(coverage && !flags.quiet ? [renderCoverage(coverage, style, columns)] : []),
        `${[colour(first), ...rest].join('\n')}\n`,
      ];
      return blocks.filter((block) => block !== '').join('\n');
    },
    more: {
      junit: () =>
        renderJunitCases('govctl test', [
          ...cases.map(caseOf),
          ...untested.map(untestedCase),
          ...uncovered.map(uncoveredCase),
        ]),
      github: () => renderGithub(fromWorkspace(problems, world.cwd, world.env), verdict.join('\n')),
      markdown: () =>
        renderMarkdown('govctl test', verdict.join('\n'), problems, { command: 'govctl test' }),
    },
  };
}

function describeTests({ tests, cases, pass, fail }: TestSummary): string {
  const where = `in ${count(tests, 'test')}`;
  if (fail === 0) return `${count(cases, 'case')} ${where}: all passed.`;
  return `${count(cases, 'case')} ${where}: ${inThrees(fail)} failed, ${inThrees(pass)} passed.`;
}

const problemsOf = ({ name, failures }: TestedCase): Problem[] =>
  failures.map((failure) => ({
    level: 'error',
    code: 'test-failed',
    message: `${name}: ${describeFailure(failure)}`,
    ...placeOf(failure),
  }));

const placeOf = ({ file, line, column }: CaseFailure) => ({ file, line, column });

const caseOf = (one: TestedCase): JunitCase => ({
  name: `${one.test ?? one.file}: ${one.name}`,
  file: one.file,
  problems: problemsOf(one),
});

const untestedProblem = ({ policy, place }: LocalPolicy): Problem => ({
  level: 'error',
  code: 'no-test',
  message: `the policy ${JSON.stringify(policy.name)} has no test`,
  ...place,
});

const untestedCase = (local: LocalPolicy): JunitCase => ({
  name: `${local.policy.name} has a test`,
  file: local.place.file,
  problems: [untestedProblem(local)],
});

const uncoveredProblem = (one: PolicyCoverage): Problem => ({
  level: 'error',
  code: 'not-covered',
  message: `the tests do not cover the policy ${JSON.stringify(one.policy)}: ${gapsOf(one).join('; ')}`,
  file: one.file,
  line: one.line,
  column: 1,
});

const uncoveredCase = (one: PolicyCoverage): JunitCase => ({
  name: `${one.policy} is covered by tests`,
  file: one.file,
  problems: [uncoveredProblem(one)],
});

const untestedValue = ({ policy, key, place }: LocalPolicy) => ({
  policy: policy.name,
  key,
  ...place,
});
