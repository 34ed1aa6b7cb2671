import type { Event } from './events.ts';
import type { Made } from './written.ts';

/** What a SAM resource deploys, and the events of a type that is not known. */
export interface Expansion {
  readonly made: readonly Made[];
  readonly unknownEvents?: readonly Event[];
}
