import { invalidField } from '../http/invalid-body.ts';
import type { ResourceInput } from '../../contract/resources.ts';
import { whenKnown } from '../awaitable.ts';
import type { Handlers } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import { createJudge } from '../evaluation/judge.ts';
import type { PreparePolicy } from '../evaluation/prepared-policies.ts';
import { toJson } from '../json.ts';
import type { Json } from '../json.ts';
import { listPage } from '../http/paging.ts';
import type { Versioned } from '../store/store.ts';
import type { AnsweredResource } from '../../contract/resources.ts';
import { publicResource, resourceFilters, resources } from './collection.ts';
import type { StoredResource } from './collection.ts';
import { importResources } from './import-resources.ts';
import {
  completeResource,
  deleteResource,
  putResource,
  readResource,
  upsertResources,
} from './service.ts';

const showResource = (stored: StoredResource) =>
  // Tags are texts: the contract takes no others.
  toJson(publicResource(stored)) as Json<unknown> as Json<AnsweredResource>;

const answerOne = ({ doc, revision }: Versioned<StoredResource>) => ({
  body: showResource(doc),
  revision,
});

export const resourceHandlers = (deps: Deps, prepare: PreparePolicy): Handlers['resources'] => ({
  list: ({ query }) =>
    listPage(deps.store, resources, {
      query,
      filters: resourceFilters(query),
      plural: 'resources',
      show: ({ doc }) => showResource(doc),
    }),

  get: ({ params }) => whenKnown(readResource(deps.store, params.id), answerOne),

  put: async ({ params, body }, call) =>
    call.transact(async (tx) => {
      const { outcome, row } = await putResource(
        createJudge(deps, prepare, tx),
        call,
        params.id,
        body,
      );
      return { ...answerOne(row), ...(outcome === 'created' ? { status: 201 } : {}) };
    }),

  upsert: async ({ body }, call) => {
    refuseTwice(body.resources);
    const complete = body.resources.map(completeResource);
    return call.transact(async (tx) => ({
      body: toJson(await upsertResources(createJudge(deps, prepare, tx), call.actor, complete)),
    }));
  },

  import: async ({ body }, call) => {
    const counts = await importResources(deps, prepare, {
      actor: call.actor,
      body,
      readOnly: await call.isRepeated(),
    });
    return call.transact(async () => ({ body: toJson(counts) }));
  },

  delete: async ({ params }, call) =>
    call.transact(async (tx) => {
      await deleteResource(createJudge(deps, prepare, tx), call, params.id);
      return { body: undefined };
    }),
});

/** @throws GovctlError invalid_resource: of two with one id nobody can tell which is meant */
function refuseTwice(given: readonly ResourceInput[]): void {
  const seen = new Map<string, number>();
  for (const [at, { id }] of given.entries()) {
    const first = seen.get(id);
    if (first !== undefined) {
      const field = `resources[${at}].id`;
      throw invalidField('invalid_resource', field, `is the id of resources[${first}], too`);
    }
    seen.set(id, at);
  }
}
