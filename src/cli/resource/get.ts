import type { ExitCode } from '../../contract/errors.ts';
import { exitCodes } from '../../contract/errors.ts';
import type { AnsweredResource } from '../../contract/resources.ts';
import type { Context } from '../context.ts';
import { formatDetails } from '../terminal/details.ts';
import { withOurServer } from '../objects/our-server.ts';
import type { Style } from '../terminal/terminal.ts';

export interface GetOptions {
  readonly args: readonly [string];
}

export async function runGet(context: Context, { args: [id] }: GetOptions): Promise<ExitCode> {
  const { data } = await withOurServer(context, 'an inventory', 'Looking it up', (client) =>
    client.resources.get({ params: { id } }),
  );
  await context.show({ value: data, human: (style) => describeResource(data, style) });
  return exitCodes.ok;
}

const shownApart = ['id', 'type', 'name', 'tags', 'properties', '_meta'];

/** With its attributes as JSON, and without the provider's own document, which `-o json` has. */
function describeResource(resource: AnsweredResource, style: Style): string {
  const { id, type, name, tags, _meta: meta, properties } = resource;
  const attributes = Object.entries(resource).flatMap(([field, value]) =>
    shownApart.includes(field)
      ? []
      : [[field, typeof value === 'string' ? value : JSON.stringify(value)] as const],
  );
  const words = Object.entries(tags).map(([key, value]) => `${key}=${value}`);
  return formatDetails(
    id,
    [
      ['type', type],
      ['name', name],
      ...attributes,
      ['tags', words.join(', ')],
      ['properties', `${Object.keys(properties).length} (-o json shows them)`],
      ['created', meta.created_at],
      ['updated', meta.updated_at],
    ],
    style,
  );
}
