import { whenKnown } from '../awaitable.ts';
import type { Handlers } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import { toJson } from '../json.ts';
import { listPage } from '../http/paging.ts';
import type { Versioned } from '../store/store.ts';
import { scanFilters, scans } from './collection.ts';
import type { StoredScan } from './collection.ts';
import { publicSample, sampleFilters, scanSamples } from './samples.ts';
import { createScan, readScan } from './service.ts';

const answerOne = ({ doc, revision }: Versioned<StoredScan>) => ({ body: toJson(doc), revision });

export const scanHandlers = (deps: Deps): Handlers['scans'] => ({
  list: ({ query }) =>
    listPage(deps.store, scans, {
      query,
      filters: scanFilters(query),
      plural: 'scans',
      show: ({ doc }) => toJson(doc),
    }),

  samples: async ({ params, query }) => {
    await readScan(deps.store, params.id);
    return listPage(deps.store, scanSamples, {
      query,
      filters: sampleFilters(params.id, query),
      plural: 'samples',
      show: ({ doc }) => toJson(publicSample(doc)),
    });
  },

  get: ({ params }) => whenKnown(readScan(deps.store, params.id), answerOne),

  create: async ({ body }, call) =>
    call.transact(async (tx) => {
      const created = await createScan(deps, tx, call.actor, body);
      return { ...answerOne(created), headers: { Location: `/v1/scans/${created.doc.id}` } };
    }),
});
