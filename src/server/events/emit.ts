import type { EventType } from '../../contract/events.ts';
import type { Severity } from '../../contract/policies.ts';
import type { Deps } from '../deps.ts';
import { timestamp } from '../deps.ts';
import { allRows } from '../store/all-rows.ts';
import type { Tx } from '../store/store.ts';
import { webhookLanes, webhooks } from '../webhooks/collection.ts';
import type { StoredWebhook } from '../webhooks/collection.ts';
import { events } from './collection.ts';

/**
 * What the filters of webhooks look at. A facet that is left out is not one of the event's type, and no filter on it
 * keeps the event back; `null` says that the type has it but this event doesn't, so a filter on it does.
 */
export interface Facets {
  readonly severity?: Severity | null;
  readonly environment?: string | null;
  readonly provider?: string | null;
}

/** Who gets a type, read once in a transaction: thousands of events may be emitted in it, and webhooks never change in it. */
const receiversIn = new WeakMap<Tx, Map<EventType, readonly StoredWebhook[]>>();

/**
 * Stores an event in the transaction of what caused it and puts it into the lane of every webhook that it is for.
 * @param data the event's data object, its subject under one key
 */
export async function emit(
  deps: Deps,
  tx: Tx,
  type: EventType,
  data: Readonly<Record<string, unknown>>,
  facets: Facets = {},
): Promise<void> {
  const id = deps.ids.next('evt');
  await tx.insert(events, {
    id,
    type,
    created: timestamp(deps.clock.now()),
    sequence: await tx.next('events'),
    data: JSON.stringify(data),
  });
  for (const webhook of await receiversOf(tx, type)) {
    if (passes(webhook, facets)) await tx.append(webhookLanes, webhook.id, id);
  }
}

async function receiversOf(tx: Tx, type: EventType): Promise<readonly StoredWebhook[]> {
  let known = receiversIn.get(tx);
  if (!known) receiversIn.set(tx, (known = new Map()));
  const found = known.get(type);
  if (found) return found;
  const receivers: StoredWebhook[] = [];
  for await (const { doc } of allRows(tx, webhooks, { events: { any: [type] } })) {
    receivers.push(doc);
  }
  known.set(type, receivers);
  return receivers;
}

function passes({ filters = {} }: StoredWebhook, facets: Facets): boolean {
  return (
    isAmong(filters.severity, facets.severity) &&
    isAmong(filters.environments, facets.environment) &&
    isAmong(filters.cloud_providers, facets.provider)
  );
}

function isAmong(
  allowed: readonly string[] | undefined,
  value: string | null | undefined,
): boolean {
  if (!allowed || allowed.length === 0 || value === undefined) return true;
  if (value === null) return false;
  return allowed.some((one) => one.toLowerCase() === value.toLowerCase());
}
