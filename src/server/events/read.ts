import { GovctlError } from '../../contract/errors.ts';
import { whenKnown } from '../awaitable.ts';
import type { Awaitable } from '../awaitable.ts';
import type { Reader, Versioned } from '../store/store.ts';
import { events } from './collection.ts';
import type { StoredEvent } from './collection.ts';
import { mostKept } from './retention.ts';
import { inThrees } from '../../contract/in-threes.ts';

/** @throws GovctlError event_not_found */
export const readEvent = (reader: Reader, id: string): Awaitable<Versioned<StoredEvent>> =>
  whenKnown(reader.get(events, id), (found) => {
    if (found) return found;
    throw noEvent(id);
  });

export function noEvent(id: string): GovctlError {
  const kept = `the service deletes old events, and stores at most ${inThrees(mostKept)}`;
  return new GovctlError('event_not_found', `There is no event ${id.slice(0, 100)}; ${kept}`);
}
