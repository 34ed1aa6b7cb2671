import autocannon from 'autocannon';
import { benchKey, median } from './harness.js';
import { makePolicy } from './policies.js';

let created = 1_000_000;
const headers = { authorization: `Bearer ${benchKey}`, 'content-type': 'application/json' };

/** Requests per second over `seconds` at 64 connections, and the p99 in milliseconds. */
export async function load(url, path, method, seconds, connections) {
  const request =
    method === 'POST'
      ? {
          method,
          path,
          headers,
          setupRequest: (given) => ({ ...given, body: JSON.stringify(makePolicy(created++)) }),
        }
      : { method, path, headers };
  const result = await autocannon({ url, connections, duration: seconds, requests: [request] });
  const failed = result.errors + result.non2xx;
  if (failed > 0)
    throw new Error(`${method} ${url}${path}: ${failed} of ${result.requests.total} failed`);
  return { rate: result.requests.average, p99: result.latency.p99, p50: result.latency.p50 };
}

/** Both servers in turn after a warm-up each; medians and the median ratio of the pairs. */
export async function compareLoad(
  ours,
  theirs,
  { method = 'GET', seconds = 4, rounds = 3, connections = 64 },
) {
  const run = (side) => load(side.url, side.path, method, seconds, connections);
  await load(ours.url, ours.path, method, 2, connections);
  await load(theirs.url, theirs.path, method, 2, connections);
  const pairs = [];
  for (let round = 0; round < rounds; round++) pairs.push([await run(ours), await run(theirs)]);
  return {
    ours: median(pairs.map(([a]) => a.rate)),
    theirs: median(pairs.map(([, b]) => b.rate)),
    ratio: median(pairs.map(([a, b]) => a.rate / b.rate)),
    note: `p99 ${median(pairs.map(([a]) => a.p99))} ms, peer ${median(pairs.map(([, b]) => b.p99))} ms`,
  };
}
