import { describeStore, items, notes } from '../store-contract.ts';
import { openLowdbStore } from '../../../../src/server/store/lowdb/open.ts';
import { tempFolder } from './temp-folder.ts';

describeStore('the lowdb store', async () => {
  const folder = await tempFolder();
  const store = await openLowdbStore({ dir: folder.path, collections: [items, notes] });
  return {
    store,
    async dispose() {
      await store.close();
      await folder.remove();
    },
  };
});
