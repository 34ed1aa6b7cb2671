import { join } from 'node:path';
import { versionOf } from '../migrate.ts';
import { openCheckpoint } from './checkpoint.ts';
import type { FileLayer } from './file-layer.ts';
import { laneFile, laneRows } from './lane-records.ts';
import type { State } from './lowdb-store.ts';
import { writeManifest } from './manifest.ts';
import { segmentsIn } from './segments.ts';

/**
 * Writes the state to the checkpoints and lets go of the journal before it. The journal must have
 * been rotated at this very state. The state is captured before the first write, so it may go on
 * changing meanwhile.
 *
 * A crash anywhere in between is harmless: until the manifest says otherwise the old segments are
 * replayed, and a collection whose file is ahead already skips what it holds. The segments since the
 * previous checkpoint stay as `.bak`, so that `.bak` + journal still gives the newest state.
 *
 * @returns bytes of all checkpoints, as the measure of what the next fold costs
 */
export const foldState = async (files: FileLayer, dir: string, state: State): Promise<number> => {
  const { commit } = state;
  const tables = Array.from(state.tables, ([name, table]) => ({
    name,
    version: versionOf(table.spec),
    rows: table.snapshot(),
  }));
  const families = Array.from(state.lanes, ([family, lanes]) => ({
    name: laneFile(family),
    rows: laneRows(lanes, commit),
  }));
  const sequences = [...state.sequences];

  let bytes = 0;
  for (const { name, ...content } of [...tables, ...families]) {
    const path = join(dir, `${name}.json`);
    const file = openCheckpoint(files, path);
    file.data = { commit, ...content };
    await file.write();
    bytes += await files.size(path);
  }
  const collections = [...state.tables.keys()];
  const lanes = [...state.lanes.keys()];
  await writeManifest(files, dir, { commit, collections, lanes, sequences });

  const history = segmentsIn(await files.list(dir)).filter(({ from }) => from < commit);
  for (const { name, folded } of history) if (folded) await files.remove(join(dir, name));
  for (const { name, folded } of history) {
    if (!folded) await files.rename(join(dir, name), join(dir, `${name}.bak`));
  }
  await files.syncFolder(dir);
  return bytes;
};
