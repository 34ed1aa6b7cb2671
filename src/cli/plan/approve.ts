import type { Context } from '../context.ts';
import { approvalRequired, notApproved } from '../flags/approval.ts';
import type { PlanView } from './plan-view.ts';

/**
 * Shows what is about to be done and asks. What is shown goes to stdout only where no machine reads that.
 * @throws GovctlError approval_required where nobody can be asked, and when the answer is no
 */
export async function askApproval(
  context: Context,
  view: PlanView,
  question: string,
  autoApprove: boolean,
): Promise<void> {
  if (!(context.flags.quiet && autoApprove)) await showBeforehand(context, view);
  if (autoApprove) return;
  if (!context.flags.input) {
    throw approvalRequired('Nothing was changed.');
  }
  if (!(await context.world.prompt.confirm(question, false))) {
    throw notApproved();
  }
}

async function showBeforehand(context: Context, view: PlanView): Promise<void> {
  const { world, flags, style, talkStyle } = context;
  const onStdout = flags.output.filter(({ file }) => file === undefined);
  const people = onStdout.length === 0 || onStdout.every(({ format }) => format === 'table');
  if (people) await world.terminal.stdout.write(`${view.human(style, world.terminal.columns)}\n`);
  else if (!world.terminal.stderrIsTty) {
    // A build log gets the plan with the result, in the format it asked for.
    if (!flags.quiet) await world.terminal.stderr.write(view.summary(talkStyle));
  } else {
    await world.terminal.stderr.write(`${view.human(talkStyle, world.terminal.columns)}\n`);
  }
}
