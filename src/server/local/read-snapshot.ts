import { defined } from '../../contract/defined.ts';
import { createHash } from 'node:crypto';
import { nextTurn } from '../next-turn.ts';
import * as z from 'zod';
import { largestSnapshot } from '../../contract/local.ts';
import { describeIssues } from '../../contract/describe-issues.ts';
import { parseToFirstIssue } from '../../contract/parse-to-first-issue.ts';
import { Timestamp } from '../../contract/lists.ts';
import { GovctlError } from '../../contract/errors.ts';
import type { ErrorDetail } from '../../contract/errors.ts';
import { maxDepth } from '../../inventory/text/depth.ts';
import { findDeep } from '../../inventory/text/find-deep.ts';
import type { StoredCollection, TravellingCollection } from '../module.ts';
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
  /** The parts of each blob. */
  readonly blobs: ReadonlyMap<string, readonly Buffer[]>;
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
const Line = z.union([
  z.strictObject({ in: name, doc: z.looseObject({ id: z.string().min(1) }) }),
  z.strictObject({ blob: z.string().regex(blobId), bytes: z.string() }),
  z.strictObject({ sequence: name, value: z.int().min(0).max(highestSequence) }),
  z.strictObject({ of: name, lane: name, at: z.int().min(0), work: z.string().min(1).max(512) }),
  z.strictObject({ of: name, lane: name, held: z.boolean(), due_at: z.number().optional() }),
]);

/** Reads a stream to its end, as long as it is no larger than a snapshot may be. @throws GovctlError body_too_large */
export async function readStream(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  // Part by part: all of it at once would hold up everybody.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const parts: string[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > largestSnapshot) throw tooLarge();
    parts.push(decoder.decode(chunk, { stream: true }));
  }
  parts.push(decoder.decode());
  return parts.join('');
}

/** Characters that are read between two turns of others: some milliseconds. */
const perTurn = 65_536;
/** Characters of a line, which is read in one turn. No row that the service stores has as many. */
const longestLine = 4 * 1024 * 1024;
const tooLong = `is longer than ${longestLine >> 20} MiB`;

/** Where the line that begins there ends, and the next begins. */
function afterLine(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at < 0 ? text.length : at + 1;
}

/**
 * The lines with their places, with turns given to others between them. Never all at once: a file of nothing but line ends
 * would fill the memory with its lines.
 */
async function* inTurns(text: string): AsyncGenerator<readonly [number, string]> {
  let turnEnds = perTurn;
  for (let from = 0, at = 0; from < text.length; at += 1) {
    const next = afterLine(text, from);
    yield [at, text.slice(from, next - 1)];
    from = next;
    if (from < turnEnds) continue;
    turnEnds = from + perTurn;
    await nextTurn();
  }
}

/** The number of whole lines, and the SHA-256 of their UTF-8. */
async function measure(text: string): Promise<{ lines: number; sha256: string }> {
  const digest = createHash('sha256');
  let lines = 0;
  for (let from = 0; from < text.length;) {
    // At the end of a line no character is cut in two.
    const next = afterLine(text, from + perTurn);
    const part = text.slice(from, next);
    for (let at = 0; at < part.length; at = afterLine(part, at)) lines += 1;
    if (part.length > perTurn + longestLine) throw refuseLine(lines, tooLong);
    digest.update(part);
    from = next;
    await nextTurn();
  }
  return { lines, sha256: digest.digest('hex') };
}

/**
 * Reads a snapshot and checks all of it.
 * @throws GovctlError malformed_request with the line that is wrong
 */
