import type { ExitCode } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import type { ApprovalOptions } from '../flags/approval.ts';
import { confirmChange, isApproved } from '../flags/approval.ts';
import { withOurServer } from '../objects/our-server.ts';
import { parseTimeout } from '../objects/wait.ts';
import { carryOut } from './apply.ts';
import type { Waiting } from './apply.ts';
import { readWithActions } from './plan.ts';
import { remediationView } from './remediation-view.ts';

export interface ApproveOptions extends ApprovalOptions, Waiting {
  readonly args: readonly [id: string];
  readonly digest?: string;
}

/** Approves a plan with the digest of what is shown, or with the one that was seen before. */
export async function runApprove(context: Context, options: ApproveOptions): Promise<ExitCode> {
  const timeoutMs = parseTimeout(options.timeout);
  const [id] = options.args;
  const shown = await withOurServer(context, 'remediations', 'Loading remediation', (client) =>
    readWithActions(client, id),
  );
  if (!isApproved(options)) {
    const { stderr, columns } = context.world.terminal;
    await stderr.write(`${remediationView(shown).human(context.talkStyle, columns)}\n`);
  }
  const change = { what: `remediation ${id}`, verb: 'approve', past: 'approved' };
  await confirmChange(context, change, `Approve ${id}?`, options);
  const digest = options.digest ?? shown.digest;
  return carryOut(context, options.wait ? timeoutMs : undefined, (client) =>
    client.remediations.approve({ params: { id }, body: { digest } }),
  );
}
