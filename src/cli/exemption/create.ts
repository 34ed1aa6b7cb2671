import { defined } from '../../contract/defined.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { ExemptionInput } from '../../contract/exemptions.ts';
import type { Context } from '../context.ts';
import { withOurServer } from '../objects/our-server.ts';
import { exemptionView } from './exemption-view.ts';

export interface CreateOptions extends Omit<ExemptionInput, 'resources' | 'tags'> {
  readonly resource: readonly string[];
  readonly tag?: readonly string[];
}

export async function runCreate(context: Context, options: CreateOptions): Promise<ExitCode> {
  const { policy, resource, reason, owner, expires, category, tag } = options;
  const body = {
    policy,
    resources: [...resource],
    reason,
    owner,
    expires,
    ...defined({ category }),
    ...(tag ? { tags: [...tag] } : {}),
  };
  const { data } = await withOurServer(context, 'exemptions', 'Creating exemption', (client) =>
    client.exemptions.create({ body }),
  );
  await context.show(
    exemptionView(data, { headline: (style) => `${style.green('Created')} ${data.id}` }),
  );
  return exitCodes.ok;
}
