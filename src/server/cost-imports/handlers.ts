import type { Deps } from '../deps.ts';
import type { Handlers } from '../http/call.ts';
import { listPage } from '../http/paging.ts';
import { toJson } from '../json.ts';
import { StoreUnavailable } from '../store/store.ts';
import type { Versioned } from '../store/store.ts';
import { costImports, filesOf, importFilters } from './collection.ts';
import type { StoredImport } from './collection.ts';
import {
  addFile,
  commitImport,
  deleteImport,
  fileNumber,
  openImport,
  readImport,
  readOpen,
  showImport,
} from './service.ts';
import type { CostImportWork } from './work.ts';

export function costImportHandlers(deps: Deps, work: CostImportWork): Handlers['costImports'] {
  const { store } = deps;
  const show = (doc: StoredImport) => toJson(showImport(doc, work.progressOf(doc.id)));
  const answerOne = ({ doc, revision }: Versioned<StoredImport>) => ({
    body: show(doc),
    revision,
  });

  return {
    list: ({ query }) =>
      listPage(store, costImports, {
        query,
        filters: importFilters(query),
        plural: 'imports',
        show: ({ doc }) => show(doc),
      }),

    create: ({ body }, call) =>
      call.transact(async (tx) => {
        const opened = await openImport(deps, tx, call.actor, body);
        const headers = { Location: `/v1/cost/imports/${opened.doc.id}` };
        return { ...answerOne(opened), headers };
      }),

    get: async ({ params }) => ({
      ...answerOne(await readImport(store, params.id)),
      // How far it was read is no part of its revision.
      isMoving: true,
    }),

    put: async ({ params: { id, n: text }, query, body }, call) => {
      const n = fileNumber(text);
      await readOpen(store, id);
      const sent = await work.storeFile(id, body);
      let isKept = false;
      try {
        const file = { n, name: query.name ?? `file ${n}`, ...sent };
        const { doc, replaced } = await store.transact(
          (tx) => addFile(deps, tx, id, file),
          call.principal.countedAs,
        );
        isKept = true;
        if (replaced !== undefined) await work.forget([replaced]);
        return { body: show(doc) };
      } catch (error) {
        // Whether it lasted is not known: the next start looks.
        isKept = error instanceof StoreUnavailable;
        throw error;
      } finally {
        await work.settle(sent.blob, isKept);
      }
    },

    commit: ({ params }, call) =>
      call.transact(async (tx) => answerOne(await commitImport(deps, tx, call.actor, params.id))),

    delete: async ({ params }, call) => {
      const gone = await store.transact(
        (tx) => deleteImport(deps, tx, call, params.id),
        call.principal.countedAs,
      );
      await work.forget(filesOf(gone).map(({ blob }) => blob));
      return { body: undefined };
    },
  };
}
