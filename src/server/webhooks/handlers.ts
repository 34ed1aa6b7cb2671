import { isOfCost } from '../../contract/events.ts';
import type { EventType } from '../../contract/events.ts';
import type { AnsweredWebhook } from '../../contract/webhooks.ts';
import { seesCost } from '../cost/service.ts';
import type { Call, Handlers } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import { toJson } from '../json.ts';
import { insufficientScope } from '../http/insufficient-scope.ts';
import { anyOf, listLookedUp } from '../http/paging.ts';
import type { Reader, Versioned } from '../store/store.ts';
import { webhookLanes, webhooks } from './collection.ts';
import type { StoredWebhook } from './collection.ts';
import { forgetDeliveries, lastDeliveryOf } from './delivery/service.ts';
import {
  checkTarget,
  createWebhook,
  deleteWebhook,
  hasPrevious,
  readWebhook,
  updateWebhook,
} from './service.ts';
import { targetsFor } from '../outbound/target.ts';
import type { Targets } from '../outbound/target.ts';

type WebhookHandlers = Pick<Handlers['webhooks'], 'list' | 'get' | 'create' | 'update' | 'delete'>;

export const webhookHandlers = (deps: Deps, targets: Targets): WebhookHandlers => {
  const show = async (reader: Reader, doc: StoredWebhook) =>
    toJson(await showWebhook(reader, doc, deps.clock.now()));
  const answerOne = async (reader: Reader, { doc, revision }: Versioned<StoredWebhook>) => ({
    body: await show(reader, doc),
    revision,
  });
  return {
    list: ({ query }) =>
      listLookedUp(deps.store, webhooks, {
        query,
        filters: anyOf(query, ['status']),
        plural: 'webhooks',
        show: ({ doc }) => show(deps.store, doc),
      }),

    get: async ({ params }) => answerOne(deps.store, await readWebhook(deps.store, params.id)),

    create: async ({ body }, call) => {
      checkCostEvents(call, body.events);
      if (!(await call.isRepeated())) await checkTarget(targetsFor(targets, call), body.url);
      return call.transact(async (tx) => {
        const created = await createWebhook(deps, tx, call.actor, body);
        const headers = { Location: `/v1/webhooks/${created.doc.id}` };
        return { ...(await answerOne(tx, created)), headers };
      });
    },

    update: async ({ params, body }, call) => {
      const { doc } = await readWebhook(deps.store, params.id);
      // Sent back as it was read, it stays what it is.
      if (body.url !== undefined && body.url !== doc.url)
        await checkTarget(targetsFor(targets, call), body.url);
      return call.transact(async (tx) => {
        // They would go to another receiver, or to one that did not get them.
        const { doc: before } = await readWebhook(tx, params.id);
        const { url = before.url, events = before.events } = body;
        const isSameUrl = url === before.url;
        checkCostEvents(
          call,
          events.filter((one) => !isSameUrl || !before.events.includes(one)),
        );
        return answerOne(tx, await updateWebhook(deps, tx, call, { id: params.id, update: body }));
      });
    },

    delete: async ({ params }, call) => {
      const answer = await call.transact(async (tx) => {
        await deleteWebhook(deps, tx, call, params.id);
        return { body: undefined };
      });
      await forgetDeliveries(deps.store, params.id);
      return answer;
    },
  };
};

/** @throws GovctlError insufficient_scope where events say what was spent, and the caller may not see it */
function checkCostEvents({ principal }: Call, events: readonly EventType[]): void {
  const ofCost = events.find(isOfCost);
  if (ofCost === undefined || seesCost({ principal })) return;
  throw insufficientScope(principal, 'cost:read', `A webhook for ${ofCost}`);
}

const withoutInternals = ({
  secret: _s,
  failures: _f,
  previous_secret: _p,
  previous_secret_expires_at: _e,
  ...plain
}: StoredWebhook) => plain;

/**
 * A webhook as answered: what is stored but for its secrets, and what is looked up.
 * @param now milliseconds since the epoch
 */
async function showWebhook(
  reader: Reader,
  doc: StoredWebhook,
  now: number,
): Promise<AnsweredWebhook> {
  const last = await lastDeliveryOf(reader, doc.id);
  const { waiting } = await reader.laneState(webhookLanes, doc.id);
  const { previous_secret_expires_at: until } = doc;
  return {
    ...withoutInternals(doc),
    ...(until !== undefined && hasPrevious(doc, now) ? { previous_secret_expires_at: until } : {}),
    status: doc.active ? 'active' : 'disabled',
    ...(last ? { last_delivery: last } : {}),
    waiting,
  };
}
