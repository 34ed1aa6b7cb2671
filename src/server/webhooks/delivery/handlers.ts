import { defined } from '../../../contract/defined.ts';
import { GovctlError } from '../../../contract/errors.ts';
import { isOfCost } from '../../../contract/events.ts';
import { recordAudit } from '../../audit/service.ts';
import { seesCost } from '../../cost/service.ts';
import type { Handlers } from '../../http/call.ts';
import type { Deps } from '../../deps.ts';
import { toJson } from '../../json.ts';
import { listPage } from '../../http/paging.ts';
import type { Send } from '../../outbound/send.ts';
import { readWebhook } from '../service.ts';
import { deliveries, ofWebhook, within } from './collection.ts';
import { keepAnswer } from './keep-answer.ts';
import { readDelivery, redeliver, redeliverFailed } from './redeliver.ts';
import { keepTest } from './retention.ts';
import { sendTest } from './send-test.ts';
import { showDelivery, showItem } from './show.ts';

type DeliveryHandlers = Pick<
  Handlers['webhooks'],
  'test' | 'listDeliveries' | 'getDelivery' | 'redeliver' | 'redeliverFailed'
>;

export const deliveryHandlers = (deps: Deps, send: Send): DeliveryHandlers => ({
  listDeliveries: async ({ params: { id }, query }) => {
    await readWebhook(deps.store, id);
    const where = {
      ...ofWebhook(id, query.status),
      ...(query.event_type
        ? { event_type: { any: query.event_type.map((one) => within(id, one)) } }
        : {}),
    };
    return listPage(deps.store, deliveries, {
      query,
      filters: where,
      plural: 'deliveries',
      show: ({ doc }) => toJson(showItem(doc)),
    });
  },

  getDelivery: async ({ params }, call) => {
    await readWebhook(deps.store, params.id);
    const delivery = await readDelivery(deps.store, params.id, params.delivery_id);
    const shown = await showDelivery(deps.store, delivery);
    if (!isOfCost(delivery.event_type) || seesCost(call)) return { body: toJson(shown) };
    // A receiver may answer with what it got.
    const attempts = shown.attempts.map(({ response_body: _, ...attempt }) => attempt);
    return { body: toJson({ ...shown, attempts }) };
  },

  redeliver: async ({ params }, call) =>
    call.transact(async (tx) => {
      await readWebhook(tx, params.id);
      const queued = await redeliver(deps, tx, call.actor, {
        webhookId: params.id,
        id: params.delivery_id,
      });
      return { body: toJson(showItem(queued)) };
    }),

  redeliverFailed: async ({ params: { id }, body }, call) => {
    const isRepeated = await call.isRepeated();
    // What was done is told again, even if the webhook is gone.
    if (!isRepeated) await readWebhook(deps.store, id);
    const since = body.since === undefined ? 0 : Date.parse(body.since);
    const redelivered = isRepeated ? 0 : await redeliverFailed(deps, call, id, since);
    return call.transact(async () => ({ body: toJson({ redelivered }) }));
  },

  test: async ({ params, body }, call) => {
    const { doc: webhook } = (await call.isRepeated())
      ? { doc: undefined }
      : await readWebhook(deps.store, params.id);
    const sent = webhook && (await sendTest(deps, send, webhook, body.event_type));
    return call.transact(async (tx) => {
      if (!sent) throw expired();
      const { delivery, answer } = sent;
      await readWebhook(tx, params.id);
      await keepTest(tx, delivery);
      if (answer) await keepAnswer(tx, answer);
      await recordAudit(deps, tx, call.actor, 'webhook.test', params.id);
      const { response_status, duration_ms = 0, error } = delivery.attempts[0] ?? {};
      return {
        body: toJson({
          event_id: delivery.event_id,
          delivery_id: delivery.id,
          delivered: error === undefined,
          ...defined({ response_status }),
          duration_ms,
          ...defined({ error }),
        }),
      };
    });
  },
});

/** The repeat was recognised, but the answer went in that very moment. */
const expired = (): GovctlError =>
  new GovctlError('idempotency_key_reused', 'The Idempotency-Key has just expired; use a new one');
