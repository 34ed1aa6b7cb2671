import type { Client } from '../../client/client.ts';
import { listAll } from '../../client/list-all.ts';
import { policyObjects } from '../../client/objects.ts';
import { defined } from '../../contract/defined.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { ExemptionInput } from '../../contract/exemptions.ts';
import { readOwnership } from '../../project/compare/ownership.ts';
import type { Context } from '../context.ts';
import { withOurServer } from '../objects/our-server.ts';
import { shownBy } from '../objects/shown-by.ts';
import { exemptionView } from './exemption-view.ts';
import { warnOfUnmatched } from './unmatched.ts';

export interface CreateOptions extends Omit<ExemptionInput, 'resources' | 'tags'> {
  readonly resource: readonly string[];
  readonly tag?: readonly string[];
}

export async function runCreate(context: Context, options: CreateOptions): Promise<ExitCode> {
  const { policy, resource, reason, owner, expires, category, tag } = options;
  const fields = {
    policy,
    resources: [...resource],
    reason,
    owner,
    expires,
    ...defined({ category }),
    ...(tag ? { tags: [...tag] } : {}),
  };
  await warnOfUnmatched(context, resource);
  const { data } = await withOurServer(
    context,
    'exemptions',
    'Creating exemption',
    async (client) => {
      const project = await ownProjectWith(context, client, policy);
      return client.exemptions.create({ body: { ...fields, ...defined({ project }) } });
    },
  );
  await context.show(
    exemptionView(
      data,
      await shownBy(context, data, { headline: (style) => `${style.green('Created')} ${data.id}` }),
    ),
  );
  return exitCodes.ok;
}

/** The project of this directory, if it has a policy with this key: other projects may have one, too. */
async function ownProjectWith(
  { world }: Context,
  client: Client,
  named: string,
): Promise<string | undefined> {
  const { loadConfig } = await import('../../project/config.ts');
  const { project } = loadConfig(world.cwd).config;
  if (project === undefined) return undefined;
  for await (const { name, id, tags } of listAll(client, policyObjects)) {
    if (name === named || id === named) return undefined;
    const { owner, key } = readOwnership(tags ?? []);
    if (owner === project && key === named) return project;
  }
  return undefined;
}
