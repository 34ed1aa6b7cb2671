import { openLowdbStore } from '../../../../src/server/store/lowdb/open.ts';
import { describeLanes, jobs, posts } from '../lane-contract.ts';
import { items, notes } from '../store-contract.ts';
import { tempFolder } from './temp-folder.ts';

describeLanes('the lanes of the lowdb store', async () => {
  const folder = await tempFolder();
  const store = await openLowdbStore({
    dir: folder.path,
    collections: [items, notes],
    lanes: [posts, jobs],
  });
  return {
    store,
    async dispose() {
      await store.close();
      await folder.remove();
    },
  };
});
