import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { eventShape, events } from './collection.ts';

export const eventsModule = {
  collections: [
    stores(events, eventShape, {
      archive: { orderBy: 'created', keptMs: (retention) => retention.events, early: true },
    }),
  ],
  sequences: [events.name],
} satisfies Module;
