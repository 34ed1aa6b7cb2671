import { createHash } from 'node:crypto';
import { nextTurn } from '../next-turn.ts';
import { largestSnapshot } from '../../contract/local.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { LaneFamily, Module, StoredCollection, TravellingCollection } from '../module.ts';
import type { Versions } from '../store/migrate.ts';
import type { Blobs, Document, LaneSpec, LaneWork, Reader, Store, Tx } from '../store/store.ts';

/** What a snapshot is of, and what a restore replaces. */
export interface Stored {
  /** Those whose documents travel. */
  readonly collections: readonly TravellingCollection[];
  /** Those that stay behind, but that a restore empties. */
  readonly forgotten: readonly StoredCollection[];
  /** Those that only a reset empties. */
  readonly history: readonly StoredCollection[];
  readonly lanes: readonly LaneFamily[];
  readonly sequences: readonly string[];
  /** What a snapshot of an earlier version lacks is derived when it was restored. */
  readonly derive: (tx: Tx) => Promise<void>;
}

export function storedBy(modules: readonly Module[]): Stored {
  const all = modules.flatMap(({ collections }) => collections);
  const thatStay = (as: StoredCollection['stays']): readonly StoredCollection[] =>
    all.filter(({ stays }) => stays === as);
  return {
    collections: all.filter((one): one is TravellingCollection => one.shape !== undefined),
    forgotten: thatStay('forgotten'),
    history: thatStay('history'),
    lanes: modules.flatMap(({ lanes = [] }) => lanes),
    sequences: modules.flatMap(({ sequences = [] }) => sequences),
    async derive(tx) {
      for (const { derive } of modules) await derive?.(tx);
    },
  };
}

/** The first line of a snapshot. */
export interface SnapshotHead {
  readonly kind: 'govctl-snapshot';
  readonly format_version: 1;
  /** Of the govctl that wrote it. */
  readonly version: string;
  readonly taken_at: string;
  /** A known text, sealed with the server's key: who can open it can open the secrets, too. */
  readonly sealed?: string;
  /** Of its documents. */
  readonly versions?: Versions;
}

export interface StoredLane {
  readonly of: string;
  readonly lane: string;
  readonly held: boolean;
  readonly due_at?: number;
}

/** `at` is its place among all lanes of the family. */
export interface StoredWork {
  readonly of: string;
  readonly lane: string;
  readonly at: number;
  readonly work: string;
}

/** A part of a blob; the parts follow one another from its first byte to its last. */
interface StoredPart {
  readonly blob: string;
  /** Base64. Of an empty blob there is one empty part. */
  readonly bytes: string;
}

/** A line between head and end. */
type SnapshotLine =
  | StoredPart
  | { readonly in: string; readonly doc: Document }
  | { readonly sequence: string; readonly value: number }
  | StoredLane
  | StoredWork;

const pageSize = 1_000;
/** Characters that are written at once. */
const pieceLength = 128 << 10;
/** Bytes of a blob in one line; a multiple of three, so that base64 needs no filling up. */
const partBytes = 192 << 10;

