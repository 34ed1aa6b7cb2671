import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import type { PolicyInput } from '../../../src/contract/policies.ts';
import type { Resource } from '../../../src/contract/resources.ts';
import {
  createPolicySet,
  evaluate,
  policiesFor,
  preparePolicy,
} from '../../../src/engine/evaluate.ts';
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

const library = path.resolve(import.meta.dirname, '../../../policies-example');

const policies = createPolicySet(
  ['azure', 'gcp']
    .flatMap((provider) =>
      readdirSync(path.join(library, provider), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.yaml') && !file.endsWith('.test.yaml'))
        .map((file) => path.join(library, provider, file)),
    )
    .map((file) => {
      const policy = parse(readFileSync(file, 'utf8')) as PolicyInput; // the library's own tests check it
      return preparePolicy({ policy: { ...policy, enabled: true } });
    }),
);

/** What each policy of the library says of a resource. */
export const verdictsOf = (resource: Resource): Fields =>
  Object.fromEntries(
    policiesFor(policies, resource.type).map((policy) => {
      const { status, rules } = evaluate(policy, resource, Date.UTC(2026, 0, 1));
      return [policy.policy.name, [status, ...rules.map(({ index }) => index)].join(' ')];
    }),
  );
