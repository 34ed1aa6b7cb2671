import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { eventShape, events } from './collection.ts';

export const eventsModule = {
  collections: [stores(events, eventShape)],
  sequences: [events.name],
} satisfies Module;
