import path from 'node:path';
import { exitCodes } from '../../contract/errors.ts';
import { utcMinute } from '../../contract/utc-time.ts';
import { readPlanFile } from '../../project/plan/plan-file.ts';
import type { Run } from '../context.ts';
import { planView } from './plan-view.ts';

interface ShowOptions {
  readonly args: [file: string];
  readonly brief?: boolean;
}

/** Shows a saved plan without asking the service, after checking that it is as it was saved. */
export const runShow: Run<ShowOptions> = async (context, { args: [file], brief }) => {
  const plan = await readPlanFile(path.resolve(context.world.cwd, file));
  const made = plan.git
    ? `Created at ${utcMinute(plan.created_at)} from commit ${plan.git.sha.slice(0, 12)}${plan.git.dirty ? ' with uncommitted changes' : ''}.`
    : `Created at ${utcMinute(plan.created_at)}.`;
  const late = Date.parse(plan.expires_at) <= context.world.now();
  await context.show(
    planView(context, plan, {
      brief,
      notes: [
        `${made} ${late ? `Expired at ${utcMinute(plan.expires_at)}; run \`govctl plan\` again.` : `Valid until ${utcMinute(plan.expires_at)}.`}`,
      ],
    }),
  );
  return exitCodes.ok;
};
