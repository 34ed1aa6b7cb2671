import { Gauge, Registry, collectDefaultMetrics } from 'prom-client';
import type { Observe } from './app.ts';
import { createRequestHistogram } from './request-histogram.ts';
import { collections } from './nouns.ts';
import type { CollectionSpec, Store } from './store/store.ts';

export interface Metrics {
  readonly observe: Observe;
  text(): Promise<string>;
}

/** Prometheus metrics: requests by route template and status, the store, the process. */
export function createMetrics(store: Store): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
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

  const requests = createRequestHistogram();
  return {
    observe: (event) => requests.observe(event),
    text: async () => `${await registry.metrics()}\n${requests.text()}`,
  };
}

async function countRecords(store: Store, spec: CollectionSpec<never>): Promise<number> {
  const [orderBy] = Object.keys(spec.order ?? {});
  if (orderBy === undefined) throw new Error(`collection ${spec.name} has no order to page by`);
  return (await store.page(spec, { orderBy, direction: 'asc', limit: 1 })).total;
}
