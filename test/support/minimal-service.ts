import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A second service, written from the service description alone: no ETag, no idempotency, no cursor, no tags filter,
 * plain bodies, offset paging. It shares nothing with the real one, so that what only ours does can't hide.
 */

/** A policy as this service keeps it. */
type PlainPolicy = Record<string, unknown> & {
  id: string;
  name: string;
  tags?: string[];
  created_at: string;
  updated_at: string;
};

/** What this service does badly. */
export interface Faults {
  /** Names are not unique. */
  readonly duplicateNames?: boolean;
  /** A null in a PUT is a 400. */
  readonly refusesNull?: boolean;
  /** Tags are taken and forgotten. */
  readonly dropsTags?: boolean;
  /** Creations and updates are answered without a body. */
  readonly emptyAnswers?: boolean;
  /** A list is a bare array, without pagination. */
  readonly bareLists?: boolean;
  /** The most a page holds, whatever is asked for. Default 100. */
  readonly largestPage?: number;
  /** Absent fields are answered as null. */
  readonly answersNull?: boolean;
  /** Says what to do to the n-th request, counted from 1; undefined: serve it. */
  readonly onRequest?: (request: PlainRequest) => Mishap | undefined;
}

export interface PlainRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly count: number;
}

/** `cut`: no answer, nothing done. `cut-after`: done, but no answer. */
export type Mishap =
  | 'cut'
  | 'cut-after'
  | 'html'
  | 'error'
  | 'error-after'
  | { readonly retryAfter: number }
  | { readonly delayMs: number };

interface PlainAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly text?: string;
}

export interface MinimalService {
  readonly policies: Map<string, PlainPolicy>;
  readonly requests: PlainRequest[];
  /** Changes the faults from now on. */
  setFaults(faults: Faults): void;
  /** Puts a policy there as if by hand. */
  put(fields: Record<string, unknown> & { name: string }): PlainPolicy;
  readonly fetch: (
    url: string,
    init: { method: string; headers: Record<string, string>; body?: string; signal?: AbortSignal },
  ) => Promise<Response>;
  /** Serves the same over HTTP on a free port of the loopback. */
  listen(): Promise<{ baseUrl: string; close(): Promise<void> }>;
}

class CutConnection extends Error {
  readonly code = 'ECONNRESET';
}

const settable = [
  'name',
  'description',
  'resource_type',
  'severity',
  'enabled',
  'rules',
  'compliance_frameworks',
  'auto_remediation',
  'remediation_action',
  'tags',
];

