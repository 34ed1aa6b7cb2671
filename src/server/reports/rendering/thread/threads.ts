import { RenderCrash, RenderFault } from '../../../../report/formats/render-fault.ts';
import { ThreadGone, createThreadPool, workerFile } from '../../../threads/threads.ts';
import { createTurns } from '../../../threads/turns.ts';
import { renderHere } from '../render-stored.ts';
import type { RenderStored } from '../render-stored.ts';
import type { FromThread, ToThread } from './messages.ts';
import { renderOver } from './render-over.ts';
import { usualPatience, withTimeLimit } from './time-limit.ts';
import type { Patience } from './time-limit.ts';

/** What renders: in threads, so that requests are answered meanwhile. */
export interface Renderer {
  readonly render: RenderStored;
  /** Ends the threads; what is under way fails. */
  close(): Promise<void>;
}

export interface RendererOptions {
  /** Files that are rendered at once in the background; others wait. Those that somebody waits for come beside them. */
  readonly most: number;
  /** What a thread runs; absent: this thread renders. */
  readonly file?: URL | undefined;
  /** MiB of a thread's heap. */
  readonly mostMemory?: number;
  /** How long one is waited for that neither reads nor writes. */
  readonly patience?: Patience;
}

/** MiB. */
const heapOfThread = 1_024;
/** Milliseconds. */
const keptIdle = 30_000;

/** In threads, where the built worker is there; else in this one. */
export function createRenderer({
  most,
  file = workerFile('render-worker'),
  mostMemory = heapOfThread,
  patience = usualPatience,
}: RendererOptions): Renderer {
  if (!file) return { render: renderHere, close: () => Promise.resolve() };
  const pool = createThreadPool<FromThread, ToThread>({ file, mostMemory, keptIdle });
  const [turns, awaited] = [createTurns(most), createTurns(Infinity)];
  return {
    render: (job) =>
      pool.use(
        {
          turns: job.isAwaited === true ? awaited : turns,
          signal: job.signal,
          isEnded: true,
          explain,
        },
        async (port, ended) => {
          const limited = withTimeLimit({ ...job, signal: ended }, patience);
          try {
            return await renderOver(port, limited.job);
          } finally {
            limited.end();
          }
        },
        (error) => error instanceof RenderFault,
      ),
    close: pool.close,
  };
}

const explain = (error: Error): Error =>
  error instanceof ThreadGone
    ? new RenderCrash(`while the thread rendered a report, ${error.message}`, {
        cause: error.cause ?? error,
      })
    : error;
