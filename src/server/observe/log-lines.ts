import fs from 'node:fs';

/** Text that is written to a file descriptor in the background, in batches. */
export interface LogLines {
  write(text: string): void;
  /** Begins to write what waits. */
  flush(): void;
  /** Writes what waits now, before the process ends. Gives up where the reader is gone or does not read. */
  flushSync(): void;
}

/** Characters that are written as a batch, before anybody asks for it: a write costs as much as a request. */
const batch = 65_536;
/** Characters that wait for a slow reader at most; lines beyond them are lost. */
const mostWaiting = 16 << 20;
/** Milliseconds between tries where the reader is slow, and all that the last flush waits for it. */
const pause = 50;
const lastWait = 1_000;

/**
 * Nothing here fails: a reader that went away is no reason to stop serving, nor to hold up the end. What a write did
 * not take is lost, and the next one is tried again: a full disk has room some day.
 * @param io for tests
 */
export function openLogLines(
  fd: number,
  io: Pick<typeof fs, 'write' | 'writeSync'> = fs,
): LogLines {
  let waiting = '';
  /** What a write has not taken yet. */
  let rest: Buffer = Buffer.alloc(0);
  /** Between its call and its callback; what it takes is not to be written twice. */
  let isWriting = false;
  let retry: NodeJS.Timeout | undefined;

  const takeUp = (): void => {
    if (rest.length > 0 || waiting === '') return;
    rest = Buffer.from(waiting);
    waiting = '';
  };

  const flush = (): void => {
    if (isWriting || retry) return;
    takeUp();
    if (rest.length === 0) return;
    isWriting = true;
    io.write(fd, rest, (error, written) => {
      isWriting = false;
      if (isBusy(error)) {
        retry = setTimeout(() => {
          retry = undefined;
          flush();
        }, pause).unref();
        return;
      }
      rest = error ? Buffer.alloc(0) : rest.subarray(written);
      if (rest.length > 0 || waiting.length >= batch) flush();
    });
  };

  return {
    write(text) {
      if (waiting.length + text.length > mostWaiting) return;
      waiting += text;
      if (waiting.length >= batch) flush();
    },
    flush,
    flushSync() {
      // What is on its way gets there without us.
      if (isWriting) rest = Buffer.alloc(0);
      for (let waited = 0; waited <= lastWait;) {
        takeUp();
        if (rest.length === 0) return;
        try {
          rest = rest.subarray(io.writeSync(fd, rest));
        } catch (error) {
          if (!isBusy(error)) {
            rest = Buffer.alloc(0);
            return;
          }
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pause);
          waited += pause;
        }
      }
    },
  };
}

/** The pipe is full: its reader takes its time. */
const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'EAGAIN' || error.code === 'EBUSY');
