import { nextTurn } from '../next-turn.ts';
import { resources } from '../resources/collection.ts';
import { countRows } from '../store/all-rows.ts';
import type { Reader } from '../store/store.ts';
import { ownerOf } from '../violations/service.ts';

/** What the inventory knows of resources that charges name. */
export interface InventoryNames {
  /** Looks up resources before they are asked for. */
  learn(ids: readonly string[]): Promise<void>;
  environmentOf(id: string): string | undefined;
  ownerOf(id: string): string | undefined;
}

/** Resources that are looked up in one turn: some milliseconds. */
const perTurn = 2_000;

/** @returns undefined where the inventory is empty */
export async function createInventoryNames(
  reader: Reader,
  ownerTags: readonly string[],
): Promise<InventoryNames | undefined> {
  if ((await countRows(reader, resources)) === 0) return undefined;
  const environments = new Map<string, string>();
  const owners = new Map<string, string>();
  const seen = new Set<string>();
  return {
    async learn(ids) {
      for (const [at, id] of ids.entries()) {
        if (at % perTurn === perTurn - 1) await nextTurn();
        if (id === '' || seen.has(id)) continue;
        seen.add(id);
        const found = await reader.get(resources, id);
        if (!found) continue;
        const { environment, tags } = found.doc.resource;
        if (environment !== undefined) environments.set(id, environment);
        const owner = ownerOf(tags, ownerTags);
        if (owner !== undefined) owners.set(id, owner);
      }
    },
    environmentOf: (id) => environments.get(id),
    ownerOf: (id) => owners.get(id),
  };
}
