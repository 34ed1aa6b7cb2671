import { GovctlError } from '../../contract/errors.ts';
import { nextTurn } from '../next-turn.ts';
import { layEmptyLanes } from '../lanes/lay.ts';
import type { StoredCollection } from '../module.ts';
import type { Document, LaneSpec, Tx } from '../store/store.ts';
import { StoreConflict } from '../store/store.ts';
import type { Snapshot } from './read-snapshot.ts';
import type { Stored } from './snapshot.ts';
import { everyDocument, everyWork, lanesOf } from './snapshot.ts';

/** How many documents there were of each collection that had some. */
type Counts = Record<string, number>;

/** Numbers that are drawn between two turns of others: some milliseconds. */
const drawnInTurn = 10_000;
/** Documents that are put in or removed between two turns of others. */
const movedInTurn = 500;

/** Empties collections and all lanes. */
export async function empty(
  tx: Tx,
  stored: Stored,
  collections: readonly StoredCollection[],
): Promise<Counts> {
  for (const family of stored.lanes) {
    const work = [];
    for await (const one of everyWork(tx, family.spec)) work.push(one);
    for (const lane of await lanesOf(tx, stored, family, work)) await tx.clear(family.spec, lane);
  }
  const counts: Counts = {};
  for (const collection of collections) {
    const { spec } = collection;
    const ids: string[] = [];
    for await (const { id } of everyDocument(tx, collection)) ids.push(id);
    for (const [at, id] of ids.entries()) {
      await tx.remove(spec, id);
      if (at % movedInTurn === 0) await nextTurn();
    }
    if (ids.length > 0) counts[spec.name] = ids.length;
  }
  return counts;
}

/**
 * Puts a snapshot in the place of what is stored, in the transaction given.
 * @throws GovctlError malformed_request where its documents contradict each other
 */
export async function replaceAll(tx: Tx, stored: Stored, snapshot: Snapshot): Promise<Counts> {
  await empty(tx, stored, [...stored.collections, ...stored.forgotten]);
  for (const [sequence, value] of snapshot.sequences) {
    // What was numbered since keeps its numbers to itself: a sequence never goes back.
    for (let at = await tx.next(sequence); at < value; at = await tx.next(sequence)) {
      if (at % drawnInTurn === 0) await nextTurn();
    }
  }
  const placeIn = await putWork(tx, stored, snapshot);
  const counts: Counts = {};
  for (const [collection, documents] of snapshot.documents) {
    counts[collection.spec.name] = documents.length;
    for (const [at, doc] of documents.entries()) {
      await insert(tx, collection, relocated(collection, doc, placeIn));
      if (at % movedInTurn === 0) await nextTurn();
    }
  }
  await holdLanes(tx, stored, snapshot);
  await layEmptyLanes(tx, stored.lanes, stored.collections);
  await stored.derive(tx);
  return counts;
}

/** The place that a piece of work has now in a family of lanes, by the place that it had. */
type PlaceIn = (lanes: LaneSpec, old: number) => number | undefined;

async function putWork(tx: Tx, stored: Stored, { work, lanes }: Snapshot): Promise<PlaceIn> {
  const placesIn = new Map<string, ReadonlyMap<number, number>>();
  for (const { spec } of stored.lanes) {
    const old = work.filter(({ of }) => of === spec.name);
    for (const one of old) await tx.append(spec, one.lane, one.work);
    for (const { of, lane, due_at: dueAt } of lanes) {
      if (of === spec.name && dueAt !== undefined) await tx.putOff(spec, lane, dueAt);
    }
    const places = new Map<number, number>();
    let at = 0;
    // Positions grow in the order in which the work was put in.
    for await (const { position } of everyWork(tx, spec)) {
      const before = old[at++];
      if (before) places.set(before.at, position);
    }
    placesIn.set(spec.name, places);
  }
  return ({ name }, old) => placesIn.get(name)?.get(old);
}

const relocated = ({ places }: StoredCollection, doc: Document, placeIn: PlaceIn): Document =>
  places ? places.move(doc, (old) => placeIn(places.in, old)) : doc;

/** Their documents say which: a lane that is held otherwise would be tried over and over, or never. */
async function holdLanes(tx: Tx, { lanes }: Stored, { documents }: Snapshot): Promise<void> {
  for (const { spec, owners, isHeld } of lanes) {
    if (!isHeld) continue;
    for (const [collection, docs] of documents) {
      if (collection.spec.name !== owners) continue;
      for (const doc of docs) if (isHeld(doc)) await tx.hold(spec, doc.id, true);
    }
  }
}

async function insert(tx: Tx, { spec }: StoredCollection, doc: Document): Promise<void> {
  await tx.insert(spec, doc).catch((error: unknown) => {
    if (!(error instanceof StoreConflict)) throw error;
    const why = `${spec.name} contains ${JSON.stringify(doc.id.slice(0, 60))}, but another one has the same ${error.index ?? 'ID'}`;
    throw new GovctlError('malformed_request', `The snapshot cannot be restored: ${why}`);
  });
}
