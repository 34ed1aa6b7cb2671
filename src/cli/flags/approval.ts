import { GovctlError } from '../../contract/errors.ts';

/** A no ends every command alike. */
export const notApproved = (): GovctlError =>
  new GovctlError('approval_required', 'Not approved. Nothing was changed.');

/** --auto-approve and --yes are the same, wherever something is asked. */
export interface ApprovalOptions {
  readonly autoApprove?: boolean;
  readonly yes?: boolean;
}

export const isApproved = ({ autoApprove, yes }: ApprovalOptions): boolean =>
  autoApprove === true || yes === true;
