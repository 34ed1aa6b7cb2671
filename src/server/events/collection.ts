import type { EventType } from '../../contract/events.ts';
import type { CollectionSpec } from '../store/store.ts';

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
  index: { type: ({ type }) => type },
  order: {
    sequence: ({ sequence }) => sequence,
    created: ({ created }) => created,
    id: ({ id }) => id,
    type: ({ type }) => type,
  },
};
