import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { defined } from '../../contract/defined.ts';
import { TimeUp } from './time-up.ts';
import type { Turns } from './turns.ts';

/** A MessagePort or Worker that receives `In` and posts `Out`. */
export interface Port<In, Out> {
  postMessage(message: Out, transfer?: readonly ArrayBuffer[]): void;
  on(event: 'message', listener: (message: In) => void): unknown;
  off(event: 'message', listener: (message: In) => void): unknown;
}

/** The thread ended, or was terminated, during its work. A retry can succeed. */
export class ThreadGone extends Error {
  override readonly name = 'ThreadGone';
}

export interface ThreadPoolOptions {
  /** The entry point of the threads, from `workerFile`. */
  readonly file: URL;
  /** Maximum heap of a thread in MiB. A thread that needs more ends, and the service goes on. */
  readonly mostMemory: number;
  /** Maximum MiB of the heap for new objects; default: Node's, which is faster and takes more memory. */
  readonly mostNew?: number;
  /** Milliseconds that an idle thread is kept, because starting one and loading its modules takes time. */
  readonly keptIdle: number;
}

/** The owner of work, and whether its result is still wanted. */
export interface Asker {
  /** The key or client of a request; owners are served in turn. */
  readonly owner?: string;
  /** Aborted when nobody waits for the result any more. */
  readonly signal: AbortSignal;
}

export interface Use extends Asker {
  /** The semaphore that limits how much of this work runs at a time. */
  readonly turns: Turns;
  /** Maximum milliseconds to wait for a turn; default: no maximum. */
  readonly within?: number | undefined;
  /** Whether aborted work is terminated with its thread. If false, the work must end soon by itself. */
  readonly isEnded: boolean;
  /** Maps these errors for the caller; default: they are thrown unchanged. */
  readonly explain?: ((error: TimeUp | ThreadGone) => Error) | undefined;
}

/** Threads that run the same file, for work that would block the event loop. */
export interface ThreadPool<In, Out> {
  /**
   * Waits for a turn, then runs `work` with exclusive use of an idle or new thread.
   * @param work gets the thread's port, and a signal that aborts with ThreadGone when the thread ends, or with the
   * asker's reason if `isEnded`
   * @param survives whether the thread can be reused after this failure of `work`; if not, it is terminated
   * @throws TimeUp or ThreadGone, or their mapped errors; the reason of the asker's signal
   */
  use<T>(
    use: Use,
    work: (port: Port<In, Out>, ended: AbortSignal) => Promise<T>,
    survives?: (error: unknown) => boolean,
  ): Promise<T>;
  /** Terminates the threads; work in progress fails. */
  close(): Promise<void>;
}

/**
 * The built entry point of a thread, next to the built modules. Undefined when running from source: then the work is done
 * in the main thread.
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
      // A thread that can still be working must not be reused.
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
  /** One use at a time. @param asker aborts the signal of `work` */
  use<T>(
    work: (port: Port<In, Out>, ended: AbortSignal) => Promise<T>,
    asker?: AbortSignal,
  ): Promise<T>;
  /** Returns the thread to the idle ones; it ends if it is not used for a while. */
  rest(): void;
  end(): Promise<void>;
}

interface Kept<In, Out> {
  readonly idle: Set<Thread<In, Out>>;
  readonly all: Set<Thread<In, Out>>;
}

function startThread<In, Out>(
  { file, mostMemory, mostNew, keptIdle }: ThreadPoolOptions,
  { idle, all }: Kept<In, Out>,
): Thread<In, Out> {
  const worker = new Worker(file, {
    resourceLimits: {
      maxOldGenerationSizeMb: mostMemory,
      ...defined({ maxYoungGenerationSizeMb: mostNew }),
    },
  });
  let gone: ThreadGone | undefined;
  // A new controller per use: a shared one would accumulate listeners that uses leave behind.
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
  worker.on('exit', (code) => die(`the thread exited with code ${code}`));
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
 * Posts a message and waits for its answer.
 * @throws TimeUp, or the reason of `signal` if it is aborted first; the thread can then still be working
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
    const onAbort = (): void => giveUp(signal.reason as Error); // abort reasons in this program are errors
    const timer = setTimeout(
      () => giveUp(new TimeUp(`no response within ${withinMs} ms`)),
      withinMs,
    );
    port.on('message', onMessage);
    signal.addEventListener('abort', onAbort, { once: true });
    port.postMessage(message);
  });
