import type { ExitCode } from '../../contract/errors.ts';
import { GovctlError, exitCodes } from '../../contract/errors.ts';
import { deletePolicy } from '../../client/policy-changes.ts';
import type { Context } from '../context.ts';
import { printableLine } from '../terminal/printable.ts';
import type { ApprovalOptions } from '../plan/approve.ts';
import { isApproved, notApproved } from '../plan/approve.ts';
import { findPolicy, warnIfOwned } from './find-policy.ts';

export interface DeleteOptions extends ApprovalOptions {
  readonly args: readonly [string];
  readonly ifMatch?: string;
}

/** Removes a policy after asking; without a terminal only with --yes. */
export async function runDelete(context: Context, options: DeleteOptions): Promise<ExitCode> {
  const client = await context.client();
  const { policy } = await context.progress('Looking it up', () =>
    findPolicy(context, client, options.args[0]),
  );
  await warnIfOwned(context, policy);
  if (!isApproved(options)) {
    if (!context.flags.input) {
      throw new GovctlError(
        'approval_required',
        `${policy.name} (${printableLine(policy.id)}) was not deleted: nobody could be asked`,
        {
          hint: 'Give --yes to delete without asking.',
        },
      );
    }
    const question = `Delete ${printableLine(policy.name)} (${printableLine(policy.id)}) from ${client.baseUrl} for good?`;
    if (!(await context.world.prompt.confirm(question, false))) {
      throw notApproved();
    }
  }
  await context.progress('Deleting it', () =>
    deletePolicy(
      client,
      policy.id,
      options.ifMatch === undefined ? {} : { ifMatch: options.ifMatch },
    ),
  );
  await context.show({
    value: { deleted: policy.id, name: policy.name },
    human: (style) => `${style.green('Deleted')} ${printableLine(policy.name)} (${policy.id})\n`,
  });
  return exitCodes.ok;
}
