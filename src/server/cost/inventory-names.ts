import { accountKey, resourceKey } from '../../cost/resource-id.ts';
import type { CostlyResource } from '../../cost/resource-costs.ts';
import { createPace } from '../pace.ts';
import { resources } from '../resources/collection.ts';
import { allRows } from '../store/all-rows.ts';
import type { Reader } from '../store/store.ts';
import { ownerOf } from '../violations/service.ts';

/** What the inventory says of a resource. */
interface Named {
  readonly environment: string | undefined;
  readonly owner: string | undefined;
}

/** What the inventory says of resources that charges name, in whichever form they do. */
export type InventoryNames = (resource: CostlyResource) => Named | undefined;

/** @returns undefined where the inventory says nothing of the kind. Works in turns. */
export async function createInventoryNames(
  reader: Reader,
  ownerTags: readonly string[],
  signal: AbortSignal,
): Promise<InventoryNames | undefined> {
  const byKey = new Map<string, Named>();
  /** The same for all resources of the same environment and owner. */
  const shared = new Map<string, Named>();
  const pace = createPace(signal);
  for await (const { doc } of allRows(reader, resources, {})) {
    await pace.spend(5);
    const { environment, tags } = doc.resource;
    const owner = ownerOf(tags, ownerTags);
    if (environment === undefined && owner === undefined) continue;
    const text = JSON.stringify([environment, owner]);
    const named = shared.get(text) ?? { environment, owner };
    shared.set(text, named);
    const key = keyOf(doc.resource);
    if (key !== undefined) byKey.set(key, named);
  }
  if (byKey.size === 0) return undefined;
  return (resource) => {
    const key = keyOf(resource);
    const found = key === undefined ? undefined : byKey.get(key);
    if (found) return found;
    // The inventory may not say the account of a resource that has a mere name.
    const anywhere = keyOf({ ...resource, account_id: undefined });
    return anywhere === undefined ? undefined : byKey.get(anywhere);
  };
}

function keyOf({ provider, id, type, account_id: account = '' }: CostlyResource) {
  const key = resourceKey(provider, id, type);
  return key && `${provider}\0${key.text}\0${key.isUnique ? '' : accountKey(account)}`;
}
