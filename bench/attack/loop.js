// For finding what holds the server up: `GOVCTL_BENCH_LOOP=file npm run bench -- under-attack` loads this into it. It writes down when its event loop was held, and how much of that time it ran at
// all: the rest it waited for the machine.
import { readFileSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { PerformanceObserver } from 'node:perf_hooks';

const { GOVCTL_BENCH_LOOP: file } = process.env;
/** Milliseconds between two looks, and from which on it was held. */
const every = 5;
const held = 25;

/** Milliseconds that the main thread ran. */
const ran = () =>
  Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;

if (isMainThread && file) {
  const stalls = [];
  let collected = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) collected += duration;
  }).observe({ entryTypes: ['gc'] });
  let [last, lastRan, lastCollected] = [performance.now(), ran(), 0];
  setInterval(() => {
    const [now, nowRan] = [performance.now(), ran()];
    if (now - last - every > held) {
      stalls.push({
        from: Number(process.hrtime.bigint() / 1_000n) - (now - last) * 1_000,
        to: Number(process.hrtime.bigint() / 1_000n),
        ms: now - last - every,
        ran: nowRan - lastRan,
        collected: collected - lastCollected,
      });
    }
    [last, lastRan, lastCollected] = [now, nowRan, collected];
  }, every).unref();
  process.on('exit', () => writeFileSync(file, JSON.stringify(stalls)));
}