/** Where a snapshot goes. */
export interface SnapshotTarget {
  /** Takes a piece of it, which ends with a line. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Everything at one moment, as JSON lines of which the last has the checksum of the others. Of what is in the store, some
 * lines are in memory at a time.
 * @throws the signal's reason once it is aborted: changes wait no longer for what nobody wants
 */
export async function takeSnapshot(
  store: Store,
  stored: Stored,
  head: SnapshotHead,
  { write, signal }: SnapshotTarget,
): Promise<void> {
  const digest = createHash('sha256');
  let texts: string[] = [];
  let [length, lines, size] = [0, 0, 0];
  const flush = async (): Promise<void> => {
    const bytes = Buffer.from(texts.join(''));
    [texts, length] = [[], 0];
    size += bytes.length;
    if (size > largestSnapshot) throw tooLarge();
    digest.update(bytes);
    await write(bytes);
    await nextTurn();
  };
  const put = async (line: SnapshotHead | SnapshotLine): Promise<void> => {
    signal.throwIfAborted();
    const text = `${JSON.stringify(line)}\n`;
    texts.push(text);
    lines += 1;
    length += text.length;
    if (length >= pieceLength) await flush();
  };
  await put(head);
  const moment = await readAtOnce(store, stored, { put, signal });
  for (const line of moment.sequences) await put(line);
  for (const line of moment.lines) await put(line);
  await flush();
  const end = { end: true, lines, sha256: digest.digest('hex') };
  await write(Buffer.from(`${JSON.stringify(end)}\n`));
}

export const tooLarge = (): GovctlError =>
  new GovctlError(
    'body_too_large',
    `The snapshot is larger than ${largestSnapshot / 1024 / 1024} MiB; use \`govctl server backup\`, which has no limit`,
  );

interface Moment {
  readonly lines: readonly SnapshotLine[];
  readonly sequences: readonly SnapshotLine[];
}

/** Ends the transaction that has numbers drawn to see them: they are not used up. */
class Discarded {
  constructor(readonly moment: Moment) {}
}

interface Reading {
  /** Takes the parts of blobs. */
  readonly put: (line: StoredPart) => Promise<void>;
  readonly signal: AbortSignal;
}

async function readAtOnce(store: Store, stored: Stored, { put, signal }: Reading): Promise<Moment> {
  try {
    // Nobody comes in between, and nothing of it lasts.
    return await store.transact<never>(async (tx) => {
      const lines: SnapshotLine[] = [];
      const add = (line: SnapshotLine): void => {
        signal.throwIfAborted();
        lines.push(line);
      };
      // Its turn may have come after its caller left.
      signal.throwIfAborted();
      for (const collection of stored.collections) {
        for await (const doc of everyDocument(tx, collection)) {
          add({ in: collection.spec.name, doc });
          // Here, as what a document names can't be removed before this transaction has ended.
          for (const { blob } of collection.files?.(doc) ?? []) {
            for await (const part of partsOf(store.blobs, blob)) {
              await put(part);
            }
          }
        }
      }
      for (const family of stored.lanes) {
        for (const line of await readLanes(tx, stored, family)) add(line);
      }
      const sequences: SnapshotLine[] = [];
      for (const sequence of stored.sequences) {
        sequences.push({ sequence, value: (await tx.next(sequence)) - 1 });
      }
      throw new Discarded({ lines, sequences });
    });
  } catch (thrown) {
    if (thrown instanceof Discarded) return thrown.moment;
    throw thrown;
  }
}

async function* partsOf(blobs: Blobs, blob: string): AsyncGenerator<StoredPart> {
  let rest = Buffer.alloc(0);
  let isFirst = true;
  for await (const chunk of blobs.read(blob)) {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= partBytes) {
      yield { blob, bytes: rest.subarray(0, partBytes).toString('base64') };
      rest = rest.subarray(partBytes);
      isFirst = false;
    }
  }
  if (isFirst || rest.length > 0) yield { blob, bytes: rest.toString('base64') };
}

/** Page by page, in an order that the collection declares. */
export async function* everyDocument(
  reader: Reader,
  { spec }: StoredCollection,
): AsyncGenerator<Document> {
  const [orderBy] = Object.keys(spec.order ?? {});
  if (orderBy === undefined) throw new Error(`collection ${spec.name} has no order to page by`);
  const query = { orderBy, direction: 'asc', limit: pageSize } as const;
  for (let page = await reader.page(spec, query); ;) {
    for (const { doc } of page.rows) yield doc;
    if (!page.hasMore || !page.last) return;
    await nextTurn();
    page = await reader.page(spec, { ...query, after: page.last });
  }
}

async function readLanes(
  reader: Reader,
  stored: Stored,
  family: LaneFamily,
): Promise<SnapshotLine[]> {
  const { spec } = family;
  const work: StoredWork[] = [];
  for await (const { lane, position, work: what } of everyWork(reader, spec)) {
    work.push({ of: spec.name, lane, at: position, work: what });
  }
  const states: StoredLane[] = [];
  for (const lane of await lanesOf(reader, stored, family, work)) {
    const { waiting, held, dueAt } = await reader.laneState(spec, lane);
    if (waiting === 0 && !held) continue;
    const due = dueAt === undefined ? {} : { due_at: dueAt };
    states.push({ of: spec.name, lane, held, ...due });
  }
  // What waits stands before how long: an empty lane can't be put off.
  return [...work, ...states];
}

/** The work of all lanes of a family, by position. */
export async function* everyWork(reader: Reader, spec: LaneSpec): AsyncGenerator<LaneWork> {
  for (let after = -1; ;) {
    const found = await reader.laneWork(spec, { after, limit: pageSize });
    yield* found;
    const last = found.at(-1);
    if (!last || found.length < pageSize) return;
    after = last.position;
  }
}

/** The names of all lanes that there may be: an empty one can be held. */
export async function lanesOf(
  reader: Reader,
  stored: Stored,
  { owners }: LaneFamily,
  work: readonly { readonly lane: string }[],
): Promise<ReadonlySet<string>> {
  const names = new Set(work.map(({ lane }) => lane));
  const collection = stored.collections.find(({ spec }) => spec.name === owners);
  if (!collection) throw new Error(`there is no collection ${owners} whose documents have lanes`);
  for await (const { id } of everyDocument(reader, collection)) names.add(id);
  return names;
}
