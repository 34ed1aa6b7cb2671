import { nextTurn } from '../next-turn.ts';
import type { ByteBody } from './call.ts';

/**
 * Each piece is read in a turn of its own, over all answers: very many readers at once, who take what they are sent or not,
 * hold up no other answer.
 * @param ended called once: when all were taken, nobody wants more, or reading failed
 */
export function streamBytes(
  { open, ended: bodyEnded }: ByteBody,
  ended: (taken: number, error?: unknown) => void,
): ReadableStream<Uint8Array> {
  let chunks: AsyncIterator<Uint8Array> | undefined;
  let taken = 0;
  let isOver = false;
  const end = (error?: unknown): void => {
    if (isOver) return;
    isOver = true;
    bodyEnded?.();
    ended(taken, error);
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          await nextTurn();
          // Nobody wanted more meanwhile.
          if (isOver) return;
          chunks ??= open()[Symbol.asyncIterator]();
          const next = await chunks.next();
          // Nobody wanted more while it was read.
          if (isOver) return;
          if (next.done === true) {
            controller.close();
            end();
            return;
          }
          taken += next.value.length;
          controller.enqueue(next.value);
        } catch (error) {
          // Why is for the log alone: the listener may send what it is told.
          if (!isOver) controller.error(new Error('the response was truncated'));
          end(error);
        }
      },
      async cancel() {
        const reading = chunks;
        end();
        await reading?.return?.();
      },
    },
    // Nothing is opened, nor read ahead, for somebody who takes nothing.
    { highWaterMark: 0 },
  );
}
