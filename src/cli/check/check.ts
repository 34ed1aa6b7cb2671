import path from 'node:path';
import { defined } from '../../contract/defined.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import { matchesType } from '../../contract/resources.ts';
import { createChecker } from '../../project/check/checker.ts';
import type { CheckerOptions } from '../../project/check/checker.ts';
import { searchHint } from '../../project/check/discover-inputs.ts';
import {
  exemptionsFor,
  findStrayExemptions,
  judgeExemptions,
  namesOf,
} from '../../project/check/exemptions.ts';
import { judgeSkips, strayAt } from '../../project/check/inline-skips.ts';
import { listOf } from '../flags/parse-words.ts';
import { narrowToSet, selectPolicies } from '../../project/check/select-policies.ts';
import { loadConfig } from '../../project/config.ts';
import type { PoliciesOfSet } from '../../project/check/select-policies.ts';
import type { Holding, LocalPolicy, Problem } from '../../project/model.ts';
import { createBoundary } from '../../project/read/boundary.ts';
import { discoverFiles } from '../../project/read/discover.ts';
import { startsOf } from '../../project/read/load.ts';
import type { Context, Run } from '../context.ts';
import { readingOf } from '../project/reading.ts';
import { showProject } from '../project/validate.ts';
import { writeGithubOutput } from '../formats/github.ts';
import { isForPeople } from '../terminal/output.ts';
import { count, inThrees } from '../terminal/printable.ts';
import { describeError } from '../terminal/report-error.ts';
import { openRows } from '../terminal/row-writer.ts';
import { watch } from '../objects/watch.ts';
import { checkInputs } from './check-inputs.ts';
import { closeBaseline, openBaseline } from './baseline-file.ts';
import type { CheckResult } from './check-result.ts';
import { createRun, noticeAt } from './check-run.ts';
import type { CheckRun } from './check-run.ts';
import { checkView } from './check-view.ts';
import { createCollector } from './collect.ts';
import type { PlacedFinding } from './placed-finding.ts';
import { findFixes } from './fix.ts';
import { createExplainer } from './explain.ts';
import type { Explainer } from './explain.ts';
import { createThreads } from './line-checker.ts';
import type { Threads } from './line-checker.ts';
import { pairsOf, parseNow, readParameters, settleOptions } from './options.ts';
import type { CheckOptions } from './options.ts';
import type { CheckGround } from './prepare.ts';
import { findInputs, readGround } from './prepare.ts';
import { createSourcePlaces } from './source-places.ts';
import { countFailing, newCounts, summarise } from './verdict.ts';

/** Evaluates policies over files. 3 when an input or a policy can't be read, else 2 when something fails, else 0. */
export const runCheck: Run<CheckOptions> = async (context, given) => {
  const options = settleOptions(given);
  const once = (): Promise<ExitCode> => checkOnce(context, options);
  if (!options.watch) return once();
  return watch(context, () => watchedFiles(readingOf(context), options), once);
};

async function watchedFiles(
  reading: ReturnType<typeof readingOf>,
  { args: [inputs], policies = [], baseline }: CheckOptions,
): Promise<string[]> {
  const { cwd, allowOutside, signal } = reading;
  const { config, root } = loadConfig(cwd, allowOutside);
  const typed = policies.map((each) => path.resolve(cwd, each));
  const boundary = createBoundary(root, typed, allowOutside);
  const starts = startsOf({ cwd, paths: policies }, config, root);
  const found = await discoverFiles(cwd, root, starts, boundary, signal);
  const others = baseline === undefined ? [] : [path.resolve(cwd, baseline)];
  return [...found.files, ...(await findInputs(reading, inputs)).files]
    .map(({ absolute }) => absolute)
    .concat(others);
}

async function checkOnce(context: Context, options: CheckOptions): Promise<ExitCode> {
  const { signal } = context.world;
  // A file of rows is written all the while, and removed by who hears of the signal.
  const writes = context.flags.output.some((to) => to.format === 'ndjson' && to.file !== undefined);
  const holding: Holding = writes ? (work) => work() : context.world.holding;
  const threads = createThreads({ signal, holding }, options.jobs);
  try {
    return await checkWith(threads, { ...context, world: { ...context.world, holding } }, options);
  } finally {
    await threads.close();
  }
}

async function checkWith(
  threads: Threads,
  context: Context,
  options: CheckOptions,
): Promise<ExitCode> {
  const { world, flags } = context;
  const now = options.now === undefined ? world.now() : parseNow(options.now);
  const ground = await readGround(readingOf(context), now, options, threads);
  if (ground.project.problems.some(({ level }) => level === 'error')) {
    await showProject(context, ground.project);
    return exitCodes.usage;
  }
  const chosen = choosePolicies(ground, options);
  const { files, unreadable, unread } = ground.inputs;
  if (files.length + unreadable.length + unread.length === 0) {
    throw new GovctlError('usage_error', `Nothing to check in ${options.args[0].join(', ')}`, {
      hint: searchHint,
    });
  }
  const rows = await openRows(flags.output, world.terminal);
  try {
    const run = (out: Rows) => runOver(threads, context, options, ground, chosen, now, out);
    const result = options.fix
      ? await withFixes(context, options, ground, now, run, rows)
      : await run(rows);
    await rows?.finish();
    await context.show(checkView(context, result, rows !== undefined));
    return await finish(context, options, result);
  } finally {
    await rows?.close();
  }
}

