import type { ServiceContract } from '../../contract/contract.ts';
import type { ResponseBody } from '../../contract/endpoint.ts';
import { defined } from '../../contract/defined.ts';
import { GovctlError } from '../../contract/errors.ts';
import { whenKnown } from '../awaitable.ts';
import type { Awaitable } from '../awaitable.ts';
import { monthlyCosts, seesCost } from '../cost/service.ts';
import type { Call, Handlers } from '../http/call.ts';
import { createCallerTurns } from '../http/caller-turns.ts';
import type { Deps } from '../deps.ts';
import { readPending } from '../evaluation/pending.ts';
import { toJson } from '../json.ts';
import { listLookedUp, listPage } from '../http/paging.ts';
import type { Reader, Versioned } from '../store/store.ts';
import { violationFilters, violations } from './collection.ts';
import { costSummed, withCost } from './cost.ts';
import type { StoredViolation } from './collection.ts';
import { resolveByHand, resolveMatching } from './resolve.ts';
import { createSift, siftedFilters, siftingReader } from './service.ts';
import { summarize } from './summary.ts';

type Listed = ResponseBody<ServiceContract['violations']['list']>;

const answerOne = ({ doc, revision }: Versioned<StoredViolation>) => ({
  body: toJson(doc),
  revision,
});

/** @throws GovctlError violation_not_found */
const readViolation = (reader: Reader, id: string): Awaitable<Versioned<StoredViolation>> =>
  whenKnown(reader.get(violations, id), (found) => {
    if (found) return found;
    throw new GovctlError('violation_not_found', `There is no violation ${id.slice(0, 100)}`);
  });

/** @param ownerTags the operator's */
export function violationHandlers(
  deps: Deps,
  ownerTags: readonly string[],
): Handlers['violations'] {
  const inTurn = createCallerTurns();
  /** Undefined: the caller may not see what anything costs, or nothing is known of it. */
  const costsFor = async (call: Call) => (seesCost(call) ? monthlyCosts(deps) : undefined);
  return {
    list: ({ query }, call) =>
      whenKnown(readPending(deps.store, deps.clock.now(), call.signal), (pending) => {
        const { signal } = call;
        const passes = createSift(query, { now: deps.clock.now(), ownerTags });
        const options = {
          query,
          filters: violationFilters(query),
          sifted: siftedFilters(query),
          plural: 'violations',
          beside: defined({ pending }),
        };
        const listPlain = (reader: Pick<Reader, 'page'>) =>
          listPage<StoredViolation, Listed>(reader, violations, {
            ...options,
            show: ({ doc }) => toJson(doc),
          });
        const listWithCosts = async (reader: Pick<Reader, 'page'>) => {
          const costs = await monthlyCosts(deps);
          if (!costs) return listPlain(reader);
          // Its answers are not kept: those without costs are of the same rows.
          return listLookedUp<StoredViolation, Listed>(reader, violations, {
            ...options,
            show: ({ doc }) => toJson(withCost(doc, costs)),
          });
        };
        const list = seesCost(call) ? listWithCosts : listPlain;
        if (!passes) return list(deps.store);
        return inTurn(call, async () => list(siftingReader(deps.store, passes, signal)));
      }),

    summary: ({ query }, call) =>
      inTurn(call, async () => {
        const by = { now: deps.clock.now(), ownerTags, signal: call.signal };
        const costs = costSummed(await costsFor(call));
        const pending = await readPending(deps.store, deps.clock.now(), call.signal);
        const summary = await summarize(deps.store, query, by, costs);
        return { body: toJson({ ...summary, ...defined({ pending }) }) };
      }),

    resolveMany: async ({ body }, call) => {
      const { actor, signal } = call;
      // A repeated request changes nothing: it gets the answer that is stored.
      const dry_run = (await call.isRepeated()) || body.dry_run;
      const answer = await inTurn(call, () =>
        resolveMatching(deps, { ...body, dry_run }, { actor, ownerTags, signal }),
      );
      return call.transact(async () => ({ body: toJson(answer) }));
    },

    get: ({ params }, call) =>
      seesCost(call)
        ? (async () => {
            const { doc, revision } = await readViolation(deps.store, params.id);
            const body = toJson(withCost(doc, await monthlyCosts(deps)));
            return { body, revision, isMoving: true };
          })()
        : whenKnown(readViolation(deps.store, params.id), answerOne),

    resolve: async ({ params, body }, call) =>
      call.transact(async (tx) => {
        const before = await readViolation(tx, params.id);
        return answerOne(await resolveByHand(deps, tx, call.actor, before.doc, body.reason));
      }),
  };
}
