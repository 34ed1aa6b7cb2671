import { RenderCrash } from '../../../../report/formats/render-fault.ts';
import type { RenderJob } from '../render-stored.ts';

/** Milliseconds that a renderer may neither read nor write: in any case, and for each MiB that it has read. */
export interface Patience {
  readonly base: number;
  readonly perMiB: number;
}

/** Generous: a slow machine under load is no reason to give up. */
export const usualPatience: Patience = { base: 120_000, perMiB: 5_000 };

const mebibyte = 1_024 * 1_024;

/** A job that is given up where nothing is heard of who renders it: the time that its writes take is not counted. */
export function withTimeLimit(
  { blobs, write, signal, ...job }: RenderJob,
  { base, perMiB }: Patience,
): { readonly job: RenderJob; readonly end: () => void } {
  const late = new AbortController();
  let read = 0;
  let timer: NodeJS.Timeout | undefined;
  let hasEnded = false;
  const rest = (): void => clearTimeout(timer);
  const wait = (): void => {
    clearTimeout(timer);
    if (hasEnded) return;
    const ms = base + (perMiB * read) / mebibyte;
    const seconds = Math.round(ms / 100) / 10;
    timer = setTimeout(() => {
      late.abort(new RenderCrash(`the rendering thread did not respond for ${seconds} s`));
    }, ms);
    timer.unref();
  };
  wait();
  return {
    job: {
      ...job,
      signal: AbortSignal.any([signal, late.signal]),
      blobs: {
        async *read(id, range) {
          for await (const chunk of blobs.read(id, range)) {
            read += chunk.byteLength;
            wait();
            yield chunk;
          }
        },
      },
      async write(chunk) {
        rest();
        await write(chunk);
        wait();
      },
    },
    end() {
      hasEnded = true;
      clearTimeout(timer);
    },
  };
}
