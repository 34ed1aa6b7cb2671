import path from 'node:path';
import { exitCodes } from '../../contract/errors.ts';
import { writePlanFile } from '../../project/plan/plan-file.ts';
import { readGitState } from '../../project/plan/git.ts';
import type { Plan } from '../../project/plan/plan.ts';
import { planVariables, withOrigin } from '../../project/plan/plan.ts';
import { needsItsFile } from '../../project/plan/change.ts';
import { hashVariable } from '../../project/plan/variables.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { Context, Run } from '../context.ts';
import { planView, hasChanges, writePlanOutput } from './plan-view.ts';
import type { ImpactOptions } from './impact.ts';
import type { Prepared, SelectionOptions } from './prepare.ts';
import { preparePlan, refuseBlocked, refuseGuards } from './prepare.ts';

interface PlanOptions extends SelectionOptions, ImpactOptions {
  readonly args: [paths: string[]];
  readonly out?: string;
  readonly detailedExitcode?: boolean;
}

/** Shows what an apply would do. 2 with --detailed-exitcode and changes, 5 and 6 when it could not be applied. */
export const runPlan: Run<PlanOptions> = async (context, options) => {
  const prepared = await preparePlan(context, options.args[0], options);
  const { blocked, refusals, notes } = prepared;
  const plan = options.out === undefined ? prepared.plan : await forKeeping(context, prepared);
  const impact =
    options.impact || options.impactFrom !== undefined
      ? await import('./impact.ts').then((m) =>
          m.findImpact(context, prepared.client, plan, options),
        )
      : undefined;
  await context.show(planView(context, plan, blocked, notes, impact));
  await writePlanOutput(context, plan);
  refuseBlocked(context, blocked);
  refuseGuards(refusals);
  if (options.out !== undefined) {
    refuseWrittenOut(plan);
    await writePlanFile(path.resolve(context.world.cwd, options.out), plan);
    if (hasChanges(plan.summary)) {
      await context.say(`Saved to ${options.out}; apply it with: govctl apply ${options.out}`);
    } else {
      await context.say(`Saved to ${options.out}; there is nothing in it to apply.`);
    }
  }
  return options.detailedExitcode && hasChanges(plan.summary) ? exitCodes.verdict : exitCodes.ok;
};

/** Only what is kept for later needs to say what it was made of. */
async function forKeeping(context: Context, { plan, variables }: Prepared): Promise<Plan> {
  const names = planVariables(plan);
  const hashes = names.map(
    async (name) => [name, await hashVariable(variables.get(name) ?? '')] as const,
  );
  const git = await readGitState(context.world.cwd);
  return withOrigin(plan, {
    git,
    variables: names.length > 0 ? Object.fromEntries(await Promise.all(hashes)) : undefined,
  });
}

/** @throws GovctlError invalid_file where the plan could not be applied without telling a secret */
function refuseWrittenOut({ changes }: Plan): void {
  const details = changes.filter(needsItsFile).map(({ key, place }) => ({
    field: place ? `${place.file}:${place.line}:${place.column}` : key,
    message: `${key} writes its secret out, and a plan file holds none`,
  }));
  if (details.length === 0) return;
  throw new GovctlError('invalid_file', 'The plan can not be saved', {
    details,
    hint: 'Write secret: ${WEBHOOK_SECRET} and set that variable; or apply the files themselves.',
  });
}
