import { setMaxListeners } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { RenderCrash, RenderFault } from '../../../../report/formats/render-fault.ts';
import { renderHere } from '../render-stored.ts';
import type { RenderJob, RenderStored } from '../render-stored.ts';
import type { Rendered } from '../../../../report/formats/render.ts';
import { renderOver } from './render-over.ts';
import { createTurns } from './turns.ts';
import { usualPatience, withTimeLimit } from './time-limit.ts';
import type { Patience } from './time-limit.ts';

/** What renders: in threads, so that requests are answered meanwhile. */
export interface Renderer {
  readonly render: RenderStored;
  /** Ends the threads; what is under way fails. */
  close(): Promise<void>;
}

export interface RendererOptions {
  /** Files that are rendered at once; others wait. */
  readonly most: number;
  /** And beside them, of those that somebody waits for; default 1. */
  readonly mostAwaited?: number;
  /** What a thread runs. */
  readonly file?: URL;
  /** MiB of a thread's heap. */
  readonly mostMemory?: number;
  /** How long one is waited for that neither reads nor writes. */
  readonly patience?: Patience;
}

/** Where the build puts render-worker.ts; beside the built module that holds this one. */
const workerFile = new URL('render-worker.js', import.meta.url);

/** Milliseconds that a thread is kept for the next file: to start one, and to load what it takes, is not for nothing. */
const keptIdle = 30_000;
/** MiB. A renderer that needs more is at fault, and is not to take the service with it. */
const heapOfThread = 1_024;

/** In threads, where the built worker is there; else in this one. */
export function createRenderer({
  most,
  mostAwaited = 1,
  file = workerFile,
  mostMemory = heapOfThread,
  patience = usualPatience,
}: RendererOptions): Renderer {
  if (!existsSync(fileURLToPath(file))) {
    return { render: renderHere, close: () => Promise.resolve() };
  }
  const idle = new Set<Thread>();
  const all = new Set<Thread>();
  const [turns, awaited] = [createTurns(most), createTurns(mostAwaited)];
  let closed = false;

  const take = (): Thread => {
    const [rested] = idle;
    if (!rested) return startThread(file, mostMemory, { idle, all });
    idle.delete(rested);
    return rested;
  };

  const renderIn = async (thread: Thread, job: RenderJob): Promise<Rendered> => {
    let isFree = false;
    const limited = withTimeLimit(job, patience);
    try {
      const rendered = await thread.render(limited.job);
      isFree = true;
      return rendered;
    } catch (error) {
      isFree = error instanceof RenderFault;
      throw error;
    } finally {
      limited.end();
      // What may still be at it can take nothing else.
      if (isFree && !closed) thread.rest();
      else await thread.end();
    }
  };

  return {
    async render(job) {
      const giveBack = await (job.isAwaited === true ? awaited : turns).take(job.signal);
      try {
        if (closed) throw new RenderCrash('the service is stopping');
        return await renderIn(take(), job);
      } finally {
        giveBack();
      }
    },
    async close() {
      closed = true;
      await Promise.all([...all].map((thread) => thread.end()));
    },
  };
}

interface Thread {
  /** One at a time. */
  render(job: RenderJob): Promise<Rendered>;
  /** Waits among the idle for a while. */
  rest(): void;
  end(): Promise<void>;
}

interface Threads {
  readonly idle: Set<Thread>;
  readonly all: Set<Thread>;
}

function startThread(file: URL, mostMemory: number, { idle, all }: Threads): Thread {
  const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: mostMemory } });
  const gone = new AbortController();
  // Its jobs listen, one after the other.
  setMaxListeners(0, gone.signal);
  let timer: NodeJS.Timeout | undefined;
  const leave = (): void => {
    clearTimeout(timer);
    all.delete(thread);
    idle.delete(thread);
  };
  const die = (why: string, cause?: unknown): void => {
    leave();
    gone.abort(new RenderCrash(why, { cause }));
  };
  worker.on('error', (error) => die('the thread that renders failed', error));
  worker.on('exit', (code) => die(`the thread that renders ended with ${code}`));
  const thread: Thread = {
    render(job) {
      clearTimeout(timer);
      worker.ref();
      return renderOver(worker, { ...job, signal: AbortSignal.any([job.signal, gone.signal]) });
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
