import * as z from 'zod';
import { endpoint } from './endpoint.ts';

const Health = z.looseObject({ status: z.enum(['ok', 'unavailable']), version: z.string() });
const Readiness = z.looseObject({
  /** degraded: what is stored is served, but something needs the operator; reads go on, so keep sending requests. */
  status: z.enum(['ready', 'degraded', 'not_ready']),
  /** One line for each part that is not usable, or only in part. */
  reasons: z.array(z.string()).optional(),
});

/** Unversioned; only metrics take a token. */
export const system = {
  health: endpoint({
    method: 'GET',
    path: '/healthz',
    summary: 'Check that the process is running',
    scope: null,
    ext: true,
    response: { status: 200, body: Health },
    errors: [],
  }),
  ready: endpoint({
    method: 'GET',
    path: '/readyz',
    summary:
      'Check that the service is ready: 503 while it starts or stops; degraded while it cannot store changes or checkpoints',
    scope: null,
    ext: true,
    response: { status: 200, body: Readiness },
    errors: ['unavailable'],
  }),
  metrics: endpoint({
    method: 'GET',
    path: '/metrics',
    summary: 'Get Prometheus metrics; a local server requires no token',
    scope: 'admin',
    openWhereLocal: true,
    ext: true,
    response: { status: 200, body: z.string(), type: 'text/plain; version=0.0.4; charset=utf-8' },
    errors: [],
  }),
  openapi: endpoint({
    method: 'GET',
    path: '/openapi.json',
    summary: 'Get the OpenAPI 3.1 description of this API',
    scope: null,
    ext: true,
    response: { status: 200, body: z.looseObject({ openapi: z.string() }) },
    errors: [],
  }),
};
