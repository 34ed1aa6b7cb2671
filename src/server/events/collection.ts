import { EventType, isOfCost } from '../../contract/events.ts';
import type { CollectionSpec } from '../store/store.ts';
import * as z from 'zod';
import { Timestamp } from '../../contract/lists.ts';
import { Id, shape } from '../shape.ts';

/** An event as stored: small, as very many wait. */
export interface StoredEvent {
  readonly id: string;
  readonly type: EventType;
  readonly created: string;
  readonly sequence: number;
  /** JSON. Envelopes hold it byte for byte. */
  readonly data: string;
}

export const events: CollectionSpec<StoredEvent> = {
  name: 'events',
  index: {
    type: ({ type }) => type,
    /** Whether its data say what was spent. */
    of_cost: ({ type }) => String(isOfCost(type)),
  },
  order: {
    sequence: ({ sequence }) => sequence,
    created: ({ created }) => created,
    id: ({ id }) => id,
    type: ({ type }) => type,
  },
};

const isObject = (json: string): boolean => {
  try {
    const data: unknown = JSON.parse(json);
    return typeof data === 'object' && data !== null && !Array.isArray(data);
  } catch {
    return false;
  }
};

export const eventShape = shape<StoredEvent>({
  id: Id,
  type: EventType,
  created: Timestamp,
  sequence: z.int().min(1),
  data: z.string().refine(isObject, 'must be the JSON of an object'),
});
