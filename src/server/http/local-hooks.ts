import type { Peer } from './peer.ts';

/** What a local server may do to requests, so that clients can be tested against it. */
export interface LocalHooks {
  /** For the header of every answer: what was changed for tests; undefined: nothing is. */
  mark(): string | undefined;
  readonly faults: RequestFaults;
}

export interface RequestFaults {
  /** The first fault that a request fits, which it uses up once. */
  take(method: string, route: string, path: string): RequestFault | undefined;
}

/** A fault that hits a request. */
interface RequestFault {
  readonly id: string;
  /** Before the request is looked at. @throws GovctlError what it is to be answered with */
  befall(): Promise<void>;
  /** The answer, where its connection is to be cut; else as it is. */
  cutShort(response: Response, peer: Peer): Response;
}
