import { methodOf } from './request-event.ts';
import type { RequestEvent } from './request-event.ts';

/** Upper bounds in seconds. */
const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const name = 'govctl_http_request_duration_seconds';

interface Cell {
  readonly labels: string;
  /** Requests per bound, not cumulated; the last one is +Inf. */
  readonly buckets: number[];
  sum: number;
}

/**
 * Durations by method, route template and status. Counted here and not by prom-client, whose histogram hashes its
 * labels at every observation: that costs more than answering a read.
 */
export function createRequestHistogram() {
  const cells = new Map<string, Cell>();
  return {
    observe(event: RequestEvent): void {
      const { route = 'unmatched', status, durationMs } = event;
      const method = methodOf(event);
      const key = `${method} ${route} ${status}`;
      let cell = cells.get(key);
      if (!cell) {
        const labels = `method="${method}",route="${route}",status="${status}"`;
        cell = { labels, buckets: new Array<number>(bounds.length + 1).fill(0), sum: 0 };
        cells.set(key, cell);
      }
      const seconds = durationMs / 1000;
      let at = 0;
      while (at < bounds.length && seconds > (bounds[at] ?? Infinity)) at++;
      cell.buckets[at] = (cell.buckets[at] ?? 0) + 1;
      cell.sum += seconds;
    },

    /** Prometheus text. */
    text(): string {
      const lines = [
        `# HELP ${name} Request duration in seconds, from the request headers to the response`,
        `# TYPE ${name} histogram`,
      ];
      for (const { labels, buckets, sum } of cells.values()) {
        let count = 0;
        for (const [at, requests] of buckets.entries()) {
          count += requests;
          lines.push(`${name}_bucket{le="${bounds[at] ?? '+Inf'}",${labels}} ${count}`);
        }
        lines.push(`${name}_sum{${labels}} ${sum}`, `${name}_count{${labels}} ${count}`);
      }
      return `${lines.join('\n')}\n`;
    },
  };
}