export async function readSnapshot(text: string, stored: Stored): Promise<Snapshot> {
  const { head, body } = await checkWhole(text);
  const newer = newerThanKnown(
    stored.collections.map(({ spec }) => spec),
    head.versions,
  );
  if (newer !== undefined) {
    throw refuseLine(1, `says that a newer govctl (${shown(head.version)}) wrote it: ${newer}`);
  }
  const documents = new Map<StoredCollection, Document[]>();
  const sequences = new Map<string, number>();
  const work: StoredWork[] = [];
  const lanes: StoredLane[] = [];
  const families = new Map(stored.lanes.map((family) => [family.spec.name, family]));
  const working = new Set<string>();
  const collections = new Map(stored.collections.map((one) => [one.spec.name, one]));
  const isTaken = createTaken();
  const blobs = new Map<string, Buffer[]>();
  /** Documents that have files, and the first parts of files, with their lines. */
  const owners: Owner[] = [];
  const firstLines = new Map<string, number>();
  for await (const [at, line] of inTurns(body)) {
    const refuse = (why: string): GovctlError => refuseLine(at + 2, why);
    if (line.length > longestLine) throw refuse(tooLong);
    const given = parse(line);
    const parsed = Line.safeParse(given);
    if (!parsed.success) throw refuse('is not a line of a snapshot');
    const { data } = parsed;
    if ('in' in data) {
      // As it was read: a schema's own copy may lack unusual names.
      const { doc: older } = given as { doc: Document };
      const collection = collections.get(data.in);
      if (!collection) throw refuse(`is of ${shown(data.in)}, which this govctl does not keep`);
      const doc = inThisVersion(collection, head, older);
      if (!doc) throw refuse('is not a row that an earlier version wrote');
      const faults = [...faultsOf(collection, doc), ...isTaken(collection, doc, at + 2)];
      if (faults.length > 0) throw refuseRow(at + 2, data.in, doc, faults);
      if (collection.files) owners.push({ collection, doc, line: at + 2 });
      const known = documents.get(collection);
      if (known) known.push(doc);
      else documents.set(collection, [doc]);
    } else if ('blob' in data) {
      const bytes = Buffer.from(data.bytes, 'base64');
      // Decoding skips what is not base64.
      if (bytes.toString('base64') !== data.bytes) throw refuse('is not base64');
      const known = blobs.get(data.blob);
      if (known) known.push(bytes);
      else {
        blobs.set(data.blob, [bytes]);
        firstLines.set(data.blob, at + 2);
      }
    } else if ('sequence' in data) {
      if (!stored.sequences.includes(data.sequence)) throw refuse('is of an unknown sequence');
      sequences.set(data.sequence, data.value);
    } else {
      const family = families.get(data.of);
      if (!family) throw refuse(`is of lanes ${shown(data.of)}, which are unknown`);
      if (!('work' in data)) lanes.push(laneOf(data));
      else {
        const key = `${data.of} ${data.lane}`;
        if (family.workIsOwner && (data.work !== data.lane || working.has(key))) {
          throw refuse(`has other work than the row ${shown(data.lane)}, or has it twice`);
        }
        working.add(key);
        work.push(data);
      }
    }
  }
  const named = checkFiles(owners, blobs);
  for (const [blob, line] of firstLines) {
    if (!named.has(blob)) throw refuseLine(line, `is of the file ${shown(blob)}, which no row has`);
  }
  return { head, documents, sequences, work, lanes, blobs };
}

interface Owner {
  readonly collection: TravellingCollection;
  readonly doc: Document;
  readonly line: number;
}

/** The blobs that documents name are there, and as they say. @returns their IDs */
function checkFiles(owners: readonly Owner[], blobs: Snapshot['blobs']): ReadonlySet<string> {
  const named = new Set<string>();
  for (const { collection, doc, line } of owners) {
    const refuse = (blob: string, message: string): GovctlError =>
      refuseRow(line, collection.spec.name, doc, [{ field: `its file ${shown(blob)}`, message }]);
    for (const { blob, size, sha256 } of collection.files?.(doc) ?? []) {
      const parts = blobs.get(blob);
      if (!parts) throw refuse(blob, 'is missing');
      if (named.has(blob)) throw refuse(blob, 'is the file of another row, too');
      named.add(blob);
      const length = parts.reduce((sum, part) => sum + part.length, 0);
      const hash = createHash('sha256');
      for (const part of parts) hash.update(part);
      const isSame =
        (size ?? length) === length && (sha256 === undefined || sha256 === hash.digest('hex'));
      if (!isSame) throw refuse(blob, 'is not the one it was');
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

/** The head, and the lines between head and end. */
async function checkWhole(text: string): Promise<{ head: SnapshotHead; body: string }> {
  const headEnds = afterLine(text, 0);
  const head = Head.safeParse(parse(text.slice(0, headEnds)));
  if (!head.success) {
    throw refuseLine(1, 'is not the head of a snapshot; `govctl server snapshot` makes one');
  }
  const { format_version: version, sealed, versions, ...rest } = head.data;
  if (version !== 1) {
    throw refuseLine(
      1,
      `has format version ${version}, which a newer govctl (${shown(rest.version)}) wrote`,
    );
  }
  const endBegins = text.lastIndexOf('\n', text.length - 2) + 1;
  const before = await measure(text.slice(0, endBegins));
  const end = End.safeParse(parse(text.slice(endBegins)));
  if (!end.success || !text.endsWith('\n')) {
    throw refuseLine(before.lines + 1, 'is not the end of a snapshot: the rest of it is missing');
  }
  if (end.data.lines !== before.lines || end.data.sha256 !== before.sha256) {
    throw refuseLine(
      before.lines + 1,
      'has a checksum that does not fit: the snapshot was changed',
    );
  }
  return {
    head: { ...rest, format_version: version, ...defined({ sealed, versions }) },
    body: text.slice(headEnds, endBegins),
  };
}

function parse(line: string): unknown {
  if (line.length > longestLine || findDeep(line, maxDepth) !== undefined) return undefined;
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
  const what = `${first?.field || 'the row'} ${first?.message ?? 'is wrong'}`;
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
