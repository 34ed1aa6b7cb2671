import type { ServiceContract } from '../../contract/contract.ts';
import type { ResponseBody } from '../../contract/endpoint.ts';
import { GovctlError } from '../../contract/errors.ts';
import { whenKnown } from '../awaitable.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Handlers } from '../http/call.ts';
import { createCallerTurns } from '../http/caller-turns.ts';
import type { Deps } from '../deps.ts';
import { toJson } from '../json.ts';
import { listPage } from '../http/paging.ts';
import type { Reader, Versioned } from '../store/store.ts';
import { violationFilters, violations } from './collection.ts';
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
  return {
    list: ({ query }, call) => {
      const { signal } = call;
      const passes = createSift(query, { now: deps.clock.now(), ownerTags });
      const list = (reader: Pick<Reader, 'page'>) =>
        listPage<StoredViolation, Listed>(reader, violations, {
          query,
          filters: violationFilters(query),
          sifted: siftedFilters(query),
          plural: 'violations',
          show: ({ doc }) => toJson(doc),
        });
      if (!passes) return list(deps.store);
      return inTurn(call, async () => list(siftingReader(deps.store, passes, signal)));
    },

    summary: ({ query }, call) =>
      inTurn(call, async () => {
        const by = { now: deps.clock.now(), ownerTags, signal: call.signal };
        return { body: toJson(await summarize(deps.store, query, by)) };
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

    get: ({ params }) => whenKnown(readViolation(deps.store, params.id), answerOne),

    resolve: async ({ params, body }, call) =>
      call.transact(async (tx) => {
        const before = await readViolation(tx, params.id);
        if (before.doc.status === 'RESOLVED') return answerOne(before);
        return answerOne(await resolveByHand(deps, tx, call.actor, before.doc, body.reason));
      }),
  };
}
