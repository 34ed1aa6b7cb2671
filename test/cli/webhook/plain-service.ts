import type { Fetch } from '../../../src/client/transport.ts';
import { signBody } from '../../../src/webhook/sign.ts';

/**
 * Webhooks written from section 4.4 of the service description alone: no ETag, no query, no names, no deliveries,
 * bodies as plain as they may be. It shares nothing with the real service but how a body is signed.
 */
export interface PlainService {
  readonly fetch: Fetch;
  readonly webhooks: Map<string, Record<string, unknown>>;
  /** `METHOD path?query` of each request. */
  readonly requests: string[];
  /** Posts an event to every webhook, with the headers of 6.3 and no others. */
  deliver(event: unknown): Promise<number[]>;
}

const settable = 'url events secret active filters retry_config timeout_seconds headers'.split(' ');

/** @param emptyAnswers changes are answered without a body, and lists are bare arrays */
export function createPlainService(emptyAnswers = false): PlainService {
  const webhooks = new Map<string, Record<string, unknown>>();
  const requests: string[] = [];
  const answer = (status: number, body?: unknown): Response =>
    new Response(body === undefined ? null : JSON.stringify(body), { status });
  const shown = (status: number, body: unknown): Response =>
    emptyAnswers ? answer(status) : answer(status, body);

  function serve(method: string, path: string, body: Record<string, unknown>): Response {
    const found = /^\/v1\/webhooks(?:\/([^/]+))?(?:\/(test))?$/.exec(path);
    if (!found) return answer(404, { message: 'no path' });
    const [, id, action] = found;
    if (Object.keys(body).some((field) => ![...settable, 'event_type'].includes(field))) {
      return answer(400, { message: 'unknown field' });
    }
    if (id === undefined) {
      const all = [...webhooks.values()];
      if (method === 'GET') return answer(200, emptyAnswers ? all : { webhooks: all });
      if (!body.url || !body.events || !body.secret) return answer(400, { message: 'incomplete' });
      const made = { id: `wh_${webhooks.size + 1}`, ...body };
      webhooks.set(made.id, made);
      return shown(201, made);
    }
    const webhook = webhooks.get(id);
    if (!webhook) return answer(404, { message: 'resource not found' });
    if (action === 'test') return shown(200, { ok: true });
    if (method === 'GET') return answer(200, { ...webhook, filters: null });
    if (method === 'PUT') return shown(200, Object.assign(webhook, body));
    webhooks.delete(id);
    return answer(204);
  }

  return {
    webhooks,
    requests,
    fetch: async (url, { method, body }) => {
      const { pathname, search } = new URL(url);
      requests.push(`${method} ${pathname}${search}`);
      return serve(method, pathname, body ? (JSON.parse(body) as Record<string, unknown>) : {});
    },
    deliver: (event) => {
      const body = JSON.stringify(event);
      return Promise.all(
        [...webhooks.values()].map(async ({ id, url, secret }) => {
          const headers = {
            'X-Service-Signature': signBody(String(secret), body),
            'X-Service-Timestamp': '1768478400',
            'X-Service-Webhook-ID': String(id),
          };
          return (await fetch(String(url), { method: 'POST', headers, body })).status;
        }),
      );
    },
  };
}
