import { existsSync } from 'node:fs';
import path from 'node:path';
import { defined } from '../../contract/defined.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import { coverageShare, createCoverage, isCovered } from '../../project/check/coverage.ts';
import { runSuite } from '../../project/check/run-suite.ts';
import { selectPolicies } from '../../project/check/select-policies.ts';
import { inputsOf, listSuites, readTestFiles } from '../../project/check/test-suites.ts';
import type { TestSuite } from '../../project/check/test-suites.ts';
import type { LocalPolicy } from '../../project/model.ts';
import { assembleProject } from '../../project/read/load.ts';
import type { Context, Run } from '../context.ts';
import { showProject } from '../project/validate.ts';
import { writeGithubOutput } from '../formats/github.ts';
import { takingTurns } from '../../project/read/turns.ts';
import { readingOf } from '../project/reading.ts';
import { watch } from '../objects/watch.ts';
import type { TestReport } from './test-report.ts';
import type { TestedCase } from './test-text.ts';
import { summariseTests, testView } from './test-report.ts';

interface TestOptions {
  readonly args: [paths: string[]];
  readonly policy?: readonly string[];
  readonly coverage?: boolean;
  readonly requireTests?: boolean;
  /** True without a number, which means all. */
  readonly requireCoverage?: number | true;
  readonly watch?: boolean;
}

/** Runs the tests of policies: 3 when a file is not valid, 2 when a case fails, else 0. */
export const runTest: Run<TestOptions> = async (context, options) => {
  if (!options.watch) return (await testOnce(context, options)).exitCode;
  let files: readonly string[] = [];
  return watch(
    context,
    () => files,
    async () => {
      const tested = await testOnce(context, options);
      files = tested.files;
      return tested.exitCode;
    },
  );
};

interface Tested {
  readonly exitCode: ExitCode;
  /** What was read, absolute. */
  readonly files: readonly string[];
}

async function testOnce(context: Context, options: TestOptions): Promise<Tested> {
  const { world } = context;
  const paths = withTests(world.cwd, options.args[0]);
  const loading = { ...readingOf(context), paths, now: world.now() };
  const read = await readTestFiles(loading);
  const project = assembleProject(read, loading);
  const suites = listSuites(read);
  const files = [...read.contents.map(({ absolute }) => absolute), ...inputsOf(suites)];
  if (project.problems.some(({ level }) => level === 'error')) {
    await showProject(context, project);
    return { exitCode: exitCodes.usage, files };
  }
  const report = await runTests(context, options, project.policies, suites);
  await context.show(testView(context, report));
  const { summary, untested, uncovered } = report;
  const passed = summary.fail === 0 && untested.length === 0 && uncovered.length === 0;
  await writeGithubOutput(world.env, { passed, ...summary });
  return { exitCode: passed ? exitCodes.ok : exitCodes.verdict, files };
}

/** A policy file that is named means its tests, which stand beside it: `sg.yaml` and `sg.test.yaml`. */
function withTests(cwd: string, paths: readonly string[]): string[] {
  const tests = paths.flatMap((given) => {
    const [, base, extension] = /^(.*(?<!\.test))(\.ya?ml)$/i.exec(given) ?? [];
    return base === undefined ? [] : [`${base}.test${extension ?? ''}`];
  });
  return [...new Set([...paths, ...tests.filter((file) => existsSync(path.resolve(cwd, file)))])];
}

async function runTests(
  { world }: Context,
  { policy: names = [], requireCoverage, ...options }: TestOptions,
  all: readonly LocalPolicy[],
  suites: readonly TestSuite[],
): Promise<TestReport> {
  const policies = selectPolicies(all, { policies: names });
  // A test finds nothing of a policy that is off.
  const enabled = policies.filter(({ policy }) => policy.enabled);
  const keys = new Set(policies.map(({ key }) => key));
  const wanted = suites.filter((suite) => suite.policies.some(({ key }) => keys.has(key)));
  const isUntested = ({ key }: LocalPolicy): boolean =>
    !wanted.some((suite) => suite.policies.some((each) => each.key === key));
  const untested = options.requireTests ? enabled.filter(isUntested) : [];
  if (wanted.length === 0 && untested.length === 0) throw noTests(options.args[0], names);
  const counts = createCoverage();
  const isCounted = options.coverage === true || requireCoverage !== undefined;
  const turn = takingTurns(1, world.signal);
  const observe = isCounted ? counts.observe : () => {};
  const cases: TestedCase[] = [];
  for (const suite of wanted) {
    const policy_file = suite.policies[0]?.place.file ?? suite.test.policy;
    const results = runSuite(suite, world.now(), observe);
    for (;;) {
      await turn();
      const { value: result } = world.holding(() => results.next());
      if (!result) break;
      cases.push({ ...result, policy_file });
    }
  }
  const coverage = isCounted ? counts.of(enabled) : undefined;
  const wantedShare = requireCoverage === true ? 100 : (requireCoverage ?? 0);
  const isTooLittle = coverage !== undefined && coverageShare(coverage) < wantedShare;
  return {
    summary: summariseTests(wanted.length, cases, coverage),
    cases,
    untested,
    uncovered: isTooLittle ? coverage.filter(({ rules }) => !rules.every(isCovered)) : [],
    ...defined({ coverage }),
  };
}

const noTests = (paths: readonly string[], names: readonly string[]): GovctlError =>
  new GovctlError(
    'usage_error',
    names.length > 0
      ? `No tests found for ${names.join(', ')}`
      : `No tests found${paths.length > 0 ? ` in ${paths.join(', ')}` : ''}`,
    { hint: 'A test is a PolicyTest document in a file named *.test.yaml.' },
  );
