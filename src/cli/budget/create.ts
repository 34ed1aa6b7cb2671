import { createObject } from '../../client/objects.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { ExitCode } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { shownIn } from '../objects/noun.ts';
import { withOurServer } from '../objects/our-server.ts';
import type { Style } from '../terminal/terminal.ts';
import { fieldsFrom } from './budget-fields.ts';
import type { FieldFlags } from './budget-fields.ts';
import { budgetView } from './budget-view.ts';
import { budgets } from './budgets.ts';
import { waitForStatus } from './wait-for-status.ts';

export async function runCreate(context: Context, options: FieldFlags): Promise<ExitCode> {
  const body = fieldsFrom(options);
  const item = await withOurServer(context, 'budgets', 'Creating budget', async (client) => {
    const created = await createObject(client, budgets.of, body);
    return created.item && waitForStatus(context, client, created.item);
  });
  const headline = (style: Style): string => `${style.green('Created')} ${item?.id ?? ''}`;
  if (item) await context.show(budgetView(item, shownIn(context, { headline })));
  return exitCodes.ok;
}
