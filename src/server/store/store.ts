import type { Awaitable } from '../awaitable.ts';

/**
 * What the services know of a store, and all they know. Two stores fulfil it: lowdb (one process) and,
 * later, PostgreSQL (several). One test suite runs against both.
 *
 * Guarantees:
 * - `transact` is all or nothing across collections and resolves only when the change is durable.
 * - Transactions are serialisable: `work` may read, decide and write; nobody comes in between. `work` may
 *   run more than once (PostgreSQL retries), so it must do nothing but read and write through its `tx`.
 * - Reads outside a transaction see durable state only.
 */

/** A record as stored. `revision` grows with every commit that writes the record; an ETag is made of it. */
export interface Versioned<T> {
  readonly doc: T;
  readonly revision: number;
}

export interface Document {
  readonly id: string;
}

export type Scalar = string | number | boolean;

/**
 * A declared collection. The functions say under which values a document is found; they must be pure.
 * Documents are plain JSON, immutable once handed to the store, found by `id`.
 */
export interface CollectionSpec<T extends Document> {
  readonly name: string;
  /** At most one document per value; `undefined` is not indexed. */
  readonly unique?: Readonly<Record<string, (doc: T) => string | undefined>>;
  /** Any number of documents per value, any number of values per document. */
  readonly index?: Readonly<Record<string, (doc: T) => string | readonly string[] | undefined>>;
  /** Fields a page can be sorted by. Absent values sort last in both directions; ties go by id, in the page's direction. */
  readonly order?: Readonly<Record<string, (doc: T) => Scalar | undefined>>;
  /**
   * Documents of earlier versions: the first function makes a document of version 2 from one of version 1, and so on.
   * Functions must be pure, and must not change once they were released.
   */
  readonly migrations?: readonly ((older: Document) => Document)[];
}

/** A condition on one declared index: the document has any, or all, of the values. */
export type Where = { readonly any: readonly string[] } | { readonly all: readonly string[] };

/** The place of a row in an order. `value` is null where the row has none. */
export interface Position {
  readonly value: Scalar | null;
  readonly id: string;
}

export interface PageQuery {
  /** By index name; all have to hold. */
  readonly where?: Readonly<Record<string, Where>>;
  readonly orderBy: string;
  readonly direction: 'asc' | 'desc';
  /** 0: only `total` is asked for, which needs no order. */
  readonly limit: number;
  /** Rows after this place; excludes `offset`. */
  readonly after?: Position;
  readonly offset?: number;
}

export interface Page<T> {
  readonly rows: readonly Versioned<T>[];
  /** Rows that match `where`, over all pages. */
  readonly total: number;
  readonly hasMore: boolean;
  /** The place of the last row, for the next page's `after`; absent on an empty page. */
  readonly last?: Position;
}

/**
 * A declared family of lanes, such as the webhooks' queues. A lane is an ordered list of work under a name; only its
 * head can be claimed, so that what is retried lets nothing pass. Lanes come and go with the work in them.
 */
export interface LaneSpec {
  readonly name: string;
  /**
   * Milliseconds. A head that is put off for longer, seen from now, is due: it was put off by a clock that has been set
   * back since. Absent: any pause is meant.
   */
  readonly longestPause?: number;
  /** Lanes are claimed in turn by owner. Absent: all are of one. */
  readonly turns?: LaneTurns<never>;
}

/** Whose the lanes of a family are, by documents that have the names of their lanes as ids. */
export interface LaneTurns<T extends Document> {
  readonly collection: CollectionSpec<T>;
  readonly ownerOf: (doc: T) => string;
  /** When it was last worked on, as a text that sorts by time; for whose turn it is after a start. Undefined: not yet. */
  readonly servedAt: (doc: T) => string | undefined;
}

/** The due time of a lane that comes before all others of its owner, but for those that have the same. */
export const dueFirst = 1;

/** A lane in the line of those to be claimed, or one that is about to be. */
export interface LanePlace {
  readonly lane: string;
  readonly owner: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Of one that is about to be: in milliseconds since the epoch; 0: at once. */
  readonly dueAt: number;
}

