import { defined } from '../../contract/defined.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { ExitCode } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { changeObject, checkChanges } from '../objects/change.ts';
import { lookUp } from '../objects/get.ts';
import { shownIn } from '../objects/noun.ts';
import { keepOwnership, warnIfOwned } from '../objects/owned.ts';
import type { Style } from '../terminal/terminal.ts';
import { fieldsFrom } from './budget-fields.ts';
import type { FieldFlags } from './budget-fields.ts';
import { budgetView } from './budget-view.ts';
import { budgets } from './budgets.ts';
import { waitForStatus } from './wait-for-status.ts';

export interface UpdateOptions extends FieldFlags {
  readonly args: readonly [string];
  readonly ifMatch?: string;
}

export async function runUpdate(context: Context, options: UpdateOptions): Promise<ExitCode> {
  const change = fieldsFrom(options);
  checkChanges(change, 'Pass at least one field, such as --amount 12000.');
  const { client, item: before } = await lookUp(context, budgets, options.args[0]);
  await warnIfOwned(context, before.name, before.tags);
  const changed = await changeObject(context, client, {
    of: budgets.of,
    before,
    fields: keepOwnership(before.tags, change),
    ...defined({ ifMatch: options.ifMatch }),
  });
  const item = await waitForStatus(context, client, changed);
  const headline = (style: Style): string => `${style.green('Updated')} ${item.id}`;
  await context.show(budgetView(item, shownIn(context, { headline })));
  return exitCodes.ok;
}
