import { defined } from '../../contract/defined.ts';
import type { Framework, frameworkSortFields } from '../../contract/frameworks.ts';
import { controlKey, frameworkKey } from '../../engine/labels.ts';
import type { Deps } from '../deps.ts';
import { readPending } from '../evaluation/pending.ts';
import type { Handlers } from '../http/call.ts';
import { createCallerTurns } from '../http/caller-turns.ts';
import { toJson } from '../json.ts';
import type { AttachedEvidence } from './attached.ts';
import { listPage } from '../http/paging.ts';
import type { Versioned } from '../store/store.ts';
import { frameworkDefinitions } from './collection.ts';
import type { StoredFramework } from './collection.ts';
import { deleteFramework, putFramework, readDefinition } from './define.ts';
import { findControl, findFramework, knownFrameworks } from './known.ts';
import { showControlStanding, standingOf } from './standing.ts';
import { createTallies } from './tallies.ts';

/** Policies that are listed with each control, with the only one that is asked for, and in an answer. */
const mostOfEach = 100;
const mostOfOne = 1_000;
const mostOfAll = 10_000;

export function frameworkHandlers(deps: Deps, attached: AttachedEvidence): Handlers['frameworks'] {
  const { store: reader, clock } = deps;
  // Each answer counts the outcomes of very many policies.
  const inTurn = createCallerTurns();
  const evidenceOf = (id: string) => attached(reader, frameworkKey(id), clock.now());

  return {
    list: ({ query }, call) =>
      inTurn(call, async () => {
        const asked = { reader, signal: call.signal, account: query.account_id };
        const pending = await readPending(reader, clock.now(), call.signal);
        const tallyOf = await createTallies(asked);
        const found: Framework[] = [];
        for (const framework of await knownFrameworks(reader)) {
          const parts = { tallyOf, attached: await evidenceOf(framework.id), most: 1 };
          found.push((await standingOf(asked, framework, parts)).summary);
        }
        const { limit, offset = 0, sort_by: by, order } = query;
        const page = sorted(found, by, order).slice(offset, offset + limit);
        const hasMore = offset + page.length < found.length;
        return {
          body: toJson({
            frameworks: page,
            ...defined({ pending }),
            pagination: { total: found.length, limit, offset, has_more: hasMore },
          }),
        };
      }),

    get: ({ params, query }, call) =>
      inTurn(call, async () => {
        const framework = await findFramework(reader, params.id);
        const only =
          query.control === undefined
            ? undefined
            : controlKey(framework.id, findControl(framework, query.control).id);
        const asked = { reader, signal: call.signal, account: query.account_id };
        const pending = await readPending(reader, clock.now(), call.signal);
        const { summary, controls } = await standingOf(asked, framework, {
          tallyOf: await createTallies(asked),
          attached: await evidenceOf(framework.id),
          most: only === undefined ? mostOfEach : mostOfOne,
        });
        let left = mostOfAll;
        const shown = controls
          .filter(
            ({ key, status, tally }) =>
              (only === undefined || key === only) &&
              (query.status?.includes(status) ?? true) &&
              (query.with_policies === undefined || query.with_policies === tally.policies > 0),
          )
          .map((control) => {
            const one = showControlStanding(control, left);
            left -= one.policies.length;
            return one;
          });
        return { body: toJson({ ...summary, ...defined({ pending }), controls: shown }) };
      }),

    put: async ({ params, body }, call) =>
      call.transact(async (tx) => {
        const { stored, isNew } = await putFramework(deps, tx, call, params.id, body);
        return { ...answerOne(stored), ...(isNew ? { status: 201 as const } : {}) };
      }),

    delete: async ({ params }, call) =>
      call.transact(async (tx) => {
        await deleteFramework(deps, tx, call, params.id);
        return { body: undefined };
      }),
  };
}

const answerOne = ({ doc, revision }: Versioned<StoredFramework>) => ({
  body: toJson(doc),
  revision,
});

export const definitionHandlers = ({ store }: Deps): Handlers['frameworkDefinitions'] => ({
  list: ({ query }) =>
    listPage(store, frameworkDefinitions, {
      query,
      filters: {},
      plural: 'frameworks',
      show: ({ doc }) => toJson(doc),
    }),

  get: async ({ params }) => answerOne(await readDefinition(store, params.id)),
});

/** What is null comes last in either order. */
function sorted(
  found: readonly Framework[],
  by: (typeof frameworkSortFields)[number],
  order: 'asc' | 'desc',
): readonly Framework[] {
  const sign = order === 'asc' ? 1 : -1;
  return found.toSorted((a, b) => {
    const [left, right] = [a[by], b[by]];
    if (left === right) return a.id < b.id ? -1 : 1;
    if (left === null || right === null) return left === null ? 1 : -1;
    return left < right ? -sign : sign;
  });
}
