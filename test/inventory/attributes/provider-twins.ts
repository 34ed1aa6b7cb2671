import type { Resource } from '../../../src/contract/resources.ts';
import { readInventory } from '../../../src/inventory/read.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** The first resource of a type in a document. */
export function readOne(document: Fields, type: string): Resource {
  const read = readInventory(JSON.stringify(document));
  if (!read.ok) throw new Error(read.problem.message);
  const found = read.inventory.resources.find(({ resource }) => resource.type === type);
  if (!found) throw new Error(`no ${type}`);
  return found.resource;
}

/** A plan that creates these, by address. */
export const planOf = (resources: Fields): Fields => ({
  format_version: '1.2',
  resource_changes: Object.entries(resources).map(([address, after]) => {
    const [type, name] = address.split('.');
    return { address, mode: 'managed', type, name, change: { actions: ['create'], after } };
  }),
});

/** What follows from the document a resource stands in, not from what it is. */
const own = new Set(['id', 'name', 'account_id', 'region', 'properties', 'source', 'tags']);

/** The well-known attributes of a resource. */
export const attributesOf = (resource: Resource): Fields =>
  Object.fromEntries(Object.entries(resource).filter(([name]) => !own.has(name)));
