import type * as z from 'zod';
import type { Retention } from './config/retention.ts';
import type { CollectionSpec, Document, LaneSpec, Reader, Tx, Where } from './store/store.ts';

/**
 * What a noun of the server stores, declared once in its `module.ts`. The store, snapshots, upkeep, metrics and the check
 * of the secret key use the list of all modules (wiring/modules.ts).
 */
export interface Module {
  /** In the order of a snapshot. */
  readonly collections: readonly StoredCollection[];
  readonly lanes?: readonly LaneFamily[];
  /** Names of the sequences that a snapshot includes. */
  readonly sequences?: readonly string[];
  /** Derives what an earlier version, or its snapshot, did not store. */
  readonly derive?: (tx: Tx) => Promise<void>;
  /** Whether any stored secret can be decrypted only with the server's key: then the server must not start with another. */
  readonly needsKey?: (store: Reader) => Promise<boolean>;
}

/** A collection and how generic code treats its documents. Default: they never expire. */
export interface StoredCollection<T extends Document = Document> {
  readonly spec: CollectionSpec<T>;
  /** What a restore checks each document against. Absent: snapshots do not include the documents. */
  readonly shape?: z.ZodType<T>;
  /**
   * Why snapshots do not include the documents. `own`: they belong to this server; restore and reset leave them as they
   * are. `forgotten`: restore and reset empty the collection. `history`: only reset empties it.
   */
  readonly stays?: 'own' | 'forgotten' | 'history';
  readonly expiry?: Expiry<T>;
  readonly archive?: Archived<T>;
  readonly sealed?: Sealed<T>;
  /** The blobs that a document references. */
  readonly files?: (doc: T) => readonly FileOf[];
  readonly places?: Places<T>;
  readonly belongs?: Belongs<T>;
}

/** Documents that are a user's, and are removed with them. */
interface Belongs<T> {
  /** The name of an index of user IDs; the collection must also have the order `id`. */
  readonly by: string;
  /** Whether a document is removed wherever the user has to sign in again. */
  readonly endsWithSignIn: (doc: T) => boolean;
  /** Removes what of it is the user's, where that is not just the document. */
  readonly remove?: (tx: Tx, doc: T, userId: string) => Promise<void>;
}

/** Upkeep removes a document `keptMs` milliseconds after the time that `orderBy` gives. */
export interface Expiry<T extends Document = Document> {
  /** The name of an order of milliseconds since the epoch, or of ISO 8601 times. What has no place in it does not expire. */
  readonly orderBy: string;
  /** Or what the operator says. */
  readonly keptMs: number | ((retention: Retention) => number);
  /** Which documents stay however old they are, as something refers to them. Absent: none. */
  readonly needed?: (reader: Reader) => Promise<(doc: T) => boolean>;
  /** Rows that go before the document does. Their collections must have the order `id`. */
  readonly parts?: (doc: T) => readonly Part[];
  /** What else goes, in the same transaction. */
  readonly beside?: (tx: Tx, doc: T) => Promise<void>;
}

/** How records are read for an archive, where that is otherwise than by their expiry. */
export interface Archived<T extends Document = Document> {
  readonly orderBy?: string;
  readonly keptMs?: (retention: Retention) => number;
  /** They may go before their time, as only so many are stored. */
  readonly early?: true;
  /** Without secrets. */
  readonly shown?: (doc: T) => Document;
  /** What of a document that has times within falls between two, in milliseconds since the epoch. */
  readonly pick?: (doc: T, since: number, until: number) => Document | undefined;
}

export interface Part {
  readonly spec: CollectionSpec<Document>;
  readonly where: Readonly<Record<string, Where>>;
}

/** All rows that a document's ID finds in an index. */
export const partOf = <T extends Document>(
  spec: CollectionSpec<T>,
  index: string,
  { id }: Document,
): Part =>
  // Only removed by their IDs.
  ({ spec: spec as unknown as CollectionSpec<Document>, where: { [index]: { any: [id] } } });

type Seal = (secret: string, owner: string) => string;

/** Documents that may contain encrypted secrets. */
interface Sealed<T> {
  readonly holds: (doc: T) => boolean;
  /**
   * Replaces secrets that can no longer be decrypted. Absent: using such a secret is an error.
   * @returns the document with new secrets
   */
  readonly renew?: (
    doc: T,
    seal: Seal,
    random: (bytes: number) => Uint8Array,
  ) => { readonly doc: T; readonly isNew: boolean };
}

/** A blob of a document, with what the document stores about it. */
export interface FileOf {
  readonly blob: string;
  readonly size?: number;
  /** Lower-case hex. */
  readonly sha256?: string;
}

/** Documents that store positions in lanes, which change with a restore. */
interface Places<T> {
  readonly in: LaneSpec;
  /** @returns the document with the new positions */
  readonly move: (doc: T, placeOf: (old: number) => number | undefined) => T;
}

/** A family of lanes: one per document of a collection, named by its ID. */
export interface LaneFamily {
  readonly spec: LaneSpec;
  /** Name of the collection. */
  readonly owners: string;
  /** The only work in a lane is its document, by its ID. */
  readonly workIsOwner?: true;
  /** Fills the lane of a document, where none of them may be empty and an earlier version, or its snapshot, left it so. */
  readonly lay?: (tx: Tx, doc: Document) => Promise<void>;
  /** Whether the lane of a document is held, whatever a snapshot says; default: never. */
  readonly isHeld?: (doc: Document) => boolean;
}

/** A collection whose documents snapshots include. */
export type TravellingCollection = StoredCollection & Required<Pick<StoredCollection, 'shape'>>;

/** Declares a collection that snapshots include, the shape of its documents, and its special treatment. */
export const stores = <T extends Document>(
  spec: CollectionSpec<T>,
  shape: z.ZodType<T>,
  special: Omit<StoredCollection<T>, 'spec' | 'shape' | 'stays'> = {},
): StoredCollection =>
  // Its functions only receive documents of this collection.
  ({ spec, shape, ...special }) as unknown as StoredCollection;

/** Declares a collection that snapshots do not include. */
export const keeps = <T extends Document>(
  spec: CollectionSpec<T>,
  stays: NonNullable<StoredCollection['stays']>,
  special: Pick<StoredCollection<T>, 'expiry' | 'archive' | 'belongs'> = {},
): StoredCollection => ({ spec, stays, ...special }) as unknown as StoredCollection;
