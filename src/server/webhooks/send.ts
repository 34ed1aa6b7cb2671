/** One request to a receiver. */
export interface Outgoing {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The exact bytes, as UTF-8. */
  readonly body: string;
  /** From the connect to the answer's status. */
  readonly timeoutMs: number;
}

/** What came of it. A status is an answer, whatever became of its body. */
export interface Outcome {
  readonly durationMs: number;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The first 64 KiB, as UTF-8. */
  readonly body?: string;
  /** There was, or may have been, more. */
  readonly truncated?: boolean;
  /** Why there is no status, in words for the webhook's owner: no address of this network, no stack. */
  readonly error?: string;
}

/** Sends without following redirects or heeding proxies, to allowed targets only. Never throws, but where it is aborted. */
export type Send = (outgoing: Outgoing, signal: AbortSignal) => Promise<Outcome>;
