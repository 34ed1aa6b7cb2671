import { defined } from '../../contract/defined.ts';
import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import * as z from 'zod';
import { largestSnapshot } from '../../contract/local.ts';
import { describeIssues } from '../../contract/describe-issues.ts';
import { parseToFirstIssue } from '../../contract/parse-to-first-issue.ts';
import { Timestamp } from '../../contract/lists.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { ErrorDetail } from '../../contract/errors.ts';
import { maxDepth } from '../../inventory/text/depth.ts';
import { findDeep } from '../../inventory/text/find-deep.ts';
import { readLines } from '../lines.ts';
import type { StoredCollection, TravellingCollection } from '../module.ts';
import { openNamelessFile } from '../nameless-file.ts';
import type { NamelessFile } from '../nameless-file.ts';
import { nextTurn } from '../next-turn.ts';
import { migrate, newerThanKnown } from '../store/migrate.ts';
import { blobId } from '../store/store.ts';
import type { Document } from '../store/store.ts';
import { tooLarge } from './snapshot.ts';
import type { SnapshotHead, Stored, StoredLane, StoredWork } from './snapshot.ts';

/** A snapshot that was read and found to be whole. */
export interface Snapshot {
  readonly head: SnapshotHead;
  readonly documents: ReadonlyMap<StoredCollection, readonly Document[]>;
  readonly sequences: ReadonlyMap<string, number>;
  readonly work: readonly StoredWork[];
  readonly lanes: readonly StoredLane[];
  /** Their lower-case hex SHA-256, by ID. */
  readonly blobs: ReadonlyMap<string, string>;
  /** Reads the bytes of the blobs again, a part in memory at a time: those of one blob follow one another. */
  readonly parts: () => AsyncIterable<BlobPart>;
}

interface BlobPart {
  readonly blob: string;
  readonly bytes: Buffer;
}

const Head = z.object({
  kind: z.literal('govctl-snapshot'),
  format_version: z.int(),
  version: z.string().max(100),
  taken_at: Timestamp,
  sealed: z.string().max(10_000).optional(),
  versions: z.record(z.string().max(256), z.int().min(1)).optional(),
});
const End = z.strictObject({ end: z.literal(true), lines: z.int(), sha256: z.string() });
const name = z.string().min(1).max(256);
/** Numbers are drawn one by one until a sequence is where it was. */
const highestSequence = 10_000_000;
const Part = z.strictObject({ blob: z.string().regex(blobId), bytes: z.string() });
const Line = z.union([
  z.strictObject({ in: name, doc: z.looseObject({ id: z.string().min(1) }) }),
  Part,
  z.strictObject({ sequence: name, value: z.int().min(0).max(highestSequence) }),
  z.strictObject({ of: name, lane: name, at: z.int().min(0), work: z.string().min(1).max(512) }),
  z.strictObject({ of: name, lane: name, held: z.boolean(), due_at: z.number().optional() }),
]);

/**
 * Stores a snapshot as it comes, in a file that whoever calls this closes.
 * @throws GovctlError body_too_large; StoreUnavailable where the disk is full
 */