/** A piece of work at its place. Positions grow in commit order over all lanes of a family. */
export interface LaneWork {
  readonly lane: string;
  readonly position: number;
  /** What it is about, in at most some hundred characters: an id, mostly. */
  readonly work: string;
}

export interface LaneState {
  /** Pieces of work in it. */
  readonly waiting: number;
  /** Its head is not claimed until it is let go. */
  readonly held: boolean;
  /** Its head is not claimed before, in milliseconds since the epoch. Absent: it is due at once. */
  readonly dueAt?: number;
}

export interface LaneQuery {
  /** Absent: all lanes of the family. */
  readonly lane?: string;
  /** Only work behind this position. */
  readonly after?: number;
  readonly limit: number;
}

export interface Reader {
  laneState(lanes: LaneSpec, lane: string): Awaitable<LaneState>;
  /** The work of one lane, or of all, by position. */
  laneWork(lanes: LaneSpec, query: LaneQuery): Awaitable<readonly LaneWork[]>;
  get<T extends Document>(
    collection: CollectionSpec<T>,
    id: string,
  ): Awaitable<Versioned<T> | undefined>;
  /** By a declared unique index. */
  find<T extends Document>(
    collection: CollectionSpec<T>,
    index: string,
    value: string,
  ): Awaitable<Versioned<T> | undefined>;
  page<T extends Document>(collection: CollectionSpec<T>, query: PageQuery): Awaitable<Page<T>>;
}

export interface WriteOptions {
  /** Write only if the record still has this revision, else StoreConflict `revision`. */
  readonly ifRevision?: number;
}

export interface Tx extends Reader {
  /** @throws StoreConflict `exists` (the id) or `unique` (an index value is taken) */
  insert<T extends Document>(collection: CollectionSpec<T>, doc: T): Promise<Versioned<T>>;
  /** Replaces a whole document. @throws StoreConflict `missing`, `revision` or `unique` */
  replace<T extends Document>(
    collection: CollectionSpec<T>,
    doc: T,
    options?: WriteOptions,
  ): Promise<Versioned<T>>;
  /** @throws StoreConflict `missing` or `revision` */
  remove<T extends Document>(
    collection: CollectionSpec<T>,
    id: string,
    options?: WriteOptions,
  ): Promise<void>;
  /** The next number of a named sequence: 1, 2, 3 … in commit order, without gaps. */
  next(sequence: string): Promise<number>;

  /** Puts work at the end of a lane. */
  append(lanes: LaneSpec, lane: string, work: string): Promise<void>;
  /** Takes the head, which was claimed, out of its lane and makes the next due at once. No matter if it is gone already. */
  complete(lanes: LaneSpec, claimed: LaneWork): Promise<void>;
  /** Takes all work up to a position out of a lane. When its next head is due stays. */
  drop(lanes: LaneSpec, lane: string, position: number): Promise<void>;
  /** The head of a lane is not claimed before. No matter if the lane is empty. @param dueAt milliseconds since the epoch; 0: at once */
  putOff(lanes: LaneSpec, lane: string, dueAt: number): Promise<void>;
  /** Keeps the head of a lane from being claimed, or lets it go. It holds for an empty lane, too. */
  hold(lanes: LaneSpec, lane: string, held: boolean): Promise<void>;
  /** Forgets a lane with all its work, and that it was held or put off; a lease on it lasts until it is released. */
  clear(lanes: LaneSpec, lane: string): Promise<void>;
}

export interface StoreHealth {
  readonly writable: boolean;
  /** Why it is not, for an operator: what failed, on which file. */
  readonly reason?: string;
  /** Why the last checkpoints could not be written, if so; the journal has all changes and grows. */
  readonly checkpoints?: string;
}

/** The ID of a blob: a file name on any system, and never a way out of a directory. */
export const blobId = /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,199}$/;

