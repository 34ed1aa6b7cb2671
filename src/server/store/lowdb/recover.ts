import { join } from 'node:path';
import { newerThanKnown } from '../migrate.ts';
import type { CollectionSpec, Document, Versioned } from '../store.ts';
import { FIRST_FORMAT, openCheckpoint } from './checkpoint.ts';
import type { Checkpoint } from './checkpoint.ts';
import { createSegment } from './journal.ts';
import { unfinished } from './kinds.ts';
import { laneFile, lanesOfRows, shareWorks } from './lane-records.ts';
import type { State } from './lowdb-store.ts';
import { manifestPath, readManifest, writeManifest } from './manifest.ts';
import type { Manifest } from './manifest.ts';
import { refuse, refuseCheckpoint, refuseVersion } from './refusal.ts';
import { replayJournal, takeIn } from './replay.ts';
import { segmentName, segmentsIn } from './segments.ts';
import type { Draft, Folder, ReplayedJournal } from './replay.ts';
import { unlessNoChanges } from './file-layer.ts';
import { Table } from './table.ts';
import { createPace } from './pace.ts';
import { readMark } from './synced-mark.ts';

export interface Recovered {
  readonly state: State;
  /** The commit that the checkpoints stand at. */
  readonly folded: number;
  /** If the first format wrote it, the journal has to go on in another segment. */
  readonly journal: ReplayedJournal;
  readonly manifest: Manifest;
}

/** The names of all checkpoints, without `.json`. */
const checkpointsOf = ({ specs, lanes }: Pick<Folder, 'specs' | 'lanes'>): string[] => [
  ...specs.map(({ name }) => name),
  ...lanes.map(({ name }) => laneFile(name)),
];

/** A folder without a manifest is a new one, unless it holds something of ours. */
const startFresh = async (folder: Folder, names: readonly string[]): Promise<Manifest> => {
  const { dir, files } = folder;
  const segments = segmentsIn(names);
  const ours = new Set(
    checkpointsOf(folder).flatMap((name) => [`${name}.json`, `${name}.json.bak`]),
  );
  const leftovers = names.filter((name) => ours.has(name));
  for (const { name } of segments) {
    if ((await files.size(join(dir, name))) > 0) leftovers.push(name);
  }
  const hasBackup = names.includes('store.json.bak');
  if (leftovers.length > 0 || hasBackup) {
    const path = manifestPath(dir);
    throw refuseCheckpoint(
      path,
      `${path} is missing, although ${leftovers[0] ?? 'store.json.bak'} exists`,
      hasBackup,
    );
  }
  const interrupted = `${dir}.partial`;
  const waiting = await files.list(interrupted).catch((): string[] => []);
  if (waiting.includes(unfinished)) {
    throw refuse(`${dir} is missing, and ${interrupted} is from an interrupted restore`, [
      'Fix: run `govctl server restore` again. To start with no data instead, remove that directory.',
    ]);
  }
  if (folder.isReadOnly) {
    throw refuse(`${dir} is not a govctl data directory: it has no store.json`, [
      'Fix: pass the directory that `govctl server --data-dir` uses, or a backup.',
    ]);
  }
  const isNew = !segments.some(({ from }) => from === 0);
  if (isNew) await (await createSegment(files, dir, 0)).close();
  const manifest: Manifest = { commit: 0, collections: [], sequences: [] };
  try {
    await writeManifest(files, dir, manifest);
  } catch (error) {
    // A folder that could not be made is left as it was.
    if (isNew) await files.remove(join(dir, segmentName(0))).catch(() => undefined);
    throw error;
  }
  return manifest;
};

/** @throws StoreRefusal where the manifest lists something of which this version has no declaration */
const checkDeclared = (
  { dir }: Folder,
  what: string,
  listed: readonly string[],
  declared: readonly { readonly name: string }[],
): void => {
  const unknown = listed.find((name) => !declared.some((spec) => spec.name === name));
  if (unknown === undefined) return;
  throw refuse(`${manifestPath(dir)} lists the ${what} "${unknown}", unknown to this version`, [
    'Fix: use the version of govctl that wrote the directory, or a newer one.',
  ]);
};