export function createMinimalService(initial: Faults = {}): MinimalService {
  let faults = initial;
  let clock = Date.UTC(2026, 0, 1);
  let created = 0;
  const policies = new Map<string, PlainPolicy>();
  const requests: PlainRequest[] = [];
  const now = (): string => new Date((clock += 1000)).toISOString();

  function put(fields: Record<string, unknown> & { name: string }): PlainPolicy {
    const at = now();
    const policy: PlainPolicy = {
      enabled: true,
      ...fields,
      id: `pol_${String(++created).padStart(6, '0')}`,
      created_at: at,
      updated_at: at,
      created_by: 'user_1',
    };
    policies.set(policy.id, policy);
    return policy;
  }

  function answer(request: PlainRequest): PlainAnswer {
    if (!request.headers.authorization?.startsWith('Bearer ')) return problem(401, 'no token');
    const match = /^\/v1\/policies(?:\/([^/]+))?$/.exec(request.path);
    if (!match) return problem(404, 'no such path');
    const id = match[1] === undefined ? undefined : decodeURIComponent(match[1]);
    if (id === undefined) {
      if (request.method === 'GET') return list(request.query);
      if (request.method === 'POST') return create(request.body);
      return problem(405, 'method');
    }
    const policy = policies.get(id);
    if (!policy) return problem(404, 'resource not found');
    if (request.method === 'GET') return { status: 200, body: shown(policy) };
    if (request.method === 'PUT') return update(policy, request.body);
    if (request.method === 'DELETE') {
      policies.delete(id);
      return { status: 204 };
    }
    return problem(405, 'method');
  }

  function list(query: URLSearchParams): PlainAnswer {
    const limit = Math.min(Number(query.get('limit') ?? 20), faults.largestPage ?? 100);
    const offset = Number(query.get('offset') ?? 0);
    const all = [...policies.values()].map(shown);
    if (faults.bareLists) return { status: 200, body: all.slice(offset, offset + limit) };
    return {
      status: 200,
      body: {
        policies: all.slice(offset, offset + limit),
        pagination: { total: all.length, limit, offset, has_more: offset + limit < all.length },
      },
    };
  }

  function parseBody(body: string): Record<string, unknown> | undefined {
    try {
      const value: unknown = JSON.parse(body);
      return typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).filter(([field]) => settable.includes(field)))
        : undefined;
    } catch {
      return undefined;
    }
  }

  const isTaken = (name: unknown, id?: string): boolean =>
    !faults.duplicateNames &&
    [...policies.values()].some((policy) => policy.name === name && policy.id !== id);

  function create(text: string): PlainAnswer {
    const body = parseBody(text);
    if (
      !body ||
      typeof body.name !== 'string' ||
      !body.resource_type ||
      !Array.isArray(body.rules)
    ) {
      return problem(400, 'invalid input');
    }
    if (isTaken(body.name)) return problem(409, 'name exists');
    const { tags, ...rest } = body;
    const policy = put({
      ...rest,
      name: body.name,
      ...(faults.dropsTags || tags === undefined ? {} : { tags }),
    });
    return { status: 201, ...(faults.emptyAnswers ? {} : { body: shown(policy) }) };
  }

  function update(policy: PlainPolicy, text: string): PlainAnswer {
    const body = parseBody(text);
    if (!body) return problem(400, 'invalid input');
    if (faults.refusesNull && Object.values(body).includes(null)) {
      return problem(400, 'null is not a value');
    }
    if (body.name !== undefined && isTaken(body.name, policy.id))
      return problem(409, 'name exists');
    for (const [field, value] of Object.entries(body)) {
      if (field === 'tags' && faults.dropsTags) continue;
      if (value === null) delete policy[field];
      else policy[field] = value;
    }
    policy.updated_at = now();
    return { status: 200, ...(faults.emptyAnswers ? {} : { body: shown(policy) }) };
  }

  const shown = (policy: PlainPolicy): unknown =>
    faults.answersNull
      ? { ...Object.fromEntries(settable.map((field) => [field, null])), ...policy }
      : { ...policy };

  async function serve(request: Omit<PlainRequest, 'count'>): Promise<PlainAnswer> {
    const counted = { ...request, count: requests.length + 1 };
    requests.push(counted);
    const mishap = faults.onRequest?.(counted);
    if (mishap === 'cut') throw new CutConnection('socket hang up');
    if (mishap === 'html') return { status: 200, text: '<!doctype html><title>Sign in</title>' };
    if (mishap === 'error') return { status: 500, text: 'oops' };
    if (typeof mishap === 'object' && 'retryAfter' in mishap) {
      return {
        status: 429,
        body: {
          error: 'rate_limit_exceeded',
          message: 'slow down',
          retry_after: mishap.retryAfter,
          limit: 200,
          reset_time: now(),
        },
      };
    }
    if (typeof mishap === 'object') await new Promise((done) => setTimeout(done, mishap.delayMs));
    const done = answer(counted);
    if (mishap === 'cut-after') throw new CutConnection('socket hang up');
    if (mishap === 'error-after') return { status: 500, text: 'oops' };
    return done;
  }

  const write = ({ body, text }: PlainAnswer): string =>
    text ?? (body === undefined ? '' : JSON.stringify(body));

  return {
    policies,
    requests,
    setFaults: (next) => void (faults = next),
    put,
    fetch: async (url, init) => {
      const { pathname, searchParams } = new URL(url);
      init.signal?.throwIfAborted();
      const done = await serve({
        method: init.method,
        path: pathname,
        query: searchParams,
        body: init.body ?? '',
        headers: init.headers,
      });
      const text = write(done);
      return new Response(text === '' ? null : text, {
        status: done.status,
        headers: { 'content-type': done.text === undefined ? 'application/json' : 'text/html' },
      });
    },
    listen: () => listen(serve, write),
  };
}

const problem = (status: number, message: string): PlainAnswer => ({ status, body: { message } });

async function listen(
  serve: (request: Omit<PlainRequest, 'count'>) => Promise<PlainAnswer>,
  write: (answer: PlainAnswer) => string,
): Promise<{ baseUrl: string; close(): Promise<void> }> {
  const server: Server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://localhost');
      serve({
        method: incoming.method ?? 'GET',
        path: pathname,
        query: searchParams,
        body: Buffer.concat(chunks).toString('utf8'),
        headers: { authorization: incoming.headers.authorization ?? '' },
      }).then(
        (done) => {
          outgoing.writeHead(done.status, {
            'content-type': done.text === undefined ? 'application/json' : 'text/html',
          });
          outgoing.end(write(done));
        },
        () => incoming.socket.destroy(),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // listening on TCP
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve, reject) => {
        server.closeAllConnections();
        server.close((error) => (error ? reject(error) : resolve()));
      }),
  };
}
