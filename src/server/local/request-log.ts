import { defined } from '../../contract/defined.ts';
import type { LoggedRequest } from '../../contract/local.ts';
import { requestsKept } from '../../contract/local.ts';
import type { RequestEvent } from '../observe/request-event.ts';
import type { Clock } from '../deps.ts';
import { timestamp } from '../deps.ts';

export interface RequestLog {
  record(event: RequestEvent): void;
  /** How many were recorded. */
  readonly last: number;
  /** Oldest first: those behind a number, or the last ones. */
  list(query: { readonly after?: number | undefined; readonly limit: number }): LoggedRequest[];
  clear(): void;
}

/** The last requests, in memory. Those to the test aids are left out: whoever follows the log would see nothing else. */
export function createRequestLog(clock: Clock): RequestLog {
  const kept: { readonly number: number; readonly at: number; readonly event: RequestEvent }[] = [];
  let last = 0;
  return {
    get last() {
      return last;
    },
    record(event) {
      if (isOfLocal(event.path)) return;
      last += 1;
      // The oldest place is taken again.
      kept[(last - 1) % requestsKept] = { number: last, at: clock.now(), event };
    },
    list({ after, limit }) {
      const oldest = Math.max(1, last - kept.length + 1);
      const from = after === undefined ? Math.max(oldest, last - limit + 1) : after + 1;
      const wanted: LoggedRequest[] = [];
      for (let number = Math.max(oldest, from); number <= last && wanted.length < limit; number++) {
        const entry = kept[(number - 1) % requestsKept];
        if (entry) wanted.push(shown(entry));
      }
      return wanted;
    },
    clear() {
      kept.length = 0;
    },
  };
}

export const isOfLocal = (path: string): boolean =>
  path === '/v1/local' || path.startsWith('/v1/local/');

function shown({
  number,
  at,
  event,
}: {
  readonly number: number;
  readonly at: number;
  readonly event: RequestEvent;
}): LoggedRequest {
  const { method, path, route, status, durationMs, requestId, bytes, error, fault } = event;
  return {
    number,
    at: timestamp(at),
    method,
    path,
    ...defined({ route }),
    status,
    duration_ms: Math.round(durationMs * 1_000) / 1_000,
    request_id: requestId,
    ...defined({ bytes, error, fault }),
  };
}
