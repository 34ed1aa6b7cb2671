import { setMaxListeners } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { TimeUp } from './time-up.ts';

/** A MessagePort, or a Worker: what comes `In`, what goes `Out`. */
export interface Port<In, Out> {
  postMessage(message: Out, transfer?: readonly ArrayBuffer[]): void;
  on(event: 'message', listener: (message: In) => void): unknown;
  off(event: 'message', listener: (message: In) => void): unknown;
}

/** The thread ended, or was ended, under its work; it may be otherwise the next time. */
export class ThreadGone extends Error {
  override readonly name = 'ThreadGone';
}

export interface ThreadsOptions {
  /** What a thread runs; `workerFile` finds it. */
  readonly file: URL;
  /** MiB of a thread's heap: one that needs more ends, and does not take the service with it. */
  readonly mostMemory: number;
  /** Milliseconds that a thread is kept for the next work: to start one, and to load what it takes, is not for nothing. */
  readonly keptIdle: number;
}

/** Threads that all run one file, for work that would hold up the event loop. */
export interface Threads<In, Out> {
  /**
   * Does work with a thread for itself: one that rests, or a new one. How many work at once is up to the caller.
   * @param work is given its port, and a signal that is aborted, with a ThreadGone, when the thread has ended
   * @param survives whether the thread can take other work after such a failure of `work`; else it is ended
   */
  use<T>(
    work: (port: Port<In, Out>, gone: AbortSignal) => Promise<T>,
    survives?: (error: unknown) => boolean,
  ): Promise<T>;
  /** Ends the threads; what is under way fails. */
  close(): Promise<void>;
}

/**
 * Where the build puts an entry: beside the built modules. Undefined where they run from their sources: then the work is
 * done in this thread.
 */
export function workerFile(name: string): URL | undefined {
  const file = new URL(`${name}.js`, import.meta.url);
  return existsSync(fileURLToPath(file)) ? file : undefined;
}

export function createThreads<In, Out>(options: ThreadsOptions): Threads<In, Out> {
  const idle = new Set<Thread<In, Out>>();
  const all = new Set<Thread<In, Out>>();
  let closed = false;
  const take = (): Thread<In, Out> => {
    const [rested] = idle;
    if (!rested) return startThread(options, { idle, all });
    idle.delete(rested);
    return rested;
  };
  return {
    async use(work, survives = () => false) {
      if (closed) throw new ThreadGone('the service is stopping');
      const thread = take();
      let isFree = false;
      try {
        const done = await thread.use(work);
        isFree = true;
        return done;
      } catch (error) {
        isFree = survives(error);
        throw error;
      } finally {
        // What may still be at it can take nothing else.
        if (isFree && !closed) thread.rest();
        else await thread.end();
      }
    },
    async close() {
      closed = true;
      await Promise.all([...all].map((thread) => thread.end()));
    },
  };
}

interface Thread<In, Out> {
  /** One at a time. */
  use<T>(work: (port: Port<In, Out>, gone: AbortSignal) => Promise<T>): Promise<T>;
  /** Waits among the idle for a while. */
  rest(): void;
  end(): Promise<void>;
}

interface Kept<In, Out> {
  readonly idle: Set<Thread<In, Out>>;
  readonly all: Set<Thread<In, Out>>;
}

function startThread<In, Out>(
  { file, mostMemory, keptIdle }: ThreadsOptions,
  { idle, all }: Kept<In, Out>,
): Thread<In, Out> {
  const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: mostMemory } });
  const gone = new AbortController();
  // Its work listens, one after the other.
  setMaxListeners(0, gone.signal);
  let timer: NodeJS.Timeout | undefined;
  const leave = (): void => {
    clearTimeout(timer);
    all.delete(thread);
    idle.delete(thread);
  };
  const die = (why: string, cause?: unknown): void => {
    leave();
    gone.abort(new ThreadGone(why, { cause }));
  };
  worker.on('error', (error) => die('the thread failed', error));
  worker.on('exit', (code) => die(`the thread ended with ${code}`));
  const thread: Thread<In, Out> = {
    use(work) {
      clearTimeout(timer);
      worker.ref();
      return work(worker, gone.signal);
    },
    rest() {
      if (gone.signal.aborted) return;
      worker.unref();
      idle.add(thread);
      timer = setTimeout(() => void thread.end(), keptIdle);
      timer.unref();
    },
    async end() {
      leave();
      await worker.terminate();
    },
  };
  all.add(thread);
  return thread;
}

/**
 * Posts one message and waits for the one that answers it.
 * @throws TimeUp, or the reason of `signal` where that is aborted before: the thread may still be at it
 */
export const ask = <In, Out>(
  port: Port<In, Out>,
  signal: AbortSignal,
  message: Out,
  withinMs: number,
): Promise<In> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const end = (): void => {
      clearTimeout(timer);
      port.off('message', onMessage);
      signal.removeEventListener('abort', onAbort);
    };
    const onMessage = (answer: In): void => {
      end();
      resolve(answer);
    };
    const giveUp = (error: Error): void => {
      end();
      reject(error);
    };
    const onAbort = (): void => giveUp(signal.reason as Error); // whatever it was aborted with
    const timer = setTimeout(() => giveUp(new TimeUp(`no answer within ${withinMs} ms`)), withinMs);
    port.on('message', onMessage);
    signal.addEventListener('abort', onAbort, { once: true });
    port.postMessage(message);
  });