/** A check with its fixes; where they are written, of what is then left. */
async function withFixes(
  context: Context,
  options: CheckOptions,
  { project, inputs }: CheckGround,
  now: number,
  run: (rows: Rows) => Promise<CheckResult>,
  rows: Rows,
): Promise<CheckResult> {
  const first = await run(options.write ? undefined : rows);
  const { world, flags } = context;
  const { format, allConditions, write = false } = options;
  const fixes = await context.progress('Looking for fixes', () =>
    findFixes({
      ...first,
      cwd: world.cwd,
      files: inputs.files,
      source: options.source,
      parameters: pairsOf('--fix-parameter', options.fixParameter ?? []),
      allowOutside: flags.allowOutside,
      others: project.others,
      now,
      read: async () => ({
        format,
        allConditions,
        parameters: await readParameters(world, options),
      }),
      write,
      // What is written is no longer to be fixed.
      eachAlone: !write && flags.output.some((to) => to.format === 'sarif'),
      signal: world.signal,
      holding: world.holding,
    }),
  );
  return { ...(write ? await run(rows) : first), fixes };
}

function choosePolicies({ project }: CheckGround, options: CheckOptions): PoliciesOfSet {
  if (project.policies.length === 0) {
    const where = options.policies ?? project.config.paths;
    throw new GovctlError('usage_error', `No policies found in ${where.join(', ')}`, {
      hint: 'Pass --policies PATH, or run `govctl init --set baseline` to copy the policy library.',
    });
  }
  const { policy: named = [], set = project.config.set } = options;
  const selected = selectPolicies(project.policies, {
    policies: named,
    types: options.type ?? [],
    tags: listOf(options.tag ?? []),
    frameworks: listOf(options.framework ?? []),
  });
  // Whoever names a policy wants it, whatever its set.
  if (named.length > 0) return { policies: selected, set: { name: set, policies_left_out: 0 } };
  return narrowToSet(selected, set);
}

type Rows = Awaited<ReturnType<typeof openRows>>;

async function runOver(
  threads: Threads,
  context: Context,
  options: CheckOptions,
  { project, inputs }: CheckGround,
  { policies, set }: PoliciesOfSet,
  now: number,
  rows: Rows,
): Promise<CheckResult> {
  const exemptions = exemptionsFor(policies, project.others);
  const explainer =
    options.explain === undefined ? undefined : createExplainer(options.explain, policies, now);
  const checkerOptions: CheckerOptions = {
    policies: policies.map(({ policy, key }) => ({ policy, key })),
    exemptions: exemptions.map(({ exemption }) => exemption),
    now,
    all: options.all === true || typeof options.explain === 'string',
    ...defined({ types: options.type }),
  };
  const checker = createChecker(checkerOptions);
  const baseline = await openBaseline(context, options);
  const collector = createCollector({
    baseline: baseline.met,
    baselineRoot: baseline.root,
    recording: options.writeBaseline !== undefined,
    row: rows && ((finding) => rows.write(finding)),
  });
  const run = await context.progress('Checking resources', (update) =>
    walkInputs(
      threads,
      context,
      options,
      inputs,
      createRun({
        checker,
        collector,
        signal: context.world.signal,
        holding: context.world.holding,
        exemptions: exemptions.length,
        unreadable: inputs.unreadable,
        onProgress: progressOf(update, rows, context.world.terminal.stderrIsTty),
      }),
      checkerOptions,
      explainer,
    ),
  );
  // Where there is nothing else, passing would say that all is well.
  const isNothing =
    run.tally.resources + run.leftOut.items.length === 0 && options.type === undefined;
  for (const one of inputs.unread) {
    if (isNothing) run.unreadable.add(one);
    else run.notices.add(noticeAt(one, one.file));
  }
  explainer?.requireMet(run.leftOut.items);
  for (const problem of judgeSkips(run.tally.skips, policies, project.policies, now)) {
    run.notices.add(problem);
  }
  const counts = newCounts(policies, run.tally, collector.accepted);
  // With --type, a policy over more types has not seen all of its resources.
  const whole = policies.filter(({ policy }) =>
    (options.type ?? [policy.resource_type]).some((type) =>
      matchesType(type, policy.resource_type),
    ),
  );
  const used = await closeBaseline(
    baseline,
    collector,
    inputs.files,
    whole,
    project.policies,
    options,
  );
  const summary = summarise(policies, run.tally, counts, used !== undefined);
  return {
    summary,
    tally: run.tally,
    counts,
    policies,
    set,
    findings: collector.findings,
    hidden: countHidden(summary, run, checkerOptions.all, collector.findings),
    unreadable: run.unreadable,
    duplicates: run.duplicates,
    leftOut: run.leftOut,
    skipped: run.skipped,
    warningsHidden: run.notices.hidden,
    warnings: [
      ...run.notices.items,
      ...slipsOf(policies, project.problems),
      ...findStrayExemptions(project.policies, project.others),
      ...judgeExemptions(exemptions, run.tally.exemptions, now, namesOf(whole)),
    ],
    ...(used ? { baseline: used } : {}),
    files: inputs.files.length - run.skipped.length,
    limits: options,
    failing: countFailing(policies, counts, options),
    all: checkerOptions.all,
  };
}

