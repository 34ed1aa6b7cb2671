import { setImmediate as nextTurn } from 'node:timers/promises';
import { openLowdbStore } from '../../../../src/server/store/lowdb/open.ts';
import { failure, memoryFiles } from '../../../crash/memory-files.ts';
import { errands, jobs, posts } from '../lane-actions.ts';
import { describeLanes } from '../lane-contract.ts';
import { items, notes } from '../store-contract.ts';
import { tempFolder } from './temp-folder.ts';

/** So small that some commits make a fold. */
const checkpointBytes = 400;

describeLanes('the lanes of the lowdb store', async () => {
  const folder = await tempFolder();
  let files = memoryFiles();
  let flushes = 0;
  const open = () => {
    // Flushes take their time, so that transactions run before, between and after them.
    files.before = async (change) => {
      if (change !== 'sync') return;
      flushes += 1;
      for (let turn = 0; turn < flushes % 4; turn += 1) await nextTurn();
    };
    return openLowdbStore({
      dir: folder.path,
      collections: [items, notes],
      lanes: [posts, jobs, errands],
      files,
      checkpointBytes,
    });
  };
  let store = await open();
  let ends = 0;

  /** What a process leaves behind that is killed now, maybe in the middle of a fold or of a line. */
  const kill = async (torn: boolean): Promise<void> => {
    const left = files.afterKill();
    files.before = () => {
      throw failure('EIO');
    };
    await store.close();
    files = left;
    const journal = files.names().filter((name) => name.endsWith('.ndjson'));
    const last = journal.sort().at(-1);
    if (!torn || last === undefined) return;
    files.put(last, Buffer.concat([files.content(last), Buffer.from('{"commit":99,"ops":[["a')]));
  };

  return {
    store,
    async reopen() {
      const way = ends % 3;
      ends += 1;
      if (way === 0) await kill(false);
      else if (way === 1) await store.close();
      else await kill(true);
      return (store = await open());
    },
    async dispose() {
      await store.close();
      await folder.remove();
    },
  };
});
