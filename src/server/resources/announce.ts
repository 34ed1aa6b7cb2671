import type { Deps } from '../deps.ts';
import { emit } from '../events/emit.ts';
import type { Tx } from '../store/store.ts';
import { publicResource } from './collection.ts';
import type { StoredResource } from './collection.ts';

/** Characters of a resource's JSON that an event holds: very many wait. */
const mostOfResource = 8_192;

export async function announceResource(
  deps: Deps,
  tx: Tx,
  type: 'resource.discovered' | 'resource.changed',
  stored: StoredResource,
): Promise<void> {
  await emit(deps, tx, type, { resource: eventObject(stored) });
}

/** The resource as answered; a large one without its own attributes, and says so. */
function eventObject(stored: StoredResource): Readonly<Record<string, unknown>> {
  const whole = publicResource(stored);
  if (JSON.stringify(whole).length <= mostOfResource) return whole;
  const { id, type, name, provider, account_id, region, environment, _meta } = whole;
  const known = { id, type, name, provider, account_id, region, environment };
  return { ...known, _meta: { ..._meta, shortened: true } };
}
