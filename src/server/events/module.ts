import type { Module } from '../module.ts';
import { stores } from '../module.ts';
import { events } from './collection.ts';

export const eventsModule = {
  collections: [stores(events)],
  sequences: [events.name],
} satisfies Module;
