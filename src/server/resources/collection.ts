import type {
  KnownResource,
  ResourceListQuery,
  resourceSortFields,
} from '../../contract/resources.ts';
import { ResourceInput, StringTags, typeKey, unfitForJson } from '../../contract/resources.ts';
import { anyOf } from '../http/paging.ts';
import type { Filters } from '../http/paging.ts';
import type { CollectionSpec, Scalar } from '../store/store.ts';
import * as z from 'zod';
import { Timestamp } from '../../contract/lists.ts';
import { maxResourceType } from '../../contract/policies.ts';
import { keyed, shape } from '../shape.ts';

/** A resource apart from what the service knows about it: its own attributes may have any name. */
export interface StoredResource {
  readonly id: string;
  readonly resource: KnownResource;
  readonly created_at: string;
  readonly updated_at: string;
}

/** As answered. */
export const publicResource = ({ resource, created_at, updated_at }: StoredResource) => ({
  ...resource,
  _meta: { created_at, updated_at },
});

/**
 * A place in an order travels in a cursor, so long texts order by their beginning. Ids do so too: ties go by the
 * whole id, which makes it the same order.
 */
export const beginning = (text: string): string => text.slice(0, 256);

type SortField = (typeof resourceSortFields)[number];

const order: Record<SortField, (stored: StoredResource) => Scalar | undefined> = {
  created_at: (stored) => stored.created_at,
  updated_at: (stored) => stored.updated_at,
  id: (stored) => beginning(stored.id),
  type: ({ resource }) => resource.type,
  name: ({ resource }) => resource.name && beginning(resource.name),
  provider: ({ resource }) => resource.provider,
  account_id: ({ resource }) => resource.account_id,
  region: ({ resource }) => resource.region,
  environment: ({ resource }) => resource.environment,
};

/** Characters of a tag that it is found by. */
const foundBy = 512;

/** Each tag is found by its key, and by key and value. */
const tagValues = ({ resource }: StoredResource): string[] =>
  Object.entries(resource.tags).flatMap(([key, value]) => [
    key.slice(0, foundBy),
    `${key}=${String(value)}`.slice(0, foundBy),
  ]);

export const resources: CollectionSpec<StoredResource> = {
  name: 'resources',
  index: {
    type: ({ resource }) => typeKey(resource.type),
    provider: ({ resource }) => resource.provider.toLowerCase(),
    account_id: ({ resource }) => resource.account_id,
    region: ({ resource }) => resource.region,
    environment: ({ resource }) => resource.environment,
    tags: tagValues,
  },
  order,
};

/** Any of the values of each field, all of the tags. */
export const resourceFilters = (query: ResourceListQuery): Filters => ({
  ...anyOf(query, ['provider', 'account_id', 'region', 'environment']),
  ...(query.type ? { type: { any: query.type.map(typeKey) } } : {}),
  ...(query.tags ? { tags: { all: query.tags.map((tag) => tag.slice(0, foundBy)) } } : {}),
});

/** A resource as stored, also as a part of other rows. */
export const KnownResourceShape: z.ZodType<KnownResource> = z
  .looseObject({
    ...ResourceInput.shape,
    type: z.string().min(1).max(maxResourceType),
    provider: z.string().max(64),
    tags: StringTags,
    properties: z.record(z.string(), z.unknown()),
  })
  .superRefine((resource, context) => {
    const message = unfitForJson(resource);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  }) as unknown as z.ZodType<KnownResource>;

export const resourceShape = keyed(
  shape<StoredResource>({
    id: ResourceInput.shape.id,
    resource: KnownResourceShape,
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
  ({ resource }) => resource.id,
);
