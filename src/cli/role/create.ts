import { defined } from '../../contract/defined.ts';
import { scopes } from '../../contract/endpoint.ts';
import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { Context } from '../context.ts';
import { parseWords } from '../flags/parse-words.ts';
import { withOurServer } from '../objects/our-server.ts';
import { shownBy } from '../objects/shown-by.ts';
import { roleView } from './role-view.ts';

export interface CreateOptions {
  readonly args: readonly [string];
  readonly scope: readonly string[];
  readonly description?: string;
}

export async function runCreate(
  context: Context,
  { args: [name], scope, description }: CreateOptions,
): Promise<ExitCode> {
  const body = {
    name,
    ...defined({ description }),
    scopes: parseWords('--scope', scope, scopes),
  };
  const { data } = await withOurServer(context, 'role management', 'Creating role', (client) =>
    client.roles.create({ body }),
  );
  const shown = await shownBy(context, data, {
    headline: (style) => `${style.green('Created')} ${data.name}`,
  });
  await context.show(roleView(data, shown));
  return exitCodes.ok;
}
