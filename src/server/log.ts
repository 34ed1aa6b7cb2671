import { pino } from 'pino';
import type { Logger } from 'pino';
import type { RequestEvent } from './app.ts';
import { timestamp } from './deps.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export interface ServerLog {
  readonly log: Logger;
  /** The line of a request, at level info. As cheap as it gets: there is one for every request. */
  request(event: RequestEvent): void;
  /** Writes out what is buffered. */
  flush(): void;
  close(): void;
}

/** Bytes: written in batches, as each write costs as much as a request. */
const batch = { minLength: 65_536, maxWrite: 131_072 };
/** Characters of request lines that are gathered. */
const gatheredMost = 16_384;
/** Milliseconds a line may wait in the buffer. */
const flushEvery = 250;

/** JSON lines on stderr, in batches; what is left is written when the process ends, however it ends. */
export function openLog(level: LogLevel, now: () => number): ServerLog {
  const destination = pino.destination({ fd: 2, sync: false, ...batch });
  const time = (): string => `,"time":"${timestamp(now())}"`;
  const log = pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: time,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  // A reader that went away is no reason to stop serving.
  destination.on('error', () => {});
  // Request lines are gathered and handed on together: a call of pino and of its destination costs more than the line.
  const logsRequests = log.isLevelEnabled('info');
  const pid = `,"pid":${process.pid}`;
  let gathered = '';
  const handOn = (): void => {
    if (gathered === '') return;
    const lines = gathered;
    gathered = '';
    destination.write(lines);
  };
  const flush = (): void => {
    try {
      handOn();
      destination.flushSync();
    } catch {
      // Nobody reads the log any more, and there is nowhere else to say so.
    }
  };
  const timer = setInterval(() => {
    handOn();
    destination.flush();
  }, flushEvery);
  timer.unref();
  process.on('exit', flush);
  return {
    log,
    request({ method, route, status, durationMs, requestId, via, error }) {
      if (!logsRequests) return;
      const place = route === undefined ? '' : `,"route":"${route}"`;
      const who = via === undefined ? '' : `,"via":"${via}"`;
      const what = error === undefined ? '' : `,"error":"${error}"`;
      const ms = Math.round(durationMs * 1000) / 1000;
      // Nothing here needs escaping: the method is a token, the id was found sane, the rest is ours.
      gathered += `{"level":"info"${time()}${pid},"method":"${method}"${place},"status":${status},"ms":${ms},"request_id":"${requestId}"${who}${what},"msg":"request"}\n`;
      if (gathered.length >= gatheredMost) handOn();
    },
    flush,
    close() {
      clearInterval(timer);
      flush();
      process.off('exit', flush);
    },
  };
}
