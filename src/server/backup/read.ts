import { createHash } from 'node:crypto';
import { auditText, chainStart } from '../../contract/audit-log.ts';
import { auditEnds, auditLog } from '../audit/collection.ts';
import type { StoredAuditEntry, StoredEnd } from '../audit/collection.ts';
import type { FileOf, Module, StoredCollection } from '../module.ts';
import type { Pinned } from '../store/lowdb/pin.ts';
import { readFolder } from '../store/lowdb/recover.ts';
import type { FolderRead } from '../store/lowdb/recover.ts';
import { uniqueValuesOf } from '../store/lowdb/spec.ts';
import type { Document } from '../store/store.ts';

/** What is kept of a document: what its checks need. */
interface Kept extends Document {
  readonly files?: readonly FileOf[];
  /** Index and value. */
  readonly unique?: readonly (readonly [string, string])[];
  readonly sequence?: number;
  readonly link?: Link;
}

/** An entry of the audit log, without what it says. */
interface Link {
  readonly sequence: number;
  readonly prev: string | undefined;
  readonly hash: string | undefined;
  /** The hash is that of the entry. */
  readonly isTrue: boolean;
}

/** A file that a document references, with its owner. */
export interface NamedFile extends FileOf {
  readonly collection: string;
  readonly id: string;
}

/** What contradicts itself although every checksum fits. */
interface Contradiction {
  readonly file: string;
  readonly what: string;
}

export interface AuditRange {
  readonly entries: number;
  readonly first: number;
  readonly last: number;
}

/** What a directory holds at the moment at which it was pinned. */
export interface Moment {
  readonly commit: number;
  readonly read: FolderRead;
  /** Of collections that have some. */
  readonly records: Readonly<Record<string, number>>;
  /** Pieces of work that wait, by family of lanes. */
  readonly waiting: Readonly<Record<string, number>>;
  readonly audit: AuditRange;
  readonly named: ReadonlyMap<string, NamedFile>;
  readonly contradictions: readonly Contradiction[];
  /** What a start would put right by itself. */
  readonly notes: readonly string[];
}

/** @throws StoreRefusal as a start of the server would */
export async function readMoment(
  pinned: Pinned,
  dir: string,
  modules: readonly Module[],
): Promise<Moment> {
  const collections = new Map(
    modules.flatMap((module) => module.collections.map((one) => [one.spec.name, one] as const)),
  );
  const notes: string[] = [];
  const read = await readFolder({
    dir,
    files: pinned.files,
    specs: [...collections.values()].map(({ spec }) => spec),
    lanes: modules.flatMap(({ lanes = [] }) => lanes).map(({ spec }) => spec),
    warn: (message) => void notes.push(message),
    isReadOnly: true,
    keep: (name, doc) => keptOf(name, collections.get(name), doc),
  });
  const { draft } = read;
  const records: Record<string, number> = {};
  const named = new Map<string, NamedFile>();
  const contradictions: Contradiction[] = [];
  for (const [collection, rows] of draft.rows) {
    if (rows.size > 0) records[collection] = rows.size;
    const docs = Array.from(rows.values(), ({ doc }) => doc as Kept);
    for (const { id, files = [] } of docs) {
      for (const file of files) named.set(file.blob, { ...file, collection, id });
    }
    contradictions.push(
      ...twins(collection, docs),
      ...aheadOf(collection, docs, draft.sequences.get(collection)),
    );
  }
  contradictions.push(...disorder(read));
  const ends = draft.rows.get(auditEnds.name);
  const links = Array.from(
    draft.rows.get(auditLog.name)?.values() ?? [],
    ({ doc }) => (doc as Kept).link,
  ).filter((link) => link !== undefined);
  const { audit, broken } = checkChain(links, (id) => ends?.get(id)?.doc as StoredEnd | undefined);
  const waiting: Record<string, number> = {};
  for (const [family, lanes] of draft.lanes) {
    let pieces = 0;
    for (const { queue } of lanes.values()) pieces += queue.size;
    if (pieces > 0) waiting[family] = pieces;
  }
  return {
    commit: draft.commit,
    read,
    records,
    waiting,
    audit,
    named,
    contradictions: [...contradictions, ...broken],
    notes,
  };
}

