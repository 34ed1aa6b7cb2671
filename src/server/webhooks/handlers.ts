import type { Handlers } from '../http/call.ts';
import type { Deps } from '../deps.ts';
import { toJson } from '../json.ts';
import { anyOf, listLookedUp } from '../http/paging.ts';
import type { Reader, Versioned } from '../store/store.ts';
import { webhooks } from './collection.ts';
import type { StoredWebhook } from './collection.ts';
import {
  checkTarget,
  createWebhook,
  deleteWebhook,
  readWebhook,
  updateWebhook,
} from './service.ts';
import { showWebhook } from './show.ts';
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
      if (!(await call.isRepeated())) await checkTarget(targets, body.url);
      return call.transact(async (tx) => {
        const created = await createWebhook(deps, tx, call.actor, body);
        const headers = { Location: `/v1/webhooks/${created.doc.id}` };
        return { ...(await answerOne(tx, created)), headers };
      });
    },

    update: async ({ params, body }, call) => {
      const { doc } = await readWebhook(deps.store, params.id);
      // Sent back as it was read, it stays what it is.
      if (body.url !== undefined && body.url !== doc.url) await checkTarget(targets, body.url);
      return call.transact(async (tx) => {
        return answerOne(tx, await updateWebhook(deps, tx, call, { id: params.id, update: body }));
      });
    },

    delete: async ({ params }, call) =>
      call.transact(async (tx) => {
        await deleteWebhook(deps, tx, call, params.id);
        return { body: undefined };
      }),
  };
};
