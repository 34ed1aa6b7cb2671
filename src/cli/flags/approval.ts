import { GovctlError } from '../../contract/errors.ts';
import type { Context } from '../context.ts';

/** A no ends every command alike. */
export const notApproved = (): GovctlError =>
  new GovctlError('approval_required', 'Not approved. Nothing was changed.');

/** For changes that are shown before they are approved. @param hint what to run instead */
export const approvalRequired = (hint: string): GovctlError =>
  new GovctlError(
    'approval_required',
    'Approval required: run with --auto-approve, or from a terminal',
    { hint },
  );

/** --auto-approve and --yes are the same, wherever something is asked. */
export interface ApprovalOptions {
  readonly autoApprove?: boolean;
  readonly yes?: boolean;
}

export const isApproved = ({ autoApprove, yes }: ApprovalOptions): boolean =>
  autoApprove === true || yes === true;

/**
 * Prompts before a change, unless it is approved. Without a terminal it must be.
 * @param change the object, what is done to it and what was not: `policy p (pol_1)`, `delete`, `deleted`
 * @throws GovctlError approval_required
 */
export async function confirmChange(
  { flags, world }: Context,
  { what, verb, past }: { readonly what: string; readonly verb: string; readonly past: string },
  question: string,
  options: ApprovalOptions,
): Promise<void> {
  if (isApproved(options)) return;
  if (!flags.input) {
    throw new GovctlError('approval_required', `${what} was not ${past}: prompts are disabled`, {
      hint: `To ${verb} without a prompt, pass --yes.`,
    });
  }
  if (!(await world.prompt.confirm(question, false))) throw notApproved();
}