function keptOf(name: string, collection: StoredCollection | undefined, doc: Document): Document {
  const { id } = doc;
  if (name === auditEnds.name) return doc;
  const files = collection?.files?.(doc);
  const unique = collection ? uniqueValuesOf(collection.spec, doc) : [];
  const { sequence } = doc as { readonly sequence?: unknown };
  const kept: Kept = {
    id,
    ...(files && files.length > 0 ? { files } : {}),
    ...(unique.length > 0 ? { unique } : {}),
    ...(typeof sequence === 'number' ? { sequence } : {}),
    ...(name === auditLog.name ? { link: linkOf(doc as StoredAuditEntry) } : {}),
  };
  return kept;
}

const linkOf = (entry: StoredAuditEntry): Link => ({
  sequence: entry.sequence,
  prev: entry.prev,
  hash: entry.hash,
  isTrue:
    entry.hash === undefined ||
    entry.hash === createHash('sha256').update(auditText(entry)).digest('hex'),
});

function twins(collection: string, docs: readonly Kept[]): Contradiction[] {
  const seen = new Map<string, string>();
  const found: Contradiction[] = [];
  for (const { id, unique = [] } of docs) {
    for (const [index, value] of unique) {
      const key = `${index} ${value}`;
      const other = seen.get(key);
      if (other === undefined) seen.set(key, id);
      else
        found.push({ file: fileOf(collection), what: `${other} and ${id} have the same ${index}` });
    }
  }
  return found;
}

/** A number that was given out must not be given out again. */
function aheadOf(
  collection: string,
  docs: readonly Kept[],
  drawn: number | undefined,
): Contradiction[] {
  if (drawn === undefined) return [];
  const ahead = docs.find(({ sequence = 0 }) => sequence > drawn);
  if (!ahead) return [];
  const what = `${ahead.id} has number ${ahead.sequence}, but the highest assigned number is ${drawn}`;
  return [{ file: fileOf(collection), what }];
}

/** Work goes by its place: one lane has it in order. */
function disorder({ draft }: FolderRead): Contradiction[] {
  const found: Contradiction[] = [];
  for (const [family, lanes] of draft.lanes) {
    for (const [lane, { queue }] of lanes) {
      let last = -1;
      for (const { positions } of queue.parts(1_000)) {
        for (const position of positions) {
          if (position <= last) {
            const what = `lane ${lane} has position ${position} after position ${last}`;
            found.push({ file: `${family}.lanes.json`, what });
          }
          last = position;
        }
      }
    }
  }
  return found;
}

/** From the newest entry that was removed to the head, each entry has the hash of the one before. */
function checkChain(
  links: readonly Link[],
  endOf: (id: StoredEnd['id']) => StoredEnd | undefined,
): { readonly audit: AuditRange; readonly broken: readonly Contradiction[] } {
  const [anchor, head] = [endOf('anchor'), endOf('head')];
  const inOrder = [...links].sort((a, b) => a.sequence - b.sequence);
  // Entries of the first version are chained by the next start.
  const chained = inOrder.filter(({ hash }) => hash !== undefined);
  const broken: Contradiction[] = [];
  const tell = (what: string): void => void broken.push({ file: fileOf(auditLog.name), what });
  let [sequence, hash] = [anchor?.sequence ?? 0, anchor?.hash ?? chainStart];
  for (const link of chained) {
    const { prev, isTrue } = link;
    if (!isTrue) tell(`audit log entry ${link.sequence} does not match its hash`);
    if (link.sequence !== sequence + 1) {
      tell(`audit log entries ${sequence + 1} to ${link.sequence - 1} are missing`);
    } else if (prev !== hash) {
      tell(`audit log entry ${link.sequence} does not match the hash of entry ${sequence}`);
    }
    [sequence, hash] = [link.sequence, link.hash ?? ''];
  }
  if (head && (head.sequence !== sequence || head.hash !== hash)) {
    tell(
      `the audit log ends at entry ${sequence}, not at ${head.sequence} as the head of the log says`,
    );
  }
  const audit = {
    entries: inOrder.length,
    first: inOrder[0]?.sequence ?? 0,
    last: inOrder.at(-1)?.sequence ?? 0,
  };
  return { audit, broken };
}

const fileOf = (collection: string): string => `${collection}.json`;
