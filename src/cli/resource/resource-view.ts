import { UnknownAttributes } from '../../contract/resources.ts';
import type { AnsweredResource } from '../../contract/resources.ts';
import { utcMinute } from '../../contract/utc-time.ts';
import { formatDetails } from '../terminal/details.ts';
import type { View } from '../terminal/output.ts';
import type { Style } from '../terminal/terminal.ts';

export const resourceView = (resource: AnsweredResource): View => ({
  value: resource,
  human: (style) => describeResource(resource, style),
});

const shownApart = ['id', 'type', 'name', 'tags', 'properties', '_meta', '_unknown'];

/** With its attributes as JSON, and without the provider's own document, which `-o json` has. */
function describeResource(resource: AnsweredResource, style: Style): string {
  const { id, type, name, tags, _meta: meta, properties } = resource;
  const attributes = Object.entries(resource).flatMap(([field, value]) =>
    shownApart.includes(field)
      ? []
      : [[field, typeof value === 'string' ? value : JSON.stringify(value)] as const],
  );
  const { data: unknown = [] } = UnknownAttributes.safeParse(resource._unknown);
  const words = Object.entries(tags).map(([key, value]) => `${key}=${value}`);
  return formatDetails(
    id,
    [
      ['type', type],
      ['name', name],
      ...attributes,
      ['tags', words.join(', ')],
      ['properties', `${Object.keys(properties).length} (use -o json to show all)`],
      ['unknown', unknown.map(({ path }) => path.join('.')).join(', ')],
      ['created', utcMinute(meta.created_at)],
      ['updated', utcMinute(meta.updated_at)],
    ],
    style,
  );
}