/** What `validate` warns of in a condition or a type that is valid and can hardly be meant. */
const slips: ReadonlySet<string> = new Set(['unknown-type', 'unknown-attribute', 'never-equal']);

/** Those of the policies that were run: what passes by a slip would pass silently. */
function slipsOf(policies: readonly LocalPolicy[], problems: readonly Problem[]): Problem[] {
  const files = new Set(policies.map(({ place }) => place.file));
  return problems.filter(({ code, file }) => slips.has(code) && files.has(file));
}

async function walkInputs(
  threads: Threads,
  { world, flags, talkStyle }: Context,
  options: CheckOptions,
  inputs: CheckGround['inputs'],
  run: CheckRun,
  checkerOptions: CheckerOptions,
  explainer: Explainer | undefined,
): Promise<CheckRun> {
  const { format, source, allConditions, inlineSkips } = options;
  const { cwd, terminal } = world;
  const sources =
    source === undefined
      ? undefined
      : await createSourcePlaces(cwd, source, flags.allowOutside, world.signal);
  if (inlineSkips) for (const place of sources?.straySkips ?? []) run.notices.add(strayAt(place));
  await checkInputs(
    inputs.files,
    {
      format,
      allConditions,
      parameters: await readParameters(world, options),
      sources,
      inlineSkips,
      wants: explainer?.wants,
      complete: explainer?.complete,
      lineCheckerFor: threads.prepare(checkerOptions, run.checker),
      tellFault: async (error) => {
        if (flags.verbose) await terminal.stderr.write(describeError(error, talkStyle, true).text);
      },
    },
    run,
    terminal,
  );
  return run;
}

function progressOf(update: (text: string) => void, rows: Rows, isSeen: boolean) {
  const started = performance.now();
  return async (resources: number): Promise<void> => {
    if (isSeen) update(describeProgress(resources, performance.now() - started));
    await rows?.flush();
  };
}

const describeProgress = (resources: number, ms: number): string =>
  `Checking: ${inThrees(resources)} resources, ${inThrees(Math.round((resources / ms) * 1000))} per second`;

/** What was counted but not kept. */
function countHidden(
  { fail, error, exempt, pass }: CheckResult['summary'],
  { tally }: CheckRun,
  all: boolean,
  kept: readonly PlacedFinding[],
): number {
  const skipped = tally.policies.reduce((sum, each) => sum + each.skipped, 0);
  return fail + error + exempt + (all ? pass + skipped : 0) - kept.length;
}

async function finish(
  context: Context,
  options: CheckOptions,
  result: CheckResult,
): Promise<ExitCode> {
  const { summary, failing, unreadable, warnings } = result;
  const unused = warnings.filter(({ code }) =>
    ['unused-exemption', 'unknown-policy', 'invalid-skip', 'mandatory-policy'].includes(code),
  ).length;
  const isIncomplete = unreadable.items.length > 0;
  const fails = failing > 0 || (options.failUnusedExemptions === true && unused > 0);
  await writeGithubOutput(context.world.env, {
    passed: !fails && !isIncomplete,
    ...summary,
    failing,
    unreadable: unreadable.items.length + unreadable.hidden,
  });
  await warnAside(context, result);
  if (isIncomplete) return exitCodes.usage;
  return fails && options.writeBaseline === undefined ? exitCodes.verdict : exitCodes.ok;
}

/** What must not be missed where no person reads the output: said on stderr too. */
async function warnAside(
  { flags, warn }: Context,
  { summary, unreadable, duplicates }: CheckResult,
): Promise<void> {
  if (isForPeople(flags.output)) return;
  if (summary.evaluated === 0)
    await warn('Nothing was evaluated: no policy applies to the resources in the input.');
  const [first] = unreadable.items;
  if (first) {
    await warn(
      `${first.file}: ${first.message}${unreadable.items.length > 1 ? `, and ${unreadable.items.length - 1 + unreadable.hidden} more` : ''}`,
    );
  }
  const [twice] = duplicates.items;
  if (twice) {
    const others = duplicates.items.length - 1 + duplicates.hidden;
    const more = others > 0 ? `; and ${count(others, 'more duplicate ID')}` : '';
    await warn(`${twice.file}:${twice.line}: ${twice.message}${more}`);
  }
}
