import { defined } from '../../../contract/defined.ts';
import { UnknownValue } from '../../../contract/resources.ts';
import { field, fieldsOf, isFields, isFilled, itemsOf, textOf } from '../../json.ts';
import type { Fields } from '../../json.ts';
import type { DocumentPath, RawResource } from '../../model.ts';
import { readTags } from '../../attributes/values.ts';
import { propertiesOf, regionName } from './properties.ts';
import { azureType } from './types.ts';

interface Found {
  readonly value: Fields;
  readonly at: DocumentPath;
}

/** The resources of an answer: `{value: [...]}`, `{data: [...]}` of Resource Graph, a list, or one alone. */
export function listResources(document: unknown): Found[] {
  for (const name of ['value', 'data']) {
    const list = field(document, name);
    if (Array.isArray(list)) return found(list, [name]);
  }
  return Array.isArray(document)
    ? found(document as unknown[], [])
    : isFields(document)
      ? [{ value: document, at: [] }]
      : [];
}

/** The resources of several answers. */
export const listEach = (documents: unknown): Found[] =>
  itemsOf(documents).flatMap((document, index) =>
    listResources(document).map(({ value, at }) => ({ value, at: [index, ...at] })),
  );

const found = (list: readonly unknown[], at: DocumentPath): Found[] =>
  itemsOf(list).map((value, index) => ({ value: fieldsOf(value), at: [...at, index] }));

/** Resource ids begin with a slash and name a provider, a resource group or a subscription. */
export const isLiveResource = (value: unknown): boolean => {
  const id = textOf(field(value, 'id')) ?? '';
  return (
    /^\/(?:subscriptions|providers|tenants)\//i.test(id) &&
    (typeOf(fieldsOf(value)) ?? '').includes('/')
  );
};

/** `Microsoft.Sql/servers`, as given or as the id says it. */
function typeOf(resource: Fields): string | undefined {
  const given = textOf(resource['type']);
  if (given?.includes('/')) return given;
  const id = textOf(resource['id']) ?? '';
  const segments = id.split('/');
  const at = segments.findLastIndex((segment) => segment.toLowerCase() === 'providers');
  const [namespace, ...rest] = at < 0 ? [] : segments.slice(at + 1);
  const types = rest.filter((_, index) => index % 2 === 0);
  if (namespace && types.length > 0) return [namespace, ...types].join('/');
  if (/\/resourceGroups\/[^/]+$/i.test(id)) return 'Microsoft.Resources/resourceGroups';
  return /^\/subscriptions\/[^/]+$/i.test(id) ? 'Microsoft.Resources/subscriptions' : undefined;
}

export function toLiveResource({ value, at }: Found): RawResource {
  const id = textOf(value['id']) ?? '';
  const parent = parentId(id);
  return {
    address: id,
    id,
    type: azureType(typeOf(value) ?? ''),
    name: textOf(value['name'])?.split('/').at(-1),
    account_id: textOf(value['subscriptionId']) ?? subscriptionOf(id),
    region: regionName(value['location']),
    tags: readTags(value['tags']),
    properties: propertiesOf(value),
    // `az resource list` and projections of Resource Graph leave them out, and other commands put them elsewhere.
    ...(isFilled(value['properties']) ? {} : { only: [], given: notListed }),
    source: { format: 'azure', ...defined({ parent }) },
    names: [id, id.toLowerCase()],
    at,
  };
}

const notListed = {
  properties: new UnknownValue('the properties, which are not in the list'),
};

const subscriptionOf = (id: string): string | undefined => {
  const [, first, subscription] = id.split('/');
  return first?.toLowerCase() === 'subscriptions' ? textOf(subscription) : undefined;
};

/** The ID of the resource that this one is part of in the end, or its own: up to the first type and name of a provider. */
export function wholeId(id: string): string {
  const segments = id.toLowerCase().split('/');
  const at = segments.indexOf('providers');
  return (at < 0 ? segments : segments.slice(0, at + 4)).join('/');
}

/** The id without its last type and name, where the resource is part of another. */
function parentId(id: string): string | undefined {
  const segments = id.split('/');
  const at = segments.findLastIndex((segment) => segment.toLowerCase() === 'providers');
  return at >= 0 && segments.length - at > 4
    ? segments.slice(0, -2).join('/').toLowerCase()
    : undefined;
}
