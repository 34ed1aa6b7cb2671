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
  /** Whose it is, as in the audit log. */
  readonly actor?: string | undefined;
  /** Its name, where an error was answered. */
  readonly error?: string | undefined;
  /** Of the answer's body, where they were counted. */
  readonly bytes?: number | undefined;
  /** Id of the fault of a local server that hit it. */
  readonly fault?: string | undefined;
}

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** A request's method, where it is one: anybody can send words without end. */
export const methodOf = ({ method }: Pick<RequestEvent, 'method'>): string =>
  knownMethods.has(method) ? method : 'other';
