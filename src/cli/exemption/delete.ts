import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import { confirmDelete } from '../objects/confirm-delete.ts';
import type { Context } from '../context.ts';
import { withOurServer } from '../objects/our-server.ts';
import type { ApprovalOptions } from '../plan/approve.ts';
import { printableLine } from '../terminal/printable.ts';

export interface DeleteOptions extends ApprovalOptions {
  readonly args: readonly [string];
}

export async function runDelete(context: Context, options: DeleteOptions): Promise<ExitCode> {
  const [id] = options.args;
  await confirmDelete(context, `exemption ${printableLine(id)}`, options);
  await withOurServer(context, 'exemptions', 'Deleting it', (client) =>
    client.exemptions.delete({ params: { id } }),
  );
  await context.show({
    value: { deleted: id },
    human: (style) => `${style.green('Deleted')} ${printableLine(id)}\n`,
  });
  return exitCodes.ok;
}
