import type { Principal } from './call.ts';

/** Where a request came from; read when it is needed. */
export interface Peer {
  readonly remoteAddress?: string | undefined;
  /** Ends its connection, at once or once what was written has gone out; absent where there is none. */
  destroy?(): unknown;
  destroySoon?(): unknown;
  /** It has shown a valid token. @param who whose it is */
  trust?(who: string): void;
  /** A request of this process for somebody who is signed in; no request from outside has it. */
  readonly principal?: Principal;
}
