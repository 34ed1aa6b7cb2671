import { defined } from '../../../contract/defined.ts';
import type { Deps } from '../../deps.ts';
import type { CreateLaneRunner } from '../../lanes/runner.ts';
import { webhookLanes } from '../collection.ts';
import type { Send } from '../../outbound/send.ts';
import { createDeliverer } from './deliver.ts';
import { mostLanes } from '../../outbound/slots.ts';
import type { SlotLimits } from '../../outbound/slots.ts';
import { createRetention } from './retention.ts';

export interface DeliveriesOptions {
  readonly send: Send;
  readonly createRunner: CreateLaneRunner;
  readonly limits?: SlotLimits;
  /** Milliseconds that a delivery is kept after its end; default: 30 days. */
  readonly keptMs?: number;
}

/** The sending of events to webhooks. */
export interface Deliveries {
  /** Looks for due work, now. */
  poke(): void;
  /** Resolves when nothing is due and nothing is on its way. */
  idle(): Promise<void>;
  /** Forgets what is too much or too old. */
  maintain(): Promise<void>;
  /** Sends nothing more, and waits for what is on its way, but so many milliseconds at most; the rest is sent again after the next start. */
  stop(withinMs: number): Promise<void>;
  /** Made since the start. */
  readonly attempts: Readonly<AttemptCounts>;
}

export interface AttemptCounts {
  succeeded: number;
  failed: number;
}

export function createDeliveries(
  deps: Deps,
  { send, createRunner, limits, keptMs }: DeliveriesOptions,
): Deliveries {
  const attempts: AttemptCounts = { succeeded: 0, failed: 0 };
  const retention = createRetention(deps, defined({ keptMs }));
  const deliverer = createDeliverer(deps, {
    send,
    ...(limits ? { limits } : {}),
    onAttempt(delivery) {
      attempts[delivery.status === 'succeeded' ? 'succeeded' : 'failed'] += 1;
      if (delivery.status !== 'pending') retention.ended(delivery);
    },
  });
  const runner = createRunner(deps, {
    lanes: webhookLanes,
    most: mostLanes,
    perform: deliverer.perform,
  });
  return {
    poke: () => runner.poke(),
    idle: () => runner.idle(),
    maintain: () => retention.run(),
    stop: (withinMs) => runner.stop(withinMs),
    attempts,
  };
}
