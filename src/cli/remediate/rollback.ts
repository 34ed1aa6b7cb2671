import type { Client } from '../../client/client.ts';
import { defined } from '../../contract/defined.ts';
import type { ExitCode } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import type { ApprovalOptions } from '../flags/approval.ts';
import { isApproved } from '../flags/approval.ts';
import { parseTimeout } from '../objects/wait.ts';
import { carryOut, planAndAsk } from './apply.ts';
import type { Waiting } from './apply.ts';
import { showPlan } from './plan.ts';

export interface RollbackOptions extends ApprovalOptions, Waiting {
  readonly args: readonly [id: string];
  readonly dryRun?: boolean;
  readonly note?: string;
}

export async function runRollback(context: Context, options: RollbackOptions): Promise<ExitCode> {
  const timeoutMs = parseTimeout(options.timeout);
  const [id] = options.args;
  const rollback = (client: Client, isDry: boolean, digest?: string) =>
    client.remediations.rollback({
      params: { id },
      body: { dry_run: isDry, ...defined({ note: options.note, expected_digest: digest }) },
    });
  if (options.dryRun === true) return showPlan(context, (client) => rollback(client, true));
  const shown = isApproved(options)
    ? undefined
    : await planAndAsk(
        context,
        (client) => rollback(client, true),
        `govctl remediate rollback ${id} --dry-run`,
      );
  return carryOut(context, options.wait ? timeoutMs : undefined, (client) =>
    rollback(client, false, shown?.digest),
  );
}
