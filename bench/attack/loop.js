// Finds what blocks the server's event loop: `GOVCTL_BENCH_LOOP=file npm run bench -- under-attack` preloads this file. It
// records when the event loop was blocked, and for how much of that time the thread ran, waited for a core, and collected garbage.
import { readFileSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { PerformanceObserver } from 'node:perf_hooks';

const { GOVCTL_BENCH_LOOP: file } = process.env;
/** Milliseconds between two checks, and the delay from which the loop counts as blocked. */
const every = 5;
const held = 25;

/** Milliseconds for which the main thread ran, and for which it waited for a core. */
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
