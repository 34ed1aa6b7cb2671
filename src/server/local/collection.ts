import type { CollectionSpec } from '../store/store.ts';

/** What a local server keeps of how it was changed for tests. */
interface LocalState {
  readonly id: 'clock';
  /** Milliseconds that the clock is ahead of the system's. */
  readonly offset_ms: number;
}

export const localState: CollectionSpec<LocalState> = {
  name: 'local_state',
  order: { id: ({ id }) => id },
};