export async function receiveSnapshot(chunks: AsyncIterable<Uint8Array>): Promise<NamelessFile> {
  const file = await openNamelessFile('a snapshot');
  try {
    for await (const chunk of chunks) {
      if (file.size() + chunk.length > largestSnapshot) throw tooLarge();
      await file.append(chunk);
    }
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Bytes that are read between two turns of others: some milliseconds. */
const perTurn = 65_536;
/** Bytes of a line, which is read in one turn. No row that the service stores has as many. */
const longestLine = 4 * 1024 * 1024;

/** The lines, one in memory at a time, with turns given to others between them. `isEnded`: a line break follows. */
async function* linesOf(
  file: NamelessFile,
): AsyncGenerator<readonly [at: number, line: string, isEnded: boolean]> {
  let turnEnds = perTurn;
  let read = 0;
  for await (const { number, text, problem, bytes } of readLines(file.read(), longestLine)) {
    if (text === undefined) throw refuseLine(number, problem ?? 'is not valid UTF-8');
    read += bytes + 1;
    yield [number, text, read <= file.size()];
    if (read < turnEnds) continue;
    turnEnds = read + perTurn;
    await nextTurn();
  }
}

/**
 * Reads a snapshot and checks all of it.
 * @throws GovctlError malformed_request with the line that is wrong
 */
export async function readSnapshot(file: NamelessFile, stored: Stored): Promise<Snapshot> {
  const { head, last } = await checkWhole(file);
  const newer = newerThanKnown(
    stored.collections.map(({ spec }) => spec),
    head.versions,
  );
  if (newer !== undefined) {
    throw refuseLine(1, `was written by a newer govctl (${shown(head.version)}): ${newer}`);
  }
  const documents = new Map<StoredCollection, Document[]>();
  const sequences = new Map<string, number>();
  const work: StoredWork[] = [];
  const lanes: StoredLane[] = [];
  const families = new Map(stored.lanes.map((family) => [family.spec.name, family]));
  const working = new Set<string>();
  const collections = new Map(stored.collections.map((one) => [one.spec.name, one]));
  const isTaken = createTaken();
  const blobs = new Map<string, ReadBlob>();
  /** Documents that have files, with their lines. */
  const owners: Owner[] = [];
  for await (const [at, line] of linesOf(file)) {
    if (at === 1 || at === last) continue;
    const refuse = (why: string): GovctlError => refuseLine(at, why);
    const given = parse(line);
    const parsed = Line.safeParse(given);
    if (!parsed.success) throw refuse('is not a line of a snapshot');
    const { data } = parsed;
    if ('in' in data) {
      // As it was read: a schema's own copy may lack unusual names.
      const { doc: older } = given as { doc: Document };
      const collection = collections.get(data.in);
      if (!collection)
        throw refuse(
          `belongs to the collection ${shown(data.in)}, which this govctl does not support`,
        );
      const doc = inThisVersion(collection, head, older);
      if (!doc) throw refuse('is not a valid row of an earlier version');
      const faults = [...faultsOf(collection, doc), ...isTaken(collection, doc, at)];
      if (faults.length > 0) throw refuseRow(at, data.in, doc, faults);
      if (collection.files) owners.push({ collection, doc, line: at });
      const known = documents.get(collection);
      if (known) known.push(doc);
      else documents.set(collection, [doc]);
    } else if ('blob' in data) {
      const bytes = Buffer.from(data.bytes, 'base64');
      // Decoding skips what is not base64.
      if (bytes.toString('base64') !== data.bytes) throw refuse('is not base64');
      const known = blobs.get(data.blob);
      if (known && known.last !== at - 1) {
        throw refuse(`is separated from the other parts of the file ${shown(data.blob)}`);
      }
      const blob = known ?? { first: at, last: at, size: 0, digest: createHash('sha256') };
      blob.last = at;
      blob.size += bytes.length;
      blob.digest.update(bytes);
      blobs.set(data.blob, blob);
    } else if ('sequence' in data) {
      if (!stored.sequences.includes(data.sequence)) throw refuse('belongs to an unknown sequence');
      sequences.set(data.sequence, data.value);
    } else {
      const family = families.get(data.of);
      if (!family) throw refuse(`belongs to unknown lanes: ${shown(data.of)}`);
      if (!('work' in data)) lanes.push(laneOf(data));
      else {
        const key = `${data.of} ${data.lane}`;
        if (family.workIsOwner && (data.work !== data.lane || working.has(key))) {
          throw refuse(`does not match the work of the row ${shown(data.lane)}, or duplicates it`);
        }
        working.add(key);
        work.push(data);
      }
    }
  }
  const sums = new Map([...blobs].map(([id, { digest }]) => [id, digest.digest('hex')]));
  const named = checkFiles(owners, blobs, sums);
  for (const [blob, { first }] of blobs) {
    if (!named.has(blob)) {
      throw refuseLine(first, `belongs to the file ${shown(blob)}, which no row references`);
    }
  }
  return {
    ...{ head, documents, sequences, work, lanes, blobs: sums },
    parts: () => partsOf(file, blobs.values()),
  };
}

/** Where the parts of a blob are, and what they are together. */
interface ReadBlob {
  readonly first: number;
  last: number;
  size: number;
  readonly digest: Hash;
}

/** @param blobs in the order of their lines */
async function* partsOf(
  file: NamelessFile,
  blobs: Iterable<Pick<ReadBlob, 'first' | 'last'>>,
): AsyncGenerator<BlobPart> {
  const rest = blobs[Symbol.iterator]();
  let { value: next } = rest.next();
  if (!next) return;
  for await (const [at, line] of linesOf(file)) {
    if (at < next.first) continue;
    const { blob, bytes } = Part.parse(JSON.parse(line));
    yield { blob, bytes: Buffer.from(bytes, 'base64') };
    if (at < next.last) continue;
    ({ value: next } = rest.next());
    if (!next) return;
  }
}

interface Owner {
  readonly collection: TravellingCollection;
  readonly doc: Document;
  readonly line: number;
}

/** The blobs that documents name are there, and as they say. @returns their IDs */
function checkFiles(
  owners: readonly Owner[],
  blobs: ReadonlyMap<string, ReadBlob>,
  sums: ReadonlyMap<string, string>,
): ReadonlySet<string> {
  const named = new Set<string>();
  for (const { collection, doc, line } of owners) {
    const refuse = (blob: string, message: string): GovctlError =>
      refuseRow(line, collection.spec.name, doc, [{ field: `the file ${shown(blob)}`, message }]);
    for (const { blob, size, sha256 } of collection.files?.(doc) ?? []) {
      const found = blobs.get(blob);
      if (!found) throw refuse(blob, 'is missing');
      if (named.has(blob)) throw refuse(blob, 'is also the file of another row');
      named.add(blob);
      const isSame =
        (size ?? found.size) === found.size && (sha256 ?? sums.get(blob)) === sums.get(blob);
      if (!isSame) throw refuse(blob, 'has changed');
    }
  }
  return named;
}

const laneOf = ({
  due_at: dueAt,
  ...lane
}: Omit<StoredLane, 'due_at'> & { readonly due_at?: number | undefined }): StoredLane => ({
  ...lane,
  ...defined({ due_at: dueAt }),
});

/** @returns the head, and the number of the last line */
async function checkWhole(
  file: NamelessFile,
): Promise<{ readonly head: SnapshotHead; readonly last: number }> {
  const digest = createHash('sha256');
  let head: SnapshotHead | undefined;
  let [last, text, isWhole] = [0, '', false];
  for await (const [at, line, isEnded] of linesOf(file)) {
    head ??= headOf(line);
    // Of all lines but the last.
    if (last > 0) digest.update(`${text}\n`);
    [last, text, isWhole] = [at, line, isEnded];
  }
  if (!head) throw notHead();
  const end = End.safeParse(parse(text));
  if (!end.success || !isWhole) {
    throw refuseLine(last, 'is not the last line of a snapshot: the rest is missing');
  }
  if (end.data.lines !== last - 1 || end.data.sha256 !== digest.digest('hex')) {
    throw refuseLine(last, 'has a checksum that does not match: the snapshot was modified');
  }
  return { head, last };
}

const notHead = (): GovctlError =>
  refuseLine(1, 'is not the beginning of a snapshot; create one with `govctl server snapshot`');

function headOf(line: string): SnapshotHead {
  const head = Head.safeParse(parse(line));
  if (!head.success) throw notHead();
  const { format_version: version, sealed, versions, ...rest } = head.data;
  if (version !== 1) {
    throw refuseLine(
      1,
      `has format version ${version}, which a newer govctl (${shown(rest.version)}) wrote`,
    );
  }
  return { ...rest, format_version: version, ...defined({ sealed, versions }) };
}

function parse(line: string): unknown {
  if (findDeep(line, maxDepth) !== undefined) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // fits no schema
  }
}

/** @returns undefined where a document that was edited by hand cannot be migrated */
function inThisVersion(
  { spec }: TravellingCollection,
  { versions = {} }: SnapshotHead,
  older: Document,
): Document | undefined {
  try {
    return migrate(spec, versions[spec.name] ?? 1, older);
  } catch {
    return undefined;
  }
}

/** What is wrong with a document by itself. */
function faultsOf({ shape }: TravellingCollection, doc: Document): readonly ErrorDetail[] {
  const { error } = parseToFirstIssue(shape, doc);
  return error ? describeIssues(shape, doc, error.issues) : [];
}

/** Remembers what no two documents may have in common, with the line that had it first. */
function createTaken() {
  const lines = new Map<string, number>();
  return ({ spec }: StoredCollection, doc: Document, line: number): readonly ErrorDetail[] => {
    const faults: ErrorDetail[] = [];
    for (const [field, read] of Object.entries({ id: ({ id }: Document) => id, ...spec.unique })) {
      const value = read(doc);
      if (value === undefined) continue;
      const key = `${spec.name} ${field} ${value}`;
      const before = lines.get(key);
      if (before === undefined) lines.set(key, line);
      else faults.push({ field, message: `is the same as in line ${before}` });
    }
    return faults;
  };
}

const shown = (text: string): string => JSON.stringify(text.slice(0, 60));

/** Says where in the file a row is wrong, and what to do. */
function refuseRow(
  line: number,
  collection: string,
  { id }: Document,
  faults: readonly ErrorDetail[],
): GovctlError {
  const [first] = faults;
  const what = `${first?.field || 'the row'} ${first?.message ?? 'is not valid'}`;
  return new GovctlError(
    'malformed_request',
    `The snapshot cannot be restored: line ${line} (${collection} ${shown(id)}): ${what}`,
    {
      hint: 'Nothing was replaced. Correct that line and the checksum in the last line, or restore an unedited snapshot.',
      details: faults.map(({ field, message }) => ({
        field: field === '' ? `line ${line}` : `line ${line}: ${field}`,
        message,
      })),
    },
  );
}

function refuseLine(line: number, why: string): GovctlError {
  return new GovctlError(
    'malformed_request',
    `The snapshot cannot be restored: line ${line} ${why}`,
    {
      details: [{ field: `line ${line}`, message: why }],
    },
  );
}
