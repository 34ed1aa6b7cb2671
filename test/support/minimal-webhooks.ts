import type { Fetch } from '../../src/client/http.ts';

/** Webhooks of a service written from its description alone: no tags, no name, no hint, no status, plain lists. */

interface PlainWebhook extends Record<string, unknown> {
  readonly id: string;
  url: string;
  events: string[];
}

export interface MinimalWebhooks {
  readonly webhooks: Map<string, PlainWebhook>;
  /** Bodies of changes, in order, with their methods. */
  readonly changes: { readonly method: string; readonly body: Record<string, unknown> }[];
  put(fields: Record<string, unknown> & { url: string }): PlainWebhook;
  /** Serves webhooks, and hands all else on. */
  readonly fetch: Fetch;
}

/** How such services differ. */
export interface WebhookFaults {
  /** A field it does not know is a 400, and not dropped. */
  readonly refusesUnknown?: boolean;
  /** Says what it was sent back in its errors. */
  readonly refusesAll?: boolean;
  /** Changes are answered without a body. */
  readonly emptyAnswers?: boolean;
  /** What it answers beside what it was given, and keeps of what it is given. */
  readonly extends?: readonly string[];
}

const known = [
  'url',
  'events',
  'secret',
  'active',
  'filters',
  'retry_config',
  'timeout_seconds',
  'headers',
];

const answer = (status: number, body?: unknown): Response =>
  new Response(body === undefined ? null : JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json' },
  });

export function createMinimalWebhooks(rest: Fetch, faults: WebhookFaults = {}): MinimalWebhooks {
  const webhooks = new Map<string, PlainWebhook>();
  const changes: MinimalWebhooks['changes'] = [];
  let created = 0;
  const settable = [...known, ...(faults.extends ?? [])];
  const put: MinimalWebhooks['put'] = (fields) => {
    const id = `wh_${++created}`;
    const webhook = { events: ['scan.failed'], ...fields, id };
    webhooks.set(id, webhook);
    return webhook;
  };
  const shown = ({ secret: _secret, ...fields }: PlainWebhook) => fields;

  function change(method: string, text: string, webhook: PlainWebhook | undefined): Response {
    const body = JSON.parse(text) as Record<string, unknown>;
    changes.push({ method, body });
    if (faults.refusesAll) {
      const error_description = `this is not right: ${text}`;
      const details = [{ field: 'secret', message: String(body.secret).slice(0, 9) }];
      return answer(400, { error: 'malformed_request', error_description, details });
    }
    const unknown = Object.keys(body).filter((field) => !settable.includes(field));
    if (faults.refusesUnknown && unknown.length > 0) {
      return answer(400, { message: `unknown: ${unknown.join(', ')}` });
    }
    const fields = Object.fromEntries(
      Object.entries(body).filter(([field]) => settable.includes(field)),
    );
    if (faults.extends?.includes('secret_hint') && typeof fields.secret === 'string') {
      fields.secret_hint = fields.secret.slice(-4);
    }
    for (const [field, value] of Object.entries(fields)) {
      if (value === null && webhook) delete webhook[field];
      if (value === null) delete fields[field];
    }
    const changed = webhook
      ? Object.assign(webhook, fields)
      : put(fields as Record<string, unknown> & { url: string }); // the tests send one
    return answer(webhook ? 200 : 201, faults.emptyAnswers ? undefined : shown(changed));
  }

  return {
    webhooks,
    changes,
    put,
    fetch: async (url, init) => {
      const { pathname } = new URL(url);
      const match = /^\/v1\/webhooks(?:\/([^/]+))?$/.exec(pathname);
      if (!match) {
        return pathname.startsWith('/v1/webhooks/')
          ? answer(404, { message: 'no such path' })
          : rest(url, init);
      }
      if (match[1] === undefined && init.method === 'GET') {
        return answer(200, [...webhooks.values()].map(shown));
      }
      if (match[1] === undefined) return change('POST', init.body ?? '', undefined);
      const webhook = webhooks.get(match[1]);
      if (!webhook) return answer(404, { message: 'there is none' });
      if (init.method === 'GET') return answer(200, shown(webhook));
      if (init.method === 'PUT') return change('PUT', init.body ?? '', webhook);
      webhooks.delete(webhook.id);
      changes.push({ method: 'DELETE', body: {} });
      return answer(204);
    },
  };
}
