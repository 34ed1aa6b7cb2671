import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../contract/defined.ts';
import type { KnownResource } from '../../contract/resources.ts';
import { findUnused } from '../../cost/unused/rules.ts';
import type { Deps } from '../deps.ts';
import type { Tx } from '../store/store.ts';
import { unusedResources } from './collection.ts';
import type { StoredUnused } from './collection.ts';

/** Of a stopped instance; no more can be attached anywhere. */
const mostDisks = 128;
/** Characters: there may be one for each resource. */
const longestReason = 512;

/** Writes down whether a resource that is stored seems to be unused. @param resource absent: it is deleted */
export async function noteUnused(
  { ids }: Pick<Deps, 'ids'>,
  tx: Tx,
  id: string,
  resource: KnownResource | undefined,
): Promise<void> {
  const found = resource && findUnused(resource);
  const before = (await tx.get(unusedResources, id))?.doc;
  if (!resource || !found) {
    if (before) await tx.remove(unusedResources, id);
    return;
  }
  const { type, name, provider, account_id, region, environment } = resource;
  const { kind, reason, since, due, disks } = found;
  const after: Omit<StoredUnused, 'change'> = {
    id,
    kind,
    type,
    provider,
    reason: reason.slice(0, longestReason),
    ...defined({ name, account_id, region, environment, since, due, disks: disks?.slice(0, mostDisks) }), // prettier-ignore
  };
  if (before) {
    if (isDeepStrictEqual(withoutChange(before), after)) return;
    await tx.replace(unusedResources, { ...after, change: ids.next('unu') });
    return;
  }
  await tx.insert(unusedResources, { ...after, change: ids.next('unu') });
}

const withoutChange = ({ change: _, ...row }: StoredUnused) => row;
