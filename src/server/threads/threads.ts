import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { TimeUp } from './time-up.ts';
import type { Turns } from './turns.ts';

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

export interface ThreadPoolOptions {
  /** What a thread runs; `workerFile` finds it. */
  readonly file: URL;
  /** MiB of a thread's heap: one that needs more ends, and does not take the service with it. */
  readonly mostMemory: number;
  /** Milliseconds that a thread is kept for the next work: to start one, and to load what it takes, is not for nothing. */
  readonly keptIdle: number;
}

/** Whose work it is, and whether anybody still wants it. */
export interface Asker {
  /** Those who ask are served in turn: the key or client of a request. */
  readonly owner?: string;
  /** Aborted when nobody waits any more. */
  readonly signal: AbortSignal;
}

export interface Use extends Asker {
  /** Its turn, of these: as many work at once as they have places. */
  readonly turns: Turns;
  /** Milliseconds that it waits for its turn at most; absent: any time. */
  readonly within?: number | undefined;
  /** Whether work is ended, with its thread, when nobody waits for it any more; else its thread ends it, and soon. */
  readonly isEnded: boolean;
  /** What the caller is told where time was up, or the thread ended; absent: just that. */
  readonly explain?: ((error: TimeUp | ThreadGone) => Error) | undefined;
}

/** Threads that all run one file, for work that would hold up the event loop. */
export interface ThreadPool<In, Out> {
  /**
   * Takes a turn, and does work with a thread for itself: one that rests, or a new one.
   * @param work is given its port, and a signal that is aborted, with a ThreadGone, when the thread has ended; or with
   * the asker's reason, where work is ended with it
   * @param survives whether the thread can take other work after such a failure of `work`; else it is ended
   * @throws TimeUp, ThreadGone, or what explains them; the reason of the asker's signal
   */
  use<T>(
    use: Use,
    work: (port: Port<In, Out>, ended: AbortSignal) => Promise<T>,
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

export function createThreadPool<In, Out>(options: ThreadPoolOptions): ThreadPool<In, Out> {
  const idle = new Set<Thread<In, Out>>();
  const all = new Set<Thread<In, Out>>();
  let closed = false;
  const take = (): Thread<In, Out> => {
    const [rested] = idle;
    if (!rested) return startThread(options, { idle, all });
    idle.delete(rested);
    return rested;
  };

  const useThread: ThreadPool<In, Out>['use'] = async (use, work, survives = () => false) => {
    if (closed) throw new ThreadGone('the service is stopping');
    const thread = take();
    let isFree = false;
    try {
      const done = await thread.use(work, use.isEnded ? use.signal : undefined);
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
  };

  return {
    async use(use, work, survives) {
      const { turns, signal, owner, within, explain } = use;
      try {
        const giveBack = await turns.take(signal, owner, within);
        try {
          return await useThread(use, work, survives);
        } finally {
          giveBack();
        }
      } catch (error) {
        if (!explain || !(error instanceof TimeUp || error instanceof ThreadGone)) throw error;
        throw explain(error);
      }
    },
    async close() {
      closed = true;
      await Promise.all([...all].map((thread) => thread.end()));
    },
  };
}

interface Thread<In, Out> {
  /** One at a time. @param asker aborts what `work` is given */
  use<T>(
    work: (port: Port<In, Out>, ended: AbortSignal) => Promise<T>,
    asker?: AbortSignal,
  ): Promise<T>;
  /** Waits among the idle for a while. */
  rest(): void;
  end(): Promise<void>;
}

interface Kept<In, Out> {
  readonly idle: Set<Thread<In, Out>>;
  readonly all: Set<Thread<In, Out>>;
}

function startThread<In, Out>(
  { file, mostMemory, keptIdle }: ThreadPoolOptions,
  { idle, all }: Kept<In, Out>,
): Thread<In, Out> {
  const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: mostMemory } });
  let gone: ThreadGone | undefined;
  // Of each use its own: what outlives many uses would collect what they leave with it.
  let ended = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const leave = (): void => {
    clearTimeout(timer);
    all.delete(thread);
    idle.delete(thread);
  };
  const die = (why: string, cause?: unknown): void => {
    leave();
    gone ??= new ThreadGone(why, { cause });
    ended.abort(gone);
  };
  worker.on('error', (error) => die('the thread failed', error));
  worker.on('exit', (code) => die(`the thread ended with ${code}`));
  const thread: Thread<In, Out> = {
    async use(work, asker) {
      clearTimeout(timer);
      worker.ref();
      const mine = new AbortController();
      ended = mine;
      const onAbort = (): void => mine.abort(asker?.reason);
      asker?.addEventListener('abort', onAbort);
      try {
        if (gone) mine.abort(gone);
        else if (asker?.aborted === true) onAbort();
        return await work(worker, mine.signal);
      } finally {
        asker?.removeEventListener('abort', onAbort);
      }
    },
    rest() {
      if (gone) return;
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
