/** Told of every answered request. */
export type Observe = (event: RequestEvent) => void;

export interface RequestEvent {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** The path's template; absent where no endpoint matched. */
  readonly route?: string | undefined;
  readonly status: number;
  readonly durationMs: number;
  readonly requestId: string;
  /** Of the client: an IP address, or what a proxy says instead. */
  readonly address?: string | undefined;
  /** Id of the API key or token. */
  readonly via?: string | undefined;
  /** Its name, where an error was answered. */
  readonly error?: string | undefined;
  /** Of the answer's body, where they were counted. */
  readonly bytes?: number | undefined;
  /** Id of the fault of a local server that hit it. */
  readonly fault?: string | undefined;
}
