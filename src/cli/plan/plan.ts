import { exitCodes } from '../../contract/errors.ts';
import { refuseBlocked } from '../../project/compare/blocked.ts';
import { refuseGuards } from '../../project/plan/guards.ts';
import type { SelectionOptions } from '../../project/plan/prepare.ts';
import { preparePlan } from '../../project/plan/prepare.ts';
import { withOrigin } from '../../project/plan/origin.ts';
import { writePlanFile } from '../../project/plan/plan-file.ts';
import type { Run } from '../context.ts';
import { placeToWrite, writesFrom } from '../flags/place-to-write.ts';
import { planView, hasChanges, writePlanOutput } from './plan-view.ts';
import type { ImpactOptions } from './impact.ts';
import { warnOfInput } from './impact-text.ts';
import { withOutside } from './outside.ts';

interface PlanOptions extends SelectionOptions, ImpactOptions {
  readonly args: [paths: string[]];
  readonly out?: string;
  readonly detailedExitcode?: boolean;
  readonly brief?: boolean;
}

/**
 * Shows what an apply would do. 2 with --detailed-exitcode and changes, 3 when a part of --impact-from can't be read, 5 and 6
 * when it could not be applied.
 */
export const runPlan: Run<PlanOptions> = async (context, options) => {
  const { out } = options;
  const place = out === undefined ? undefined : placeToWrite(writesFrom(context), out);
  const prepared = await withOutside(context, (outside) =>
    preparePlan(outside, options.args[0], options),
  );
  const { blocked, refusals, notes } = prepared;
  const plan = place === undefined ? prepared.plan : await withOrigin(prepared, context.world);
  const impact =
    options.impact || options.impactFrom !== undefined
      ? await import('./impact.ts').then((m) => m.findImpact(context, prepared, plan, options))
      : undefined;
  await context.show(planView(context, plan, { blocked, notes, impact, brief: options.brief }));
  if (impact) await warnOfInput(context, impact);
  await writePlanOutput(context, plan);
  refuseBlocked(blocked, !context.flags.quiet);
  refuseGuards(refusals);
  if (place !== undefined) {
    await writePlanFile(place, plan);
    if (hasChanges(plan.summary)) {
      await context.say(`Saved to ${out}. To apply the plan, run \`govctl apply ${out}\`.`);
    } else {
      await context.say(`Saved to ${out}; no changes to apply.`);
    }
  }
  if (impact?.unreadable) return exitCodes.usage;
  return options.detailedExitcode && hasChanges(plan.summary) ? exitCodes.verdict : exitCodes.ok;
};