/** Bytes of any size beside the documents: the files of reports. Nothing of a blob can be read before all of it is durable. */
export interface Blobs {
  /**
   * Begins a blob under an id that no other has or had: letters, digits, `_`, `-` and `.` (not first), 200 at most.
   * @throws StoreUnavailable when the store can't be written
   */
  create(id: string): Promise<BlobWriter>;
  /** Undefined: there is none. */
  stat(id: string): Promise<{ readonly size: number } | undefined>;
  /**
   * Reads it in chunks, or from byte `start` up to, and without, byte `end`. What is removed meanwhile can be read to
   * its end.
   * @throws Error where there is none, or the range leaves it
   */
  read(id: string, range?: ByteRange): AsyncIterable<Uint8Array>;
  /** No matter if there is none. */
  remove(id: string): Promise<void>;
  /** The ids of all that are whole, in no order, but those begun since `list` was called. */
  list(): AsyncIterable<string>;
}

export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

export interface BlobWriter {
  /** Resolves when more can be taken. @throws StoreUnavailable where it can't be written, a full disk among others */
  write(chunk: Uint8Array): Promise<void>;
  /** Makes it durable, and readable. @returns bytes, and the SHA-256 over them in lower-case hex */
  finish(): Promise<StoredBlob>;
  /** Leaves nothing of it. No matter if it failed or was finished. */
  abandon(): Promise<void>;
}

export interface StoredBlob {
  readonly size: number;
  readonly sha256: string;
}

export interface Store extends Reader {
  readonly blobs: Blobs;
  /**
   * Runs `work` and commits what it wrote. An error thrown by `work` discards everything and is thrown on. Owners take
   * turns, however many transactions each of them has waiting; those of one owner run in order. Where the store is
   * read-only, what writes nothing runs as ever.
   * @param owner the caller; absent: the server itself
   * @throws StoreUnavailable when the change could not be made durable, or the store is closed or read-only
   */
  transact<R>(work: (tx: Tx) => Promise<R>, owner?: string): Promise<R>;
  /**
   * Leases the heads of lanes that are due; they are durable. Owners are served in turn, those with fewest leases first;
   * of one owner, those due longest first. A lane that is leased is not claimed again until it is released, or its holder
   * is gone.
   */
  claim(
    lanes: LaneSpec,
    query: { readonly now: number; readonly most: number },
  ): Awaitable<readonly LaneWork[]>;
  /**
   * The lanes that are claimed before one, in this order, if nothing else comes: seen from when it is due, where it is put
   * off. One that does not wait counts as coming just now; none is before one that is leased.
   */
  ahead(lanes: LaneSpec, of: LanePlace): Awaitable<readonly string[]>;
  /** Ends a lease; after the transaction that completed the work or put it off. No matter if it has ended already. */
  release(lanes: LaneSpec, claimed: LaneWork): Awaitable<void>;
  /**
   * When the next head of a lane that is neither leased nor held is due, 0 where one is at once; undefined: none waits.
   * What is put off for too long counts as seen from the last claim.
   */
  nextDue(lanes: LaneSpec): Awaitable<number | undefined>;
  /**
   * Calls back, soon after, when there may be something to claim that was not there before, or sooner: work became
   * durable, a lane was let go or released with work left, or is put off for less. @returns ends it
   */
  onWork(lanes: LaneSpec, listener: () => void): () => void;
  health(): StoreHealth;
  /**
   * Finishes what was begun, leaves the files whole, lets go of the lock.
   * @param signal Aborted: what only makes the next start quicker is left undone.
   */
  close(signal?: AbortSignal): Promise<void>;
}

/** The change contradicts what is stored. */
export class StoreConflict extends Error {
  override readonly name = 'StoreConflict';
  constructor(
    readonly kind: 'exists' | 'missing' | 'revision' | 'unique',
    readonly collection: string,
    readonly id: string,
    /** For `unique`: the index whose value is taken. */
    readonly index?: string,
  ) {
    super(`${collection} ${id}: ${kind}${index ? ` (${index})` : ''}`);
  }
}

/** The store can't take writes (or is closed); nothing was changed. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

/** The data on disk can't be trusted or used; the message names file, line and the way out. */
export class StoreRefusal extends Error {
  override readonly name = 'StoreRefusal';
  constructor(
    message: string,
    /** `file`: the path of what can't be used, where it is one file. */
    readonly options: ErrorOptions & { readonly file?: string } = {},
  ) {
    super(message, options);
  }
}
