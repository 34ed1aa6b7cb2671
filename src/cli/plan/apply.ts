import { stat } from 'node:fs/promises';
import path from 'node:path';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { readPlanSecrets } from '../../project/apply/plan-secrets.ts';
import { refuseBlocked } from '../../project/compare/blocked.ts';
import { refuseGuards } from '../../project/plan/guards.ts';
import { readPlanFile, refuseOtherService, refuseUnfit } from '../../project/plan/plan-file.ts';
import { readGitState, sourceOf } from '../../project/plan/origin.ts';
import type { Plan } from '../../project/plan/plan.ts';
import type { SelectionOptions } from '../../project/plan/prepare.ts';
import { preparePlan } from '../../project/plan/prepare.ts';
import { connect } from '../objects/connect.ts';
import type { Context, Run } from '../context.ts';
import { projectConfig, repoUrlOf } from '../objects/project-base-url.ts';
import { count } from '../terminal/printable.ts';
import type { ApprovalOptions } from '../flags/approval.ts';
import { isApproved } from '../flags/approval.ts';
import { askApproval } from './approve.ts';
import { withOutside } from './outside.ts';
import { hasChanges, planView, writePlanOutput } from './plan-view.ts';
import { parseConcurrency, runApplyPlan } from './run-apply.ts';

interface ApplyOptions extends SelectionOptions, ApprovalOptions {
  readonly args: [paths: string[]];
  readonly concurrency?: string;
  readonly brief?: boolean;
}

/** Applies a saved plan, or plans the files and applies that. */
export const runApply: Run<ApplyOptions> = async (context, options) => {
  const [paths] = options.args;
  const planFile = await findPlanFile(context, paths);
  return planFile === undefined
    ? applyFiles(context, paths, options)
    : applySaved(context, planFile, options);
};

async function applyFiles(
  context: Context,
  paths: readonly string[],
  options: ApplyOptions,
): Promise<ExitCode> {
  const prepared = await withOutside(context, (outside) => preparePlan(outside, paths, options));
  const { plan, blocked, refusals, notes, client, project, secrets } = prepared;
  const concurrency = parseConcurrency(options.concurrency, project.config.concurrency);
  const view = planView(context, plan, { blocked, notes, brief: options.brief });
  if (blocked.length + refusals.length > 0) await context.show(view);
  refuseBlocked(blocked, !context.flags.quiet);
  refuseGuards(refusals);
  if (!hasChanges(plan.summary)) return nothingToDo(context, plan, notes);
  await askApproval(context, view, questionFor(plan), isApproved(options));
  const source = sourceOf(await readGitState(context.world));
  return runApplyPlan(context, client, plan, { concurrency, secrets, source });
}

async function applySaved(
  context: Context,
  file: string,
  options: ApplyOptions,
): Promise<ExitCode> {
  refuseSelection(options);
  const plan = await readPlanFile(path.resolve(context.world.cwd, file));
  const config = await projectConfig(context);
  const concurrency = parseConcurrency(options.concurrency, config.concurrency);
  refuseUnfit(plan, file, options.project ?? config.project, context.world.now());
  if (!hasChanges(plan.summary)) return nothingToDo(context, plan, []);
  const { client, baseUrl } = await connect(
    context,
    repoUrlOf(config) ?? { url: plan.base_url, file },
  );
  refuseOtherService(plan, file, baseUrl);
  const secrets = await readPlanSecrets(plan, context.world.env);
  const view = planView(context, plan, { brief: options.brief });
  await askApproval(context, view, questionFor(plan), isApproved(options));
  return runApplyPlan(context, client, plan, { concurrency, secrets, source: sourceOf(plan.git) });
}

/** A plan is what it was saved as: nothing is selected from it any more. */
function refuseSelection(options: ApplyOptions): void {
  const given = [
    options.prune ? '--prune' : undefined,
    options.target?.length ? '--target' : undefined,
    options.exclude?.length ? '--exclude' : undefined,
    options.allowEmpty ? '--allow-empty' : undefined,
    options.maxDelete === undefined ? undefined : '--max-delete',
  ].filter((flag) => flag !== undefined);
  if (given.length === 0) return;
  throw new GovctlError('usage_error', `${given.join(', ')} cannot be used with a saved plan`, {
    hint: 'Pass these options to `govctl plan --out FILE` instead.',
  });
}

/** A single file that is not YAML is a saved plan. */
async function findPlanFile(
  { world }: Context,
  paths: readonly string[],
): Promise<string | undefined> {
  const isFile = async (given: string): Promise<boolean> =>
    !/\.ya?ml$/i.test(given) &&
    (await stat(path.resolve(world.cwd, given)).then(
      (found) => !found.isDirectory(),
      () => /\.json$/i.test(given), // not there: the reader says so
    ));
  const planFiles: string[] = [];
  for (const given of paths) if (await isFile(given)) planFiles.push(given);
  if (planFiles.length > 0 && paths.length > 1) {
    throw new GovctlError(
      'usage_error',
      `${planFiles[0]} is not a YAML file, and a saved plan must be the only argument`,
      {
        hint: 'Pass one plan file, or only YAML files and directories.',
      },
    );
  }
  return planFiles[0];
}

function questionFor({ summary, base_url }: Plan): string {
  const parts = [
    [summary.create, 'create'],
    [summary.update, 'update'],
    [summary.delete, 'delete'],
  ] as const;
  const what = parts.flatMap(([amount, verb]) => (amount > 0 ? [`${verb} ${amount}`] : []));
  const all = summary.create + summary.update + summary.delete;
  return `Apply ${count(all, 'change')} (${what.join(', ')}) to ${base_url}?`;
}

async function nothingToDo(
  context: Context,
  plan: Plan,
  notes: readonly string[],
): Promise<ExitCode> {
  const summary = { applied: 0, failed: 0, skipped: 0, not_attempted: 0 };
  const view = planView(context, plan, { notes });
  await context.show({
    ...view,
    value: { summary, results: [], network_ms: 0, digest: plan.digest },
    rows: () => [],
    human: (style, columns) => `${view.human(style, columns)}Nothing to do.\n`,
  });
  await writePlanOutput(context, plan);
  return exitCodes.ok;
}
