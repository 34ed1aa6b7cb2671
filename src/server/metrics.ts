import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { Observe, RequestEvent } from './app.ts';
import { collections } from './service.ts';
import type { CollectionSpec, Store } from './store/store.ts';

export interface Metrics {
  readonly observe: Observe;
  text(): Promise<string>;
}

/** Prometheus metrics: requests by route template and status, the store, the process. */
export function createMetrics(store: Store): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const labelNames = ['method', 'route', 'status'] as const;
  const requests = new Counter({
    name: 'govctl_http_requests_total',
    help: 'Answered requests',
    labelNames,
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'govctl_http_request_duration_seconds',
    help: 'Time from reading a request to having its answer',
    labelNames,
    buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  new Gauge({
    name: 'govctl_store_writable',
    help: '1 while the store takes changes',
    registers: [registry],
    collect() {
      this.set(store.health().writable ? 1 : 0);
    },
  });
  new Gauge({
    name: 'govctl_store_records',
    help: 'Stored records by collection',
    labelNames: ['collection'],
    registers: [registry],
    async collect() {
      for (const spec of collections) {
        this.set(
          { collection: spec.name },
          await countRecords(store, spec as CollectionSpec<never>),
        );
      }
    },
  });

  // Looking labels up costs more than counting: the children are kept. Methods are few, as unknown ones are folded.
  const children = new Map<string, ReturnType<typeof childrenOf>>();
  const childrenOf = ({
    method,
    route,
    status,
  }: Pick<RequestEvent, 'method' | 'status'> & { route: string }) => {
    const labels = { method, route, status: String(status) };
    return { count: requests.labels(labels), duration: durations.labels(labels) };
  };
  return {
    observe({ method: sent, route = 'unmatched', status, durationMs }) {
      const method = knownMethods.has(sent) ? sent : 'other';
      const key = `${method} ${route} ${status}`;
      let child = children.get(key);
      if (!child) {
        child = childrenOf({ method, route, status });
        children.set(key, child);
      }
      child.count.inc();
      child.duration.observe(durationMs / 1000);
    },
    text: () => registry.metrics(),
  };
}

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

async function countRecords(store: Store, spec: CollectionSpec<never>): Promise<number> {
  const [orderBy] = Object.keys(spec.order ?? {});
  if (orderBy === undefined) throw new Error(`collection ${spec.name} has no order to page by`);
  return (await store.page(spec, { orderBy, direction: 'asc', limit: 1 })).total;
}
