import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../contract/defined.ts';
import { invalidField } from '../http/invalid-body.ts';
import type { KnownResource } from '../../contract/resources.ts';
import { whenKnown } from '../awaitable.ts';
import type { BodyChecks } from '../http/bodies/body-checks.ts';
import type { Handlers } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import { createJudge } from '../evaluation/judge.ts';
import type { Evaluation } from '../evaluation/evaluation.ts';
import { readPending } from '../evaluation/pending.ts';
import { evaluateAndWrite } from '../evaluation/retry.ts';
import { askerOf } from '../evaluation/thread/threads.ts';
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
  subjectsOf,
  upsertResources,
} from './service.ts';

const showResource = (stored: StoredResource) =>
  // Tags are texts: the contract takes no others.
  toJson(publicResource(stored)) as Json<unknown> as Json<AnsweredResource>;

const answerOne = ({ doc, revision }: Versioned<StoredResource>) => ({
  body: showResource(doc),
  revision,
});

export const resourceHandlers = (
  deps: Deps,
  evaluation: Evaluation,
  bodies: BodyChecks,
): Handlers['resources'] => ({
  list: ({ query }) =>
    listPage(deps.store, resources, {
      query,
      filters: resourceFilters(query),
      plural: 'resources',
      show: ({ doc }) => showResource(doc),
    }),

  get: ({ params }) => whenKnown(readResource(deps.store, params.id), answerOne),

  put: async ({ params, body }, call) => {
    refuseOtherId(params.id, body.id);
    const resource = completeResource(body);
    return evaluateAndWrite(
      { evaluation, clock: deps.clock },
      askerOf(call),
      () => subjectsOf(deps.store, [resource]),
      (verdicts) =>
        call.transact(async (tx) => {
          const put = await putResource(createJudge(deps, tx), call, { resource, verdicts });
          const isNew = put.outcome === 'created';
          return { ...answerOne(put.row), ...(isNew ? { status: 201 as const } : {}) };
        }),
    );
  },

  upsert: async ({ body }, call) => {
    const given = body.resources.map(completeResource);
    refuseClashes(given);
    return evaluateAndWrite(
      { evaluation, clock: deps.clock },
      askerOf(call),
      () => subjectsOf(deps.store, given),
      (verdicts) =>
        call.transact(async (tx) => {
          const { counts } = await upsertResources(createJudge(deps, tx), call.actor, {
            given,
            verdicts,
            atLeast: given.length,
          });
          const pending = await readPending(tx, deps.clock.now(), call.signal);
          return { body: toJson({ ...counts, ...defined({ pending }) }) };
        }),
    );
  },

  import: async ({ body }, call) => {
    const counts = await importResources(
      deps,
      { evaluation, bodies },
      {
        actor: call.actor,
        asker: askerOf(call),
        body,
        readOnly: await call.isRepeated(),
      },
    );
    return call.transact(async () => ({ body: toJson(counts) }));
  },

  delete: async ({ params }, call) =>
    call.transact(async (tx) => {
      await deleteResource(createJudge(deps, tx), call, params.id);
      return { body: undefined };
    }),
});

/** @throws GovctlError invalid_resource */
function refuseOtherId(inPath: string, id: string): void {
  if (id === inPath) return;
  const shown = JSON.stringify(inPath.slice(0, 100));
  throw invalidField('invalid_resource', 'id', `must be ${shown}, as in the path`);
}

/** @throws GovctlError invalid_resource: of two with one id that differ nobody can tell which is meant */
function refuseClashes(given: readonly KnownResource[]): void {
  const seen = new Map<string, number>();
  for (const [at, resource] of given.entries()) {
    const first = seen.get(resource.id);
    if (first === undefined) seen.set(resource.id, at);
    else if (!isDeepStrictEqual(given[first], resource)) {
      const field = `resources[${at}].id`;
      const message = `is also the ID of resources[${first}], which has different content`;
      throw invalidField('invalid_resource', field, message);
    }
  }
}
