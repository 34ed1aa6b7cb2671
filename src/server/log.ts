import { pino } from 'pino';
import type { Logger } from 'pino';
import { timestamp } from './deps.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export interface ServerLog {
  readonly log: Logger;
  /** Writes out what is buffered. */
  flush(): void;
  close(): void;
}

/** Milliseconds a line may wait in the buffer. */
const flushEvery = 250;

/** JSON lines on stderr, in batches; what is left is written when the process ends, however it ends. */
export function openLog(level: LogLevel, now: () => number): ServerLog {
  const destination = pino.destination({ fd: 2, sync: false, minLength: 8192 });
  let written = { ms: -1, text: '' };
  const log = pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: () => {
        const ms = now();
        if (ms !== written.ms) written = { ms, text: `,"time":"${timestamp(ms)}"` };
        return written.text;
      },
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  // A reader that went away is no reason to stop serving.
  destination.on('error', () => {});
  const flush = (): void => {
    try {
      destination.flushSync();
    } catch {
      // Nobody reads the log any more, and there is nowhere else to say so.
    }
  };
  const timer = setInterval(() => destination.flush(), flushEvery);
  timer.unref();
  process.on('exit', flush);
  return {
    log,
    flush,
    close() {
      clearInterval(timer);
      flush();
      process.off('exit', flush);
    },
  };
}
