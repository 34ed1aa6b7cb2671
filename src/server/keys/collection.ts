import type { CollectionSpec } from '../store/store.ts';

/** What a server keeps of itself from one start to the next. */
interface ServerState {
  readonly id: string;
  readonly value: string;
}

export const serverState: CollectionSpec<ServerState> = {
  name: 'server_state',
  order: { id: ({ id }) => id },
};
