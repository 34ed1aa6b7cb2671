import { GovctlError } from '../../contract/errors.ts';
import { recordAudit } from '../audit/service.ts';
import { whenKnown } from '../awaitable.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Handlers } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { toJson } from '../json.ts';
import { listPage } from '../http/paging.ts';
import type { Reader, Versioned } from '../store/store.ts';
import { announceStatus } from './announce.ts';
import { violationFilters, violations } from './collection.ts';
import type { StoredViolation } from './collection.ts';
import { moveTo } from './transition.ts';

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

export const violationHandlers = (deps: Deps): Handlers['violations'] => ({
  list: ({ query }) =>
    listPage(deps.store, violations, {
      query,
      filters: violationFilters(query),
      plural: 'violations',
      show: ({ doc }) => toJson(doc),
    }),

  get: ({ params }) => whenKnown(readViolation(deps.store, params.id), answerOne),

  resolve: async ({ params, body }, call) =>
    call.transact(async (tx) => {
      const before = await readViolation(tx, params.id);
      if (before.doc.status === 'RESOLVED') return answerOne(before);
      const change = {
        at: timestamp(deps.clock.now()),
        cause: 'manual',
        reason: body.reason,
        by: call.actor.userId,
      } as const;
      const stored = await tx.replace(violations, moveTo(before.doc, 'RESOLVED', change));
      await announceStatus(deps, tx, before.doc, stored.doc);
      await recordAudit(deps, tx, call.actor, 'violation.resolve', params.id, ['status']);
      return answerOne(stored);
    }),
});
