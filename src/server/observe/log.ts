import { pino } from 'pino';
import type { Logger } from 'pino';
import type { RequestEvent } from './request-event.ts';
import { timestamp } from '../deps.ts';
import { openLogLines } from './log-lines.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export interface ServerLog {
  readonly log: Logger;
  /** The line of a request, at level info. As cheap as it gets: there is one for every request. */
  request(event: RequestEvent): void;
  close(): void;
}

/** Characters of request lines that are gathered. */
const gatheredMost = 16_384;
/** Milliseconds a line may wait in the buffer. */
const flushEvery = 250;

/** JSON lines on stderr, in batches; what is left is written when the process ends, however it ends. */
export function openLog(level: LogLevel, now: () => number): ServerLog {
  // pino's own destination tries for ever to write out what a reader that went away does not take.
  const destination = openLogLines(2);
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
    handOn();
    destination.flushSync();
  };
  const timer = setInterval(() => {
    handOn();
    destination.flush();
  }, flushEvery);
  timer.unref();
  process.on('exit', flush);
  return {
    log,
    request({ method, route, status, durationMs, requestId, address, via, error }) {
      if (!logsRequests) return;
      const place = route === undefined ? '' : `,"route":"${route}"`;
      const from = address === undefined ? '' : `,"address":"${address}"`;
      const who = via === undefined ? '' : `,"via":"${via}"`;
      const what = error === undefined ? '' : `,"error":"${error}"`;
      const ms = Math.round(durationMs * 1000) / 1000;
      // Nothing here needs escaping: the method is a token, the id and a proxy's word were found sane, the rest is ours.
      gathered += `{"level":"info"${time()}${pid},"method":"${method}"${place},"status":${status},"ms":${ms},"request_id":"${requestId}"${from}${who}${what},"msg":"request"}\n`;
      if (gathered.length >= gatheredMost) handOn();
    },
    close() {
      clearInterval(timer);
      flush();
      process.off('exit', flush);
    },
  };
}
