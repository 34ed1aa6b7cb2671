import { Counter, Gauge, Registry, collectDefaultMetrics } from 'prom-client';
import type { Observe } from './request-event.ts';
import { createRequestHistogram } from './request-histogram.ts';
import { reportStatuses } from '../../contract/reports.ts';
import { reports } from '../reports/collection.ts';
import { allRows, countRows } from '../store/all-rows.ts';
import type { CollectionSpec, Document, Store } from '../store/store.ts';
import { webhookLanes, webhooks } from '../webhooks/collection.ts';

export interface Metrics {
  readonly observe: Observe;
  text(): Promise<string>;
}

/** What is measured beside requests and process; what is counted since the start grows while the server runs. */
export interface Measured {
  readonly collections: readonly CollectionSpec<Document>[];
  /** To deliver an event to a webhook. */
  readonly attempts: { readonly succeeded: number; readonly failed: number };
  readonly reports: {
    readonly completed: number;
    readonly failed: number;
    /** That those took that were completed. */
    readonly seconds: number;
  };
}

/** Prometheus metrics: requests by route template and status, deliveries, reports, the store, the process. */
export function createMetrics(
  store: Store,
  { collections, attempts, reports: made }: Measured,
): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'govctl_store_writable',
    help: '1 if the store is writable',
    registers: [registry],
    collect() {
      this.set(store.health().writable ? 1 : 0);
    },
  });
  new Gauge({
    name: 'govctl_store_checkpoints_failing',
    help: '1 if the last checkpoints could not be written, so the journal grows',
    registers: [registry],
    collect() {
      this.set(store.health().checkpoints === undefined ? 0 : 1);
    },
  });
  new Gauge({
    name: 'govctl_store_records',
    help: 'Stored records, by collection',
    labelNames: ['collection'],
    registers: [registry],
    async collect() {
      for (const spec of collections) {
        this.set({ collection: spec.name }, await countRecords(store, spec));
      }
    },
  });
  addDeliveries(registry, store, attempts);
  addReports(registry, store, made);

  const requests = createRequestHistogram();
  return {
    observe: (event) => requests.observe(event),
    text: async () => `${await registry.metrics()}\n${requests.text()}`,
  };
}

function addDeliveries(registry: Registry, store: Store, attempts: Measured['attempts']): void {
  new Counter({
    name: 'govctl_webhook_attempts_total',
    help: 'Webhook delivery attempts by outcome',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [outcome, count] of Object.entries(attempts)) this.inc({ outcome }, count);
    },
  });
  new Gauge({
    name: 'govctl_webhook_waiting',
    help: 'Queued deliveries for all webhooks',
    registers: [registry],
    async collect() {
      let waiting = 0;
      for await (const { doc } of allRows(store, webhooks, {})) {
        waiting += (await store.laneState(webhookLanes, doc.id)).waiting;
      }
      this.set(waiting);
    },
  });
}

function addReports(registry: Registry, store: Store, made: Measured['reports']): void {
  new Gauge({
    name: 'govctl_reports',
    help: 'Stored reports, by status',
    labelNames: ['status'],
    registers: [registry],
    async collect() {
      for (const status of reportStatuses) {
        this.set({ status }, await countRows(store, reports, { status: { any: [status] } }));
      }
    },
  });
  new Counter({
    name: 'govctl_reports_ended_total',
    help: 'Finished reports, by outcome',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset();
      this.inc({ outcome: 'completed' }, made.completed);
      this.inc({ outcome: 'failed' }, made.failed);
    },
  });
  new Counter({
    name: 'govctl_report_seconds_total',
    help: 'Generation time of completed reports, in seconds',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(made.seconds);
    },
  });
}

async function countRecords(store: Store, spec: CollectionSpec<Document>): Promise<number> {
  const [orderBy] = Object.keys(spec.order ?? {});
  if (orderBy === undefined) throw new Error(`collection ${spec.name} has no order to page by`);
  return (await store.page(spec, { orderBy, direction: 'asc', limit: 0 })).total;
}
