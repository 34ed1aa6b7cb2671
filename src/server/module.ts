import type { CollectionSpec, Document, LaneSpec, Reader } from './store/store.ts';

/**
 * What a folder of the server stores, declared once in its `module.ts`. The store, snapshots, upkeep, the metrics and
 * the check of the secret key follow from the list of all (wiring/modules.ts).
 */
export interface Module {
  /** In the order in which a snapshot has them. */
  readonly collections: readonly StoredCollection[];
  readonly lanes?: readonly LaneFamily[];
  /** Names of the sequences that a snapshot has. */
  readonly sequences?: readonly string[];
  /** Whether something is stored that only the server's key can open: the server must not start with another one. */
  readonly needsKey?: (store: Reader) => Promise<boolean>;
}

/** A collection, and what happens to its documents beside its noun's own code. Default: they travel, and stay. */
export interface StoredCollection<T extends Document = Document> {
  readonly spec: CollectionSpec<T>;
  /**
   * Why the documents are not in a snapshot. `own`: they belong to this server, so that neither restore nor reset
   * touches them. `forgotten`: restore and reset empty the collection. `history`: only a reset empties it.
   */
  readonly stays?: 'own' | 'forgotten' | 'history';
  readonly expiry?: Expiry;
  readonly sealed?: Sealed<T>;
  /** The blobs that a document names. */
  readonly files?: (doc: T) => readonly FileOf[];
  readonly places?: Places<T>;
}

/** Upkeep removes a document this many milliseconds after the moment in the field that it is ordered by. */
interface Expiry {
  /** The name of an order of milliseconds since the epoch, or of ISO 8601 times. */
  readonly orderBy: string;
  readonly keptMs: number;
}

type Seal = (secret: string, owner: string) => string;

/** Documents that may hold sealed secrets. */
interface Sealed<T> {
  readonly holds: (doc: T) => boolean;
  /** Where they can't be opened any more. @returns the document with new ones; absent: whoever opens them says so */
  readonly renew?: (
    doc: T,
    seal: Seal,
    random: (bytes: number) => Uint8Array,
  ) => { readonly doc: T; readonly isNew: boolean };
}

/** A blob of a document, as far as the document knows it. */
export interface FileOf {
  readonly blob: string;
  readonly size?: number;
  /** Lower-case hex. */
  readonly sha256?: string;
}

/** Documents that name places in lanes, which are others after a restore. */
interface Places<T> {
  readonly in: LaneSpec;
  /** @returns the document with the new ones */
  readonly move: (doc: T, placeOf: (old: number) => number | undefined) => T;
}

/** A family of lanes: one for each document of a collection, under its id. */
export interface LaneFamily {
  readonly spec: LaneSpec;
  /** Name of the collection. */
  readonly owners: string;
}

/** Declares a collection of a module, with what is special about it. */
export const stores = <T extends Document>(
  spec: CollectionSpec<T>,
  special: Omit<StoredCollection<T>, 'spec'> = {},
): StoredCollection =>
  // Its functions are given documents of this collection only.
  ({ spec, ...special }) as unknown as StoredCollection;
