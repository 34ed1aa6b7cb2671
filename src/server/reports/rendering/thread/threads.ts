import { RenderCrash, RenderFault } from '../../../../report/formats/render-fault.ts';
import type { Rendered } from '../../../../report/formats/render.ts';
import { ThreadGone, createThreads, workerFile } from '../../../threads/threads.ts';
import { createTurns } from '../../../threads/turns.ts';
import { renderHere } from '../render-stored.ts';
import type { RenderJob, RenderStored } from '../render-stored.ts';
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
  /** Files that are rendered at once; others wait. */
  readonly most: number;
  /** And beside them, of those that somebody waits for; default 1. */
  readonly mostAwaited?: number;
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
  mostAwaited = 1,
  file = workerFile('render-worker'),
  mostMemory = heapOfThread,
  patience = usualPatience,
}: RendererOptions): Renderer {
  if (!file) return { render: renderHere, close: () => Promise.resolve() };
  const threads = createThreads<FromThread, ToThread>({ file, mostMemory, keptIdle });
  const [turns, awaited] = [createTurns(most), createTurns(mostAwaited)];

  const renderIn = async (job: RenderJob): Promise<Rendered> => {
    const limited = withTimeLimit(job, patience);
    try {
      return await threads.use(
        (port, gone) =>
          renderOver(port, {
            ...limited.job,
            signal: AbortSignal.any([limited.job.signal, gone]),
          }),
        (error) => error instanceof RenderFault,
      );
    } catch (error) {
      if (!(error instanceof ThreadGone)) throw error;
      throw new RenderCrash(`while it rendered, ${error.message}`, { cause: error.cause ?? error });
    } finally {
      limited.end();
    }
  };

  return {
    async render(job) {
      const giveBack = await (job.isAwaited === true ? awaited : turns).take(job.signal);
      try {
        return await renderIn(job);
      } finally {
        giveBack();
      }
    },
    close: threads.close,
  };
}
