import { nameOfCredential } from '../../auth/service.ts';
import { policies } from '../../policies/collection.ts';
import { scans } from '../../scans/collection.ts';
import { schedules } from '../../schedules/collection.ts';
import type { Awaitable } from '../../awaitable.ts';
import type { CollectionSpec, Document, Reader } from '../../store/store.ts';
import { webhooks } from '../../webhooks/collection.ts';
import { reports } from '../collection.ts';

type Named = Document & { readonly name?: string | undefined };

const nameIn =
  <T extends Named>(collection: CollectionSpec<T>) =>
  async (reader: Reader, id: string): Promise<string | undefined> =>
    (await reader.get(collection, id))?.doc.name;

/** By the prefix of an id. */
const lookups: Readonly<
  Record<string, (reader: Reader, id: string) => Awaitable<string | undefined>>
> = {
  key: nameOfCredential,
  oc: nameOfCredential,
  tok: nameOfCredential,
  trust: nameOfCredential,
  pol: nameIn(policies),
  scan: nameIn(scans),
  sch: nameIn(schedules),
  wh: nameIn(webhooks),
  rpt: nameIn(reports),
};

/** Names that are kept at a time. */
const mostNames = 1_000;

/** @returns from an id to the name that what it is of has now; empty where it has none, or is gone */
export function createNames(reader: Reader): (id: string) => Promise<string> {
  const known = new Map<string, string>();
  return async (id) => {
    const kept = known.get(id);
    if (kept !== undefined) return kept;
    const prefix = id.slice(0, Math.max(0, id.indexOf('_')));
    const lookup = Object.hasOwn(lookups, prefix) ? lookups[prefix] : undefined;
    const name = (await lookup?.(reader, id)) ?? '';
    if (known.size >= mostNames) known.clear();
    known.set(id, name);
    return name;
  };
}
