import { GovctlError } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import type { ApprovalOptions } from '../plan/approve.ts';
import { isApproved, notApproved } from '../plan/approve.ts';

/** Asks before something goes for good. @throws GovctlError approval_required */
export async function confirmDelete(
  context: Context,
  what: string,
  options: ApprovalOptions,
): Promise<void> {
  if (isApproved(options)) return;
  if (!context.flags.input) {
    throw new GovctlError('approval_required', `${what} was not deleted: nobody could be asked`, {
      hint: 'Give --yes to delete without asking.',
    });
  }
  if (!(await context.world.prompt.confirm(`Delete ${what} for good?`, false))) throw notApproved();
}
