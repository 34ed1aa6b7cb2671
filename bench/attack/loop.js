// For finding what holds the server up: `GOVCTL_BENCH_LOOP=file npm run bench -- under-attack` loads this into it. It writes down when its event loop
// was held, and how much of that time it ran, waited for a core, and collected garbage.
import { readFileSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { PerformanceObserver } from 'node:perf_hooks';

const { GOVCTL_BENCH_LOOP: file } = process.env;
/** Milliseconds between two looks, and from which on it was held. */
const every = 5;
const held = 25;

/** Milliseconds that the main thread ran, and that it waited for a core. */
const scheduled = () =>
  readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8')
    .split(' ')
    .slice(0, 2)
    .map((nanoseconds) => Number(nanoseconds) / 1e6);

if (isMainThread && file) {
  const stalls = [];
  let collected = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) collected += duration;
  }).observe({ entryTypes: ['gc'] });
  let [last, [lastRan, lastQueued], lastCollected] = [performance.now(), scheduled(), 0];
  setInterval(() => {
    const [now, [ran, queued]] = [performance.now(), scheduled()];
    if (now - last - every > held) {
      stalls.push({
        from: Number(process.hrtime.bigint() / 1_000n) - (now - last) * 1_000,
        to: Number(process.hrtime.bigint() / 1_000n),
        ms: now - last - every,
        ran: ran - lastRan,
        queued: queued - lastQueued,
        collected: collected - lastCollected,
      });
    }
    [last, lastRan, lastQueued, lastCollected] = [now, ran, queued, collected];
  }, every).unref();
  process.on('exit', () => writeFileSync(file, JSON.stringify(stalls)));
}