const loadCheckpoints = async (
  folder: Folder,
  manifest: Manifest,
  names: readonly string[],
): Promise<Draft> => {
  const { dir, files, specs, lanes } = folder;
  const { commit: at, collections, lanes: families = [] } = manifest;
  checkDeclared(folder, 'collection', collections, specs);
  checkDeclared(folder, 'lanes', families, lanes);
  const listed = new Set([...collections, ...families.map(laneFile)]);
  const heldUpTo = new Map<string, number>();

  const load = async (
    name: string,
    keep?: (doc: Document, version: number) => Document,
  ): Promise<Checkpoint['rows']> => {
    const path = join(dir, `${name}.json`);
    const file = openCheckpoint(files, path, keep);
    await file.read();
    const { commit, version = 1, rows } = file.data;
    const newer = newerThanKnown(specs, { [name]: version });
    if (newer !== undefined) throw refuseVersion(path, newer);
    if (commit < 0 && listed.has(name)) {
      throw refuseCheckpoint(path, `${path} is missing`, names.includes(`${name}.json.bak`));
    }
    // What is new to this version has no file, and nothing before the journal either.
    heldUpTo.set(name, commit < 0 ? at : commit);
    return rows;
  };

  const draft: Draft = {
    commit: at,
    rows: new Map(),
    lanes: new Map(),
    heldUpTo,
    sequences: new Map(manifest.sequences),
    sequencesHeldUpTo: at,
    isOld: manifest.format === FIRST_FORMAT,
  };
  const pace = createPace();
  for (const spec of specs) {
    const { name } = spec;
    const rows = new Map<string, Versioned<Document>>();
    draft.rows.set(name, rows);
    for (const row of await load(name, (doc, version) => takeIn(folder, spec, version, doc))) {
      rows.set(row.doc.id, row);
      await pace.spend(1);
    }
  }
  for (const { name } of lanes) draft.lanes.set(name, lanesOfRows(await load(laneFile(name))));
  return draft;
};

const buildTable = async (
  dir: string,
  spec: CollectionSpec<Document>,
  rows: Map<string, Versioned<Document>>,
): Promise<Table> => {
  const table = new Table(spec);
  const clash = await table.fill(rows.values());
  if (clash) {
    throw refuse(
      `${join(dir, `${spec.name}.json`)}: ${clash.ids.join(' and ')} have the same ${clash.index}`,
      [
        'Fix: use the version of govctl that wrote the directory, and change one of these two entries.',
      ],
    );
  }
  return table;
};

/** What a folder holds: checkpoints, then the journal. */
export interface FolderRead {
  readonly manifest: Manifest;
  readonly draft: Draft;
  readonly journal: ReplayedJournal;
}

/** @throws StoreRefusal when anything but a torn tail doesn't check */
export const readFolder = async (folder: Folder): Promise<FolderRead> => {
  const { dir, files } = folder;
  const before = await files.list(dir);
  for (const name of folder.isReadOnly ? [] : before) {
    if (/\.(json(\.bak)?|ndjson)\.tmp$/.test(name)) {
      await files.remove(join(dir, name)).catch(unlessNoChanges);
    }
  }
  const manifest =
    (await readManifest(files, dir, before.includes('store.json.bak'))) ??
    (await startFresh(folder, before));
  const names = await files.list(dir);
  const draft = await loadCheckpoints(folder, manifest, names);
  const synced = await readMark(files, dir);
  const journal = await replayJournal(folder, draft, names, synced);
  for (const [name, heldUpTo] of draft.heldUpTo) {
    if (heldUpTo <= draft.commit) continue;
    const path = join(dir, `${name}.json`);
    throw refuseCheckpoint(
      path,
      `${path} contains commits up to ${heldUpTo}, but the journal ends at commit ${draft.commit}`,
      names.includes(`${name}.json.bak`),
    );
  }
  return { manifest, draft, journal };
};

/**
 * Puts the state of a folder together.
 * @throws StoreRefusal when anything but a torn tail doesn't check
 */
export const recover = async (folder: Folder): Promise<Recovered> => {
  const { dir, specs } = folder;
  const { manifest, draft, journal } = await readFolder(folder);
  await shareWorks(draft.lanes, draft.rows.values());
  const tables = new Map<string, Table>();
  for (const spec of specs) {
    tables.set(spec.name, await buildTable(dir, spec, draft.rows.get(spec.name) ?? new Map()));
  }
  const state: State = {
    commit: draft.commit,
    tables,
    lanes: draft.lanes,
    sequences: draft.sequences,
  };
  return { state, folded: manifest.commit, journal, manifest };
};
